// SPDX-License-Identifier: Apache-2.0
// How fast traces become models, in events per second of one core (budget:
// docs/design.md section 8). Judges nothing; run it by hand.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/reader/trace_reader.h"
#include "shim/trace/decoder.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"

namespace dltap::analyzer {
namespace {

using specs::ArgKind;
using trace::BlockKind;
using trace::TraceBytes;

constexpr int kSteps = 4000;
constexpr int kCallsPerStep = 150;  // each: a library call, its launch, kernel
constexpr int kEvents = kSteps * kCallsPerStep * 4;

// Like a training run: GEMM calls with a launch inside, drained in blocks of
// one step.
class SyntheticRun {
 public:
  SyntheticRun() {
    trace_.Entry(16, "cublasSgemm_v2",
                 {{"m", 0, 4, ArgKind::kInt, Meaning::kDimM},
                  {"n", 4, 4, ArgKind::kInt, Meaning::kDimN},
                  {"k", 8, 4, ArgKind::kInt, Meaning::kDimK},
                  {"stream", 16, 8, ArgKind::kHandle, Meaning::kStream}});
    trace_.Entry(17, "cudaLaunchKernel",
                 {{"func", 0, 8, ArgKind::kHandle, Meaning::kKernel},
                  {"stream", 8, 8, ArgKind::kHandle, Meaning::kStream}});
    trace_.Text(1, "sgemm");
    trace::KernelVariantRecord variant = {};
    variant.id = 1;
    variant.text = 1;
    trace_.Put(BlockKind::kDefinitions, variant);
    for (int step = 0; step < kSteps; ++step) AddStep(step);
  }
  const std::vector<uint8_t>& bytes() { return trace_.bytes(); }

 private:
  void AddStep(int step) {
    std::vector<trace::CallFields> calls;
    trace::BlockBuilder activities(buffer_.data(), buffer_.size());
    const std::array<uint64_t, 3> payload = {1024, 64, 0};
    for (int i = 0; i < kCallsPerStep; ++i) {
      const uint64_t at = 1'000'000 + (step * kCallsPerStep + i) * 10'000ull;
      calls.push_back({.begin_ticks = at + 1000,
                       .duration_ticks = 3000,
                       .entry_point = 17,
                       .flags = 1,
                       .payload = payload.data(),
                       .payload_bytes = 16});
      calls.push_back({.begin_ticks = at,
                       .duration_ticks = 5000,
                       .entry_point = 16,
                       .flags = trace::kCallPushed,
                       .payload = payload.data(),
                       .payload_bytes = 24});
      trace::LaunchApiRecord launch = {};
      launch.start_ns = at + 1500;
      launch.duration_ns = 2000;
      launch.external = at;
      launch.correlation = step * kCallsPerStep + i + 1;
      activities.Append(launch);
      trace::KernelRecord kernel = {};
      kernel.start_ns = at + 6000;
      kernel.duration_ns = 4000;
      kernel.variant = 1;
      kernel.correlation = launch.correlation;
      activities.Append(kernel);
    }
    trace::AnchorRecord anchor = {};
    anchor.ticks = anchor.monotonic_ns = anchor.activity_ns =
        1'000'000 + step * kCallsPerStep * 10'000ull;
    trace_.Put(BlockKind::kSamples, anchor);
    trace_.Calls(0, next_slot_, calls);
    next_slot_ += kCallsPerStep * 3;
    trace_.Add(activities.Finish(BlockKind::kActivities));
  }

  TraceBytes trace_;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(1 << 20);
  uint64_t next_slot_ = 0;
};

SyntheticRun& Run() {
  static SyntheticRun run;
  return run;
}

void ReportRates(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.SetBytesProcessed(state.iterations() * Run().bytes().size());
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_rss_mb"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

// Blocks, checksums and records: what any consumer pays.
void BM_Decode(benchmark::State& state) {
  for (auto _ : state) {
    trace::BlockReader blocks(Run().bytes(), sizeof(trace::FileHeader));
    uint64_t sum = 0;
    for (trace::Block block; blocks.Next(&block) == trace::DecodeStatus::kOk;) {
      if (block.header.kind == static_cast<uint16_t>(BlockKind::kCalls)) {
        trace::CallReader calls(block.payload);
        for (trace::CallView call;
             calls.Next(&call) == trace::DecodeStatus::kOk;) {
          sum += call.duration_ticks;
        }
      } else {
        trace::RecordReader records(block.payload);
        for (trace::RecordView record;
             records.Next(&record) == trace::DecodeStatus::kOk;) {
          sum += record.As<trace::KernelRecord>().duration_ns;
        }
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  ReportRates(state);
}
BENCHMARK(BM_Decode)->Unit(benchmark::kMillisecond);

// The whole way into a normalised model.
void BM_ReadTrace(benchmark::State& state) {
  TempDir dir;
  const std::string path = dir.Write("run.dltap", Run().bytes());
  for (auto _ : state) {
    std::vector<std::string> problems;
    benchmark::DoNotOptimize(ReadTrace({path}, &problems));
  }
  ReportRates(state);
}
BENCHMARK(BM_ReadTrace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dltap::analyzer
