// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

// What fits of the file lands in `out`; the whole length is returned.
uint64_t ReadAll(int fd, char* out, size_t capacity) {
  char rest[1024];
  uint64_t length = 0;
  for (;;) {
    const bool fits = length < capacity;
    const ssize_t got = fits ? read(fd, out + length, capacity - length)
                             : read(fd, rest, sizeof(rest));
    if (got <= 0) return length;
    length += static_cast<uint64_t>(got);
  }
}

}  // namespace

void WriteCommandLine() {
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char arguments[kMaxCommandBytes];
  trace::CommandRecord record = {};
  record.whole_bytes = ReadAll(fd, arguments, sizeof(arguments));
  close(fd);
  const uint64_t kept = record.whole_bytes < sizeof(arguments)
                            ? record.whole_bytes
                            : sizeof(arguments);
  WriteRecord(trace::BlockKind::kDefinitions, record,
              trace::Piece::String(arguments, kept));
}

}  // namespace dltap::shim
