// SPDX-License-Identifier: Apache-2.0
// What `dltap report` costs an own trace, stage by stage: nanoseconds and time
// stamp cycles of processor time, and resident bytes, for each event. First in
// slices, then, up to 20 M events, in one piece. Judges nothing; the ratio to
// the floor compares machines.
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/slices/sliced_summary.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/model/kept_memory.h"
#include "analyzer/reader/sliced_trace.h"
#include "analyzer/reader/trace_reader.h"
#include "analyzer/reports/json_report.h"
#include "shim/trace/decoder.h"
#include "tests/bench/training_trace.h"
#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

int64_t CpuNs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

int64_t WallNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

double CyclesPerNs() {
  constexpr int64_t kLongNs = 100'000'000;
  const int64_t begin = WallNs();
  const uint64_t ticks = __rdtsc();
  int64_t ns = 0;
  while (ns < kLongNs) ns = WallNs() - begin;
  return static_cast<double>(__rdtsc() - ticks) / static_cast<double>(ns);
}

// Bytes of the heap and of mapped files that are resident now.
double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * 4096;
}

class Stages {
 public:
  explicit Stages(uint64_t events)
      : events_(static_cast<double>(events)), cycles_(CyclesPerNs()) {
    std::printf("%-12s %9s %9s %9s %9s\n", "stage", "ns", "cycles", "bytes",
                "x floor");
  }

  template <typename Work>
  auto Run(const char* name, Work work) {
    const double resident = ResidentBytes();
    const int64_t begin = CpuNs();
    auto result = work();
    const double ns = static_cast<double>(CpuNs() - begin);
    const double bytes = ResidentBytes() - resident;
    if (floor_ == 0) {
      floor_ = ns;
    } else {
      total_ += ns;
    }
    Print(name, ns, bytes);
    return result;
  }

  // What the stages since the last call did together.
  void Finish() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    Print("report", total_, static_cast<double>(usage.ru_maxrss) * 1024);
    std::printf("%.2f M events/s of one core, %.0f MiB at the peak so far\n",
                events_ / total_ * 1e3,
                static_cast<double>(usage.ru_maxrss) / 1024);
    total_ = 0;
  }

 private:
  void Print(const char* name, double ns, double bytes) const {
    std::printf("%-12s %9.1f %9.1f %9.1f %9.1f\n", name, ns / events_,
                ns / events_ * cycles_, bytes / events_, ns / floor_);
    std::fflush(stdout);
  }

  const double events_;
  const double cycles_;
  double floor_ = 0;
  double total_ = 0;
};

// The floor: blocks, checksums and records, as any reader must.
uint64_t Decode(const std::string& path) {
  const auto file = MappedFile::Map(path);
  uint64_t sum = 0;
  trace::BlockReader blocks(file->bytes(), sizeof(trace::FileHeader));
  for (trace::Block block; blocks.Next(&block) == trace::DecodeStatus::kOk;) {
    if (block.header.kind == static_cast<uint16_t>(trace::BlockKind::kCalls)) {
      trace::CallReader calls(block.payload);
      for (trace::CallView call;
           calls.Next(&call) == trace::DecodeStatus::kOk;) {
        sum += call.duration_ticks;
      }
      continue;
    }
    trace::RecordReader records(block.payload);
    for (trace::RecordView record;
         records.Next(&record) == trace::DecodeStatus::kOk;) {
      sum += record.header.bytes;
    }
  }
  return sum;
}

// As dltap report does it.
void MeasureSlices(const std::string& path, Stages& stages) {
  std::vector<std::string> problems;
  std::string why_not;
  const auto trace = stages.Run("survey", [&] {
    return std::make_unique<SlicedTrace>(*OpenTraceFiles({path}, &problems),
                                         &problems);
  });
  const auto summary = stages.Run(
      "slices", [&] { return SummariseInSlices(*trace, {}, {}, {}, why_not); });
  if (!summary) std::printf("not in slices: %s\n", why_not.c_str());
  stages.Finish();
}

void MeasureWhole(const std::string& path, Stages& stages) {
  std::vector<std::string> problems;
  const auto model =
      stages.Run("read", [&] { return ReadTrace({path}, &problems); });
  const auto attribution =
      stages.Run("attribute", [&] { return Attribute(*model); });
  const auto summary =
      stages.Run("summarise", [&] { return Summarise(*model, attribution); });
  const auto figures =
      stages.Run("figures", [&] { return FiguresOf(summary); });
  stages.Run("render", [&] { return JsonReport(summary, figures); });
  stages.Finish();
}

void Measure(const std::string& path, uint64_t events) {
  constexpr uint64_t kMostInMemory = 20'500'000;
  Stages stages(events);
  if (stages.Run("decode", [&] { return Decode(path); }) == 0) return;
  MeasureSlices(path, stages);
  if (events <= kMostInMemory) MeasureWhole(path, stages);
}

}  // namespace
}  // namespace dltap::analyzer

// report_speed [MILLION_EVENTS [FILE]]: FILE keeps the trace.
int main(int argc, char** argv) {
  dltap::analyzer::KeepFreedMemoryInLargePages();
  const double millions = argc > 1 ? std::atof(argv[1]) : 2;
  const dltap::TempDir dir;
  const std::string path = argc > 2 ? argv[2] : dir.path() + "/run.dltap";
  const uint64_t events = dltap::WriteTrainingTrace(
      path, static_cast<uint64_t>(millions * 1'000'000));
  std::printf("%.2f M events\n", static_cast<double>(events) * 1e-6);
  dltap::analyzer::Measure(path, events);
}
