// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.10 into the directory given: that of a killed
// process, whose ring file tells in which space of files its path counts. Made
// once; the files are checked in.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/golden/killed_run.h"
#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

constexpr uint64_t kRingOffset = 1024;
constexpr uint64_t kFunction = 0x1000;

CallSlot Launch(uint64_t at) {
  CallSlot slot = {};
  slot.begin_ticks = kStart + at;
  slot.duration_ticks = 500;
  slot.entry_point = 17;
  slot.slots = 1;
  std::memcpy(slot.payload, &kFunction, sizeof(kFunction));
  return slot;
}

// Slot 0 is in the data file.
std::vector<uint8_t> Ring() {
  std::vector<uint8_t> bytes(2048);
  RingFileHeader header = KilledRingFile();
  header.pid_namespace = 0xEFFFFFFC;
  std::strcpy(header.data_file, "/trace/run.dltap");
  header.file_space = 0x5A5A1234;
  const RingHeader ring = RingInUse(1, 3, kRingOffset);
  Store(bytes, 0, header);
  Store(bytes, header.rings_offset, ring);
  Store(bytes, kRingOffset + 1 * kSlotBytes, Launch(2000));
  Store(bytes, kRingOffset + 2 * kSlotBytes, Launch(3000));
  return bytes;
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_10_file_space DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  trace.Calls(0, 0, {Call(1000, 17, 0, &kFunction, sizeof(kFunction))});
  AddAnchor(trace, 1'000'000);
  const std::string folder = argv[1];
  WriteFile(folder + "/run.dltap", trace.bytes());
  WriteFile(folder + "/run.dltap.ring", Ring());
}
