// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.2 with delays, into the directory given: a window
// without, one with 50 us before GEMMs, one without activities. Made once; the
// files are checked in.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/trace_bytes.h"

namespace dltap::trace {
namespace {

using specs::ArgKind;
using specs::LayerClass;
using specs::Meaning;

constexpr uint64_t kStart = 1'000'000;  // ticks and monotonic ns

void AddAnchor(TraceBytes& trace, uint64_t at_ns) {
  AnchorRecord anchor = {};
  anchor.ticks = kStart + at_ns;
  anchor.monotonic_ns = kStart + at_ns;
  trace.Put(BlockKind::kSamples, anchor);
}

void AddDefinitions(TraceBytes& trace) {
  ProcessRecord process = {};
  process.pid = 42;
  process.cpus = 8;
  trace.Put(BlockKind::kDefinitions, process, Piece::String("host", 4),
            Piece::String("bootboot-id", 11), Piece::String("program", 7),
            Piece::String("0.2.0", 5), Piece::String("", 0));
  trace.Entry(16, "cublasSgemm_v2",
              {{"m", 0, 4, ArgKind::kInt, Meaning::kDimM}});
  trace.Entry(17, "cudaLaunchKernel",
              {{"func", 0, 8, ArgKind::kHandle, Meaning::kKernel}});
  KernelFunctionRecord function = {};
  function.function = 0x1000;
  function.text = 1;
  trace.Text(1, "sgemm_128x64").Put(BlockKind::kDefinitions, function);
}

void AddDelay(TraceBytes& trace, uint64_t at, LayerClass layer_class,
              uint64_t delay_ns, uint8_t source_off) {
  DelayRecord record = {};
  record.ticks = kStart + at;
  record.delay_ns = delay_ns;
  record.layer_class = static_cast<uint8_t>(layer_class);
  record.source_off = source_off;
  trace.Put(BlockKind::kSamples, record);
}

void AddCpu(TraceBytes& trace, uint64_t at, uint64_t cpu_time_ns) {
  ProcessSampleRecord record = {};
  record.ticks = kStart + at;
  record.cpu_time_ns = cpu_time_ns;
  record.resident_bytes = 4096;
  trace.Put(BlockKind::kSamples, record);
}

CallFields Call(uint64_t at, uint16_t entry, uint8_t flags, const void* payload,
                uint32_t bytes) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 500,
          .entry_point = entry,
          .flags = flags,
          .payload = payload,
          .payload_bytes = bytes};
}

void AddCalls(TraceBytes& trace) {
  const int32_t rows = 128;
  const uint64_t kernel = 0x1000;
  trace.Calls(0, 0,
              {Call(1000, 16, 0, &rows, sizeof(rows)),
               Call(2000, 17, 0, &kernel, sizeof(kernel)),
               Call(400'000, 16, kCallDelayed, &rows, sizeof(rows)),
               Call(500'000, 17, 0, &kernel, sizeof(kernel)),
               Call(800'000, 16, 0, &rows, sizeof(rows))});
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_2_delays DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddCpu(trace, 0, 1'000'000);
  AddDelay(trace, 0, LayerClass::kUnattributed, 0, 0);
  AddDelay(trace, 300'000, LayerClass::kGemm, 50'000, 0);
  AddDelay(trace, 600'000, LayerClass::kUnattributed, 0, 0);
  AddDelay(trace, 700'000, LayerClass::kUnattributed, 0, 1);
  AddCalls(trace);
  AddCpu(trace, 1'000'000, 3'000'000);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
