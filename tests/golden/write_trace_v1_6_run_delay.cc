// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.6 into the directory given, with samples of a
// thread whose run delay is known, and of one where the kernel did not tell.
// Made once; the files are checked in.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

void AddSample(TraceBytes& trace, uint64_t at, uint64_t cpu_ns,
               uint64_t run_delay_ns, bool is_known) {
  CpuSampleRecord sample = {};
  sample.ticks = kStart + at;
  sample.cpu_time_ns = cpu_ns;
  sample.state = static_cast<uint8_t>(ThreadState::kRunning);
  sample.has_run_delay = is_known ? 1 : 0;
  sample.run_delay_ns = run_delay_ns;
  trace.Put(BlockKind::kSamples, sample);
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_6_run_delay DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  const uint64_t kernel = 0x1000;
  trace.Calls(0, 0, {Call(1000, 17, 0, &kernel, sizeof(kernel))});
  AddSample(trace, 10'000, 700, 0, true);
  AddSample(trace, 20'000, 900, 8'000, true);
  AddSample(trace, 30'000, 950, 0, false);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
