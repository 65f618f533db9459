// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_CPU_USE_H_
#define DLTAP_ANALYZER_METRICS_IDLE_CPU_USE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/idle/cpu_passes.h"
#include "analyzer/metrics/idle/cpu_split.h"
#include "analyzer/metrics/idle/host_timeline.h"
#include "analyzer/metrics/idle/switched_off.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// When a feeder runs between its calls: by the context switches of its threads
// where all are known, else by samples.
//
// What the CPU samples say of one feeder between its calls. A sample gives a
// thread's CPU time so far, how long it was ready to run without a CPU (its run
// delay), and whether it is runnable, 10 to 40 times a second. The time awake
// (CPU time and run delay) between two samples that calls and input don't
// explain is spread over the spans between calls so that no span is awake
// longer than a common limit: short ones, which no sleep fits into, are
// throughout, and long ones share the rest; its CPU time likewise, by a lower
// limit, and what is awake beyond that one is delayed. Where the run delay is
// not known, the CPU time is spread instead, and the samples that found the
// thread runnable tell of preemption. Holds references.
class CpuUse {
 public:
  // `inputs` are sorted and disjoint.
  CpuUse(const Process& process, const std::vector<ThreadId>& threads,
         const HostTimeline& timeline, const std::vector<Interval>& inputs);

  // Where a question was answered: the next one is mostly close by.
  struct Place {
    size_t call = 0;
    size_t input = 0;
    size_t pass = 0;
    size_t off = 0;
  };

  // `part` lies between two calls, outside the inputs. nullopt: no samples
  // around it.
  std::optional<CpuSplit> Split(Interval part, Place& near) const;

  // Of a call: how long the feeder was ready to run without a CPU, as far as
  // context switches tell.
  int64_t PreemptedIn(Interval call, Place& near) const;

  // Time of work in `span`: calls that don't wait, and CPU time outside of
  // calls. nullopt: the samples don't cover it.
  std::optional<double> WorkIn(Interval span) const;

  // Samples inside the inputs, and those of them that found it runnable.
  struct InputSamples {
    uint64_t all = 0;
    uint64_t runnable = 0;
  };
  InputSamples InputSamplesIn(Interval span) const;
  uint64_t SamplesIn(Interval span) const;

 private:
  // What happened between two passes.
  struct Period {
    // How long a span between calls may be awake, and run.
    double awake_limit_ns = 0;
    double run_limit_ns = 0;
    double work_ns = 0;  // see WorkIn
    bool has_run_delay = false;
  };

  // Spans between calls of about one length, and the samples in them.
  struct Sampled {
    double samples = 0;
    double runnable = 0;
    double running_ns = 0;
    double between_ns = 0;
  };
  static constexpr size_t kLengthClasses = 64;  // by powers of two

  // Of the time between calls in which the thread does not run: the share in
  // which it was ready to, and the share of which no sample tells. Else it
  // sleeps.
  struct Resting {
    double preempted = 0;
    double unknown = 0;
  };

  std::optional<CpuSplit> SplitBySamples(Interval part, Place& near) const;
  static size_t LengthClass(Interval whole);
  static Sampled EnoughAround(
      const std::array<Sampled, kLengthClasses>& sampled, size_t length_class);
  static Resting RestingShares(const Sampled& sampled);
  Interval SpanOf(size_t period) const;
  Interval WholeAround(Interval part, Place& near) const;
  void FindRunningShares();
  void FindPreemption();
  Period Explain(size_t pass) const;
  // Visits what the feeder does in `span`, in time: its calls, and between
  // them inputs and the rest.
  template <typename Visit>
  void ForEachPart(Interval span, Visit visit) const;

  const HostTimeline& timeline_;
  const std::vector<Interval>& inputs_;
  const SwitchedOff switched_off_;
  const bool fixed_costs_;  // calls cost what they say, and sleeps nothing
  std::vector<CpuPass> passes_;
  std::vector<Period> periods_;  // periods_[i] ends with passes_[i + 1]
  std::array<Resting, kLengthClasses> resting_{};  // without run delay
  // Share of the samples inside waits and inputs that found it runnable.
  double wait_runs_ = 0;
  double input_runs_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_CPU_USE_H_
