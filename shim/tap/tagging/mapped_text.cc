// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/mapped_text.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dltap::shim::tagging {
namespace {

constexpr uint64_t kPageBytes = 4096;

// 0: not mapped. Reads of ourselves are refused by old container runtimes only;
// then what is registered is believed to be there.
size_t Read(const char* from, char* copy, size_t bytes) {
  const iovec target = {copy, bytes};
  const iovec source = {const_cast<char*>(from), bytes};
  const ssize_t read = process_vm_readv(getpid(), &target, 1, &source, 1, 0);
  if (read > 0) return static_cast<size_t>(read);
  if (errno == EFAULT) return 0;
  const size_t length = strnlen(from, bytes);
  memcpy(copy, from, length);
  if (length < bytes) copy[length] = '\0';
  return bytes;
}

}  // namespace

bool CopyTextIfMapped(const char* from, char* copy, uint32_t bytes) {
  size_t copied = 0;
  while (copied < bytes - 1) {
    // A page at a time: the text may end before one that is not there.
    const auto at = reinterpret_cast<uint64_t>(from) + copied;
    size_t wanted = kPageBytes - at % kPageBytes;
    if (wanted > bytes - 1 - copied) wanted = bytes - 1 - copied;
    const size_t read = Read(from + copied, copy + copied, wanted);
    if (read == 0) return false;
    if (memchr(copy + copied, '\0', read) != nullptr) return true;
    copied += read;
  }
  copy[copied] = '\0';
  return true;
}

}  // namespace dltap::shim::tagging
