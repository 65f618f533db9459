// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_BENCH_IMPORT_COST_H_
#define DLTAP_TESTS_BENCH_IMPORT_COST_H_

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <time.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace dltap {

// What the imports of a benchmark cost: processor time and memory. Cycles are
// of the time stamp counter, so that clocks that vary don't matter.
class ImportCost {
 public:
  ImportCost() : begin_ns_(CpuNs()) { ResetPeak(); }

  // Of `events` events an iteration.
  void Report(benchmark::State& state, double events) const {
    const double imported = events * static_cast<double>(state.iterations());
    const double cpu_ns = CpuNs() - begin_ns_;
    state.counters["cpu_events_per_s"] = imported / cpu_ns * 1e9;
    state.counters["cycles_per_event"] = cpu_ns * CyclesPerNs() / imported;
    state.counters["mb_per_m_events"] = (PeakMb() - begin_mb_) / (events / 1e6);
  }

 private:
  static double CpuNs() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 +
           static_cast<double>(now.tv_nsec);
  }

  static double CyclesPerNs() {
    timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const uint64_t ticks = __builtin_ia32_rdtsc();
    double ns = 0;
    while (ns < 20e6) {
      clock_gettime(CLOCK_MONOTONIC, &end);
      ns = static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
           static_cast<double>(end.tv_nsec - begin.tv_nsec);
    }
    return static_cast<double>(__builtin_ia32_rdtsc() - ticks) / ns;
  }

  static double StatusMb(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      double kilobytes = 0;
      if (word == key && status >> kilobytes) return kilobytes / 1024;
    }
    return 0;
  }
  static double PeakMb() { return StatusMb("VmHWM:"); }

  void ResetPeak() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    begin_mb_ = StatusMb("VmRSS:");
  }

  double begin_ns_;
  double begin_mb_ = 0;
};

}  // namespace dltap

#endif  // DLTAP_TESTS_BENCH_IMPORT_COST_H_
