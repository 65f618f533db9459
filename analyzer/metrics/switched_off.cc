// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/switched_off.h"

#include <algorithm>
#include <limits>

#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

// Of one thread, when it began or stopped to be in a state.
struct Change {
  int64_t at_ns;
  int there = 0;  // between its first sample and its last
  int known = 0;
  int off = 0;
  int preempted = 0;
};

class Changes {
 public:
  explicit Changes(const Process& process) : process_(process) {}

  void AddThread(ThreadId thread) {
    samples_.clear();
    for (const CpuSample& sample : process_.cpu_samples) {
      if (sample.thread == thread) samples_.push_back(&sample);
    }
    int64_t first_ns = std::numeric_limits<int64_t>::max();
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    if (!samples_.empty()) {
      first_ns = samples_.front()->at_ns;
      last_ns = samples_.back()->at_ns;
    }
    for (const SwitchesKnown& known : process_.switches_known) {
      if (known.thread != thread) continue;
      Add({.at_ns = known.begin_ns, .known = 1}, known.end_ns);
      first_ns = std::min(first_ns, known.begin_ns);
      last_ns = std::max(last_ns, known.end_ns);
    }
    if (first_ns < last_ns) Add({.at_ns = first_ns, .there = 1}, last_ns);
    AddOff(thread);
  }

  std::vector<Change> InOrder() {
    std::ranges::sort(changes_, {}, &Change::at_ns);
    return std::move(changes_);
  }

 private:
  void Add(Change begin, int64_t end_ns) {
    if (begin.at_ns >= end_ns) return;
    changes_.push_back(begin);
    changes_.push_back({.at_ns = end_ns,
                        .there = -begin.there,
                        .known = -begin.known,
                        .off = -begin.off,
                        .preempted = -begin.preempted});
  }

  // The kernel tells when a thread gets a CPU, not when it woke up. What the
  // run delay has grown between two samples beyond the thread's preemptions is
  // how long it waited behind the sleeps that ended meanwhile.
  void AddOff(ThreadId thread) {
    off_.clear();
    for (const OffCpu& off : process_.off_cpu) {
      if (off.thread == thread) off_.push_back(off);
    }
    auto sample = samples_.begin();
    for (auto next = off_.begin(); next != off_.end();) {
      while (sample != samples_.end() && (*sample)->at_ns < next->end_ns) {
        ++sample;
      }
      const auto first = next;
      while (next != off_.end() &&
             (sample == samples_.end() || next->end_ns <= (*sample)->at_ns)) {
        ++next;
      }
      const bool is_between =
          sample != samples_.end() && sample != samples_.begin();
      AddBetween(first, next,
                 is_between ? RunDelay(**std::prev(sample), **sample) : 0);
    }
  }
  static int64_t RunDelay(const CpuSample& before, const CpuSample& sample) {
    return before.run_delay_ns && sample.run_delay_ns
               ? *sample.run_delay_ns - *before.run_delay_ns
               : 0;
  }
  template <typename Iterator>
  void AddBetween(Iterator first, Iterator last, int64_t run_delay_ns) {
    int64_t sleeps = 0;
    for (auto off = first; off != last; ++off) {
      if (off->preempted) {
        run_delay_ns -= off->end_ns - off->begin_ns;
      } else {
        ++sleeps;
      }
    }
    const int64_t late_ns =
        sleeps > 0 ? std::max<int64_t>(0, run_delay_ns) / sleeps : 0;
    for (auto off = first; off != last; ++off) {
      const int64_t awake_ns =
          off->preempted ? off->begin_ns
                         : std::max(off->begin_ns, off->end_ns - late_ns);
      Add({.at_ns = off->begin_ns, .off = 1}, off->end_ns);
      Add({.at_ns = awake_ns, .preempted = 1}, off->end_ns);
    }
  }

  const Process& process_;
  std::vector<const CpuSample*> samples_;  // of the thread, as the next
  std::vector<OffCpu> off_;
  std::vector<Change> changes_;
};

template <typename Intervals>
void Extend(Intervals& intervals, Interval span) {
  if (!intervals.empty() && intervals.back().end_ns == span.begin_ns) {
    intervals.back().end_ns = span.end_ns;
  } else {
    intervals.push_back(span);
  }
}

}  // namespace

SwitchedOff::SwitchedOff(const Process& process,
                         const std::vector<ThreadId>& threads) {
  if (process.switches_known.empty()) return;
  Changes changes(process);
  for (const ThreadId thread : threads) changes.AddThread(thread);
  Change now{.at_ns = std::numeric_limits<int64_t>::min()};
  for (const Change& change : changes.InOrder()) {
    const Interval span{now.at_ns, change.at_ns};
    const bool is_known = now.known > 0 && now.known >= now.there;
    if (is_known && span.length_ns() > 0) {
      Extend(known_, span);
      if (now.off >= now.known) off_.push_back({span, now.preempted > 0});
    }
    now = {change.at_ns, now.there + change.there, now.known + change.known,
           now.off + change.off, now.preempted + change.preempted};
  }
}

std::optional<CpuSplit> SwitchedOff::Split(Interval part, size_t& near) const {
  const auto known =
      std::ranges::upper_bound(known_, part.begin_ns, {}, &Interval::begin_ns);
  if (known == known_.begin() || std::prev(known)->end_ns < part.end_ns) {
    return std::nullopt;
  }
  near = FirstFrom(off_.size(), near, [&](size_t i) {
    return off_[i].span.end_ns <= part.begin_ns;
  });
  CpuSplit split{.running_ns = static_cast<double>(part.length_ns())};
  for (size_t i = near; i < off_.size(); ++i) {
    const Interval inside{std::max(off_[i].span.begin_ns, part.begin_ns),
                          std::min(off_[i].span.end_ns, part.end_ns)};
    if (inside.length_ns() <= 0) break;
    const auto ns = static_cast<double>(inside.length_ns());
    split.running_ns -= ns;
    (off_[i].preempted ? split.preempted_ns : split.blocked_ns) += ns;
  }
  return split;
}

}  // namespace dltap::analyzer
