// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.3 whose oldest segments are gone, into the
// directory given: segments 3 and 4, each with the definitions that it uses,
// and the ring file of a killed process, whose log explains its last call. Made
// once; the files are checked in.
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/golden/killed_run.h"
#include "tests/support/trace_bytes.h"

namespace dltap::trace {
namespace {

using specs::ArgKind;
using specs::Meaning;

constexpr uint64_t kStart = 1'000'000;  // ticks and monotonic ns
constexpr uint64_t kFunction = 0x1000;
constexpr uint64_t kLogOffset = 640;
constexpr uint64_t kRecordsOffset = 1024;
constexpr uint64_t kRingOffset = 2048;

void AddAnchor(TraceBytes& trace, uint64_t at_ns) {
  AnchorRecord anchor = {};
  anchor.ticks = kStart + at_ns;
  anchor.monotonic_ns = kStart + at_ns;
  trace.Put(BlockKind::kDefinitions, anchor);
}

CallFields Launch(uint64_t at) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 500,
          .entry_point = 17,
          .flags = 0,
          .payload = &kFunction,
          .payload_bytes = sizeof(kFunction)};
}

// What every segment begins with, and the definitions of a launch.
void Begin(TraceBytes& trace) {
  ProcessRecord process = {};
  process.pid = 42;
  trace.Put(BlockKind::kDefinitions, process, Piece::String("host", 4),
            Piece::String("bootboot-id", 11), Piece::String("program", 7),
            Piece::String("0.2.0", 5), Piece::String("", 0));
  const std::string ring = "/dev/shm/dltap-run.dltap.ring";
  trace.Put(BlockKind::kDefinitions, RingNameRecord{},
            Piece::String(ring.data(), ring.size()));
  AddAnchor(trace, 0);
  AddAnchor(trace, 1'000'000);
  trace.Entry(17, "cudaLaunchKernel",
              {{"func", 0, 8, ArgKind::kHandle, Meaning::kKernel}});
  KernelFunctionRecord function = {};
  function.function = kFunction;
  function.text = 1;
  trace.Text(1, "sgemm_128x64").Put(BlockKind::kDefinitions, function);
}

std::vector<uint8_t> Ring() {
  std::vector<uint8_t> bytes(4096);
  RingFileHeader header = KilledRingFile();
  header.log_offset = kLogOffset;
  header.log_chunks = 2;  // the second is unused
  RecordBuffer log(&bytes[kRecordsOffset], 512);
  TextRecord text = {};
  text.id = 7;
  log.Append(text, Piece::String("epoch", 5));
  const RingHeader ring = RingInUse(30, 31, kRingOffset);
  CallSlot slot = {};
  const NvtxPayload push = {7, 0, 0, 0};
  slot.begin_ticks = kStart + 1'900'000;
  slot.entry_point = static_cast<uint16_t>(SpecialSlot::kNvtxPush);
  slot.slots = 1;
  std::memcpy(slot.payload, &push, sizeof(push));
  Store(bytes, 0, header);
  Store(bytes, header.rings_offset, ring);
  Store(bytes, kLogOffset, DefinitionChunk{kRecordsOffset, log.size()});
  Store(bytes, kRingOffset + 30 % 8 * kSlotBytes, slot);
  return bytes;
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_3_segments DIRECTORY\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  for (const uint32_t segment : {3u, 4u}) {
    TraceBytes trace(42, segment);
    Begin(trace);
    const uint64_t first = segment == 3 ? 28 : 29;
    trace.Calls(0, first, {Launch(first * 50'000)});
    WriteFile(folder + "/run." + std::to_string(segment) + ".dltap",
              trace.bytes());
  }
  WriteFile(folder + "/run.dltap.ring", Ring());
}
