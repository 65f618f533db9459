// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.2 with delays, into the directory given: a window
// without, one with 50 us before GEMMs, one without activities. Made once; the
// files are checked in.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

using specs::LayerClass;

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
