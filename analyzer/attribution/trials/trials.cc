// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/trials/trials.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/trials/host_work.h"
#include "analyzer/attribution/trials/timed_plans.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kFewKernels = 8;   // what a trial times at most
constexpr size_t kRepeats = 3;      // of a timed trial, at least
constexpr size_t kNearCheck = 16;   // calls between two checks of trials
constexpr size_t kBeforeCheck = 8;  // calls that prepare the first one
constexpr size_t kPlans = 3;        // implementations of one operation
constexpr size_t kTimedPlans = 2;

// Different plans, of which no more than kPlans are counted.
class Plans {
 public:
  void Add(uint64_t plan) {
    if (count_ == kPlans) return;
    const auto end = seen_.begin() + static_cast<ptrdiff_t>(count_);
    if (std::find(seen_.begin(), end, plan) == end) seen_[count_++] = plan;
  }
  size_t count() const { return count_; }

 private:
  std::array<uint64_t, kPlans> seen_{};
  size_t count_ = 0;
};

// Marks the calls of one thread that are trials.
class ThreadPass {
 public:
  ThreadPass(const Process& process, const ProcessAttribution& attribution,
             std::span<const HostWork> works, std::vector<bool>& is_trial)
      : process_(process),
        attribution_(attribution),
        works_(works),
        is_trial_(is_trial) {}

  // What the other `threads` compute meanwhile, such as a
  // backward pass, belongs to a step that is timed, and to no trial.
  void MarkTimedRepeats(std::span<const std::vector<HostWork>> threads) {
    for (size_t i = 0; i < works_.size();) {
      const auto first = CycleAt(i);
      if (!first) {
        ++i;
        continue;
      }
      size_t repeats = 1;
      size_t end = first->end;
      for (auto next = CycleAt(end); next && next->Equals(*first, works_);
           next = CycleAt(end)) {
        ++repeats;
        end = next->end;
      }
      const bool is_trial = repeats >= kRepeats &&
                            !OthersCompute(threads, first->begin, first->end);
      if (is_trial) Mark(BeginOfTrial(*first), end);
      i = is_trial ? end : i + 1;
    }
  }

  void MarkCheckedTrials() {
    std::optional<size_t> last;
    for (size_t i = 0; i < works_.size(); ++i) {
      if (!works_[i].checks_trial) continue;
      size_t begin = i;
      if (last && i - *last <= kNearCheck) {
        begin = *last;
      } else {
        const size_t earliest = i - std::min(i, kBeforeCheck);
        for (size_t j = earliest; j < i && begin == i; ++j) {
          if (works_[j].is_fill) begin = j;
        }
      }
      size_t end = i + 1;
      while (end < works_.size() && works_[end].is_copy) ++end;
      Mark(begin, end);
      last = i;
    }
  }

  void MarkPlans() {
    for (size_t i = 0; i < works_.size();) {
      const Work* operation = OperationOf(works_[i]);
      if (operation == nullptr) {
        ++i;
        continue;
      }
      Plans plans;        // by their kernels
      Plans timed_plans;  // some of one library run the same kernel
      size_t events = 0;
      size_t runs = 0;
      size_t last = i;
      size_t end = i;
      for (; end < works_.size(); ++end) {
        if (works_[end].records_event) {
          ++events;
          continue;
        }
        if (works_[end].is_fill) continue;
        const Work* next = OperationOf(works_[end]);
        if (next == nullptr || !SameOperation(*operation, *next)) break;
        plans.Add(works_[end].exact);
        timed_plans.Add(works_[end].plan != 0 ? works_[end].plan
                                              : works_[end].exact);
        last = end;
        ++runs;
      }
      // Two events a plan, which may have run before to warm up.
      const bool timed =
          events + 1 >= runs && timed_plans.count() >= kTimedPlans;
      if (timed || plans.count() >= kPlans) Mark(i, last);
      i = last + 1;
    }
  }

 private:
  // A fill, an event, kernels, an event: [begin, end).
  struct Cycle {
    size_t begin;
    size_t end;
    bool Equals(const Cycle& other, std::span<const HostWork> works) const {
      return std::equal(works.begin() + static_cast<ptrdiff_t>(begin),
                        works.begin() + static_cast<ptrdiff_t>(end),
                        works.begin() + static_cast<ptrdiff_t>(other.begin),
                        works.begin() + static_cast<ptrdiff_t>(other.end),
                        [](const HostWork& a, const HostWork& b) {
                          return a.records_event == b.records_event &&
                                 a.exact == b.exact;
                        });
    }
  };

  std::optional<Cycle> CycleAt(size_t i) const {
    if (i + 3 >= works_.size() || !works_[i].clears_cache ||
        !works_[i + 1].records_event) {
      return std::nullopt;
    }
    size_t end = i + 2;
    while (end < works_.size() && !works_[end].records_event) {
      if (works_[end].replays_graph) return std::nullopt;
      ++end;
    }
    const size_t kernels = end - (i + 2);
    if (end == works_.size() || kernels == 0 || kernels > kFewKernels) {
      return std::nullopt;
    }
    return Cycle{i, end + 1};
  }

  // The same calls, untimed, warm up and estimate the trial's length.
  size_t BeginOfTrial(const Cycle& cycle) const {
    std::set<uint64_t> kinds;
    for (size_t i = cycle.begin; i < cycle.end; ++i) {
      kinds.insert(works_[i].exact);
    }
    size_t begin = cycle.begin;
    while (begin > 0 && (works_[begin - 1].records_event ||
                         kinds.contains(works_[begin - 1].exact))) {
      --begin;
    }
    return begin;
  }

  // Of a library call. The kernels of an imported operator are parts of it,
  // not implementations.
  const Work* OperationOf(const HostWork& host_work) const {
    if (!host_work.work.known() || host_work.replays_graph) return nullptr;
    const Work& work = attribution_.works[host_work.work.value()];
    const bool is_told =
        attribution_.KindOf(work).leading.kind != opmodel::OpKind::kUnknown;
    return work.call.known() && is_told ? &work : nullptr;
  }

  bool SameOperation(const Work& a, const Work& b) const {
    if (a.kind == b.kind) return true;
    const opmodel::Operation& of_a = attribution_.KindOf(a).leading;
    const opmodel::Operation& of_b = attribution_.KindOf(b).leading;
    return of_a.kind == of_b.kind && of_a.dims == of_b.dims &&
           of_a.storage == of_b.storage;
  }

  bool OthersCompute(std::span<const std::vector<HostWork>> threads,
                     size_t begin, size_t end) const {
    const auto begin_of = [this](const HostWork& work) {
      return process_.calls[work.call].begin_ns;
    };
    const int64_t from = begin_of(works_[begin]);
    const int64_t to = begin_of(works_[end - 1]);
    for (const std::vector<HostWork>& works : threads) {
      if (works.data() == works_.data()) continue;
      auto at = std::lower_bound(works.begin(), works.end(), from,
                                 [&](const HostWork& work, int64_t ns) {
                                   return begin_of(work) < ns;
                                 });
      for (; at != works.end() && begin_of(*at) < to; ++at) {
        if (!at->records_event) return true;
      }
    }
    return false;
  }

  void Mark(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) is_trial_[works_[i].call] = true;
  }

  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::span<const HostWork> works_;
  std::vector<bool>& is_trial_;  // per call
};

// Whether kernels run again and again besides `trials` and `repeats`. Copies,
// fills and random numbers only make the data of a benchmark.
bool ElseRepeats(std::span<const std::vector<HostWork>> threads,
                 const std::vector<bool>& trials,
                 const std::vector<bool>& repeats) {
  absl::flat_hash_map<uint64_t, size_t> times;
  for (const std::vector<HostWork>& works : threads) {
    for (const HostWork& work : works) {
      const bool computes =
          !work.records_event && !work.is_copy && !work.is_fill && !work.draws;
      if (!computes || trials[work.call] || repeats[work.call]) continue;
      if (++times[work.exact] >= kRepeats) return true;
    }
  }
  return false;
}

// The calls of `process` that are trials.
std::vector<bool> TrialCalls(const TraceModel& model, const Process& process,
                             const ProcessAttribution& attribution) {
  const auto threads = HostWorkByThread(model, process, attribution);
  std::vector<bool> trials(process.calls.size());
  std::vector<bool> repeats(process.calls.size());
  for (const std::vector<HostWork>& works : threads) {
    ThreadPass(process, attribution, works, repeats).MarkTimedRepeats(threads);
    ThreadPass marks(process, attribution, works, trials);
    marks.MarkCheckedTrials();
    marks.MarkPlans();
    MarkTimedPlans(process, works, trials);
  }
  if (!ElseRepeats(threads, trials, repeats)) return trials;
  for (size_t i = 0; i < trials.size(); ++i) {
    trials[i] = trials[i] || repeats[i];
  }
  return trials;
}

}  // namespace

void MarkTrials(const TraceModel& model, const Process& process,
                ProcessAttribution& attribution) {
  const std::vector<bool> is_trial = TrialCalls(model, process, attribution);
  const auto submitted_by_trial = [&](const Attributed& activity) {
    return activity.submitted_by.known() &&
           is_trial[activity.submitted_by.value()];
  };
  const bool all =
      std::none_of(attribution.activities.begin(), attribution.activities.end(),
                   [&](const Attributed& activity) {
                     return !IsCopyOrMemset(activity.layer_class) &&
                            !submitted_by_trial(activity);
                   });
  if (all) return;
  for (Attributed& activity : attribution.activities) {
    activity.autotune |= submitted_by_trial(activity);
  }
}

}  // namespace dltap::analyzer
