// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.10 into the directory given: that of a killed
// process, whose ring file tells in which space of files its path counts. Made
// once; the files are checked in.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

constexpr uint64_t kRingOffset = 1024;
constexpr uint64_t kFunction = 0x1000;

template <typename T>
void Store(std::vector<uint8_t>& bytes, uint64_t at, const T& value) {
  std::memcpy(&bytes[at], &value, sizeof(value));
}

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
  RingFileHeader header = {};
  header.file.pid = 42;
  header.file.clock = static_cast<uint8_t>(ClockKind::kTsc);
  Seal(header.file, FileKind::kRing);
  header.ring_count = 1;
  header.ring_header_bytes = sizeof(RingHeader);
  header.rings_offset = sizeof(RingFileHeader);
  header.pid_namespace = 0xEFFFFFFC;
  std::strcpy(header.data_file, "/trace/run.dltap");
  header.file_space = 0x5A5A1234;
  RingHeader ring = {};
  ring.tail = 1;
  ring.head = 3;
  ring.data_offset = kRingOffset;
  ring.capacity_slots = 8;
  ring.state = static_cast<uint32_t>(RingState::kInUse);
  Store(bytes, 0, header);
  Store(bytes, header.rings_offset, ring);
  Store(bytes, kRingOffset + 1 * kSlotBytes, Launch(2000));
  Store(bytes, kRingOffset + 2 * kSlotBytes, Launch(3000));
  return bytes;
}

void Write(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
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
  Write(folder + "/run.dltap", trace.bytes());
  Write(folder + "/run.dltap.ring", Ring());
}
