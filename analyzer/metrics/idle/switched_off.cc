// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/switched_off.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {

namespace {

// Of one thread, when it began (1) or stopped (-1) to be in a state. There are
// two to four for each time that it leaves the CPU.
struct Change {
  int64_t at_ns;
  int8_t there = 0;   // between what tells first and last that it lives
  int8_t unseen = 0;  // of this, neither sampled around then nor known
  int8_t known = 0;   // its switches
  int8_t off = 0;
  int8_t preempted = 0;
};

}  // namespace

// How many threads are in each state.
struct ThreadCounts {
  int there = 0;
  int unseen = 0;
  int known = 0;
  int off = 0;
  int preempted = 0;

  void Add(const Change& by) {
    there += by.there;
    unseen += by.unseen;
    known += by.known;
    off += by.off;
    preempted += by.preempted;
  }
};

namespace {

constexpr int64_t kLongAgo = std::numeric_limits<int64_t>::min();
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

constexpr Interval kNoSpan{kNever, kLongAgo};

Interval Hull(Interval a, Interval b) {
  return {std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)};
}

// Of one thread; all in time.
struct ThreadTold {
  Interval calls = kNoSpan;  // from the first one to the last
  std::vector<const CpuSample*> samples;
  std::vector<Interval> known;  // disjoint
  std::vector<OffCpu> off;      // disjoint

  // Records come one after another; damaged ones may overlap, and would count
  // one thread for two.
  void Add(const SwitchesKnown& span) {
    if (known.empty() || known.back().end_ns < span.begin_ns) {
      known.push_back({span.begin_ns, span.end_ns});
    } else {
      known.back().end_ns = std::max(known.back().end_ns, span.end_ns);
    }
  }
  // What lasts over the end of a record goes on with the next one, and is one.
  void Add(OffCpu span) {
    if (!off.empty()) {
      OffCpu& last = off.back();
      if (last.end_ns == span.begin_ns && last.preempted == span.preempted) {
        last.end_ns = std::max(last.end_ns, span.end_ns);
        return;
      }
      span.begin_ns = std::max(span.begin_ns, last.end_ns);
    }
    if (span.begin_ns < span.end_ns) off.push_back(span);
  }
};

// Calls are sorted by thread.
Interval CallsOf(const Process& process, ThreadId thread) {
  const auto calls =
      std::ranges::equal_range(process.calls, thread, {}, &Call::thread);
  return calls.empty() ? kNoSpan
                       : Interval{calls.front().begin_ns, calls.back().end_ns};
}

using ByThread = absl::flat_hash_map<size_t, ThreadTold>;

ByThread TellThreads(const Process& process,
                     const std::vector<ThreadId>& threads) {
  ByThread told;
  for (const ThreadId thread : threads) told.try_emplace(thread.value());
  const auto of = [&told](ThreadId thread) -> ThreadTold* {
    const auto it = thread.known() ? told.find(thread.value()) : told.end();
    return it == told.end() ? nullptr : &it->second;
  };
  for (const CpuSample& sample : process.cpu_samples) {
    if (auto* thread = of(sample.thread)) thread->samples.push_back(&sample);
  }
  for (const SwitchesKnown& known : process.switches_known) {
    if (auto* thread = of(known.thread)) thread->Add(known);
  }
  for (const OffCpu& off : process.off_cpu) {
    if (auto* thread = of(off.thread)) thread->Add(off);
  }
  for (auto& [thread, of_thread] : told) {
    of_thread.calls = CallsOf(process, ThreadId(thread));
  }
  return told;
}

// From the first sample to the last one at which the thread had run since the
// one before: what follows may be a look at a thread that has ended, as is the
// only one of a thread that is said to have never run. The first two and the
// last two also tell of as much time before and after them.
Interval SampledSpan(const ThreadTold& thread) {
  std::vector<const CpuSample*> grown;
  for (const CpuSample* sample : thread.samples) {
    if (grown.empty() || sample->cpu_time_ns > grown.back()->cpu_time_ns) {
      grown.push_back(sample);
    }
  }
  if (grown.empty() || grown.back()->cpu_time_ns == 0) return kNoSpan;
  Interval span{grown.front()->at_ns, grown.back()->at_ns};
  if (grown.size() > 1) {
    span.begin_ns -= grown[1]->at_ns - grown.front()->at_ns;
    span.end_ns += grown.back()->at_ns - grown[grown.size() - 2]->at_ns;
  }
  return span;
}

class Changes {
 public:
  void AddThread(const ThreadTold& thread) {
    changes_.reserve(changes_.size() + 6 + 4 * thread.known.size() +
                     4 * thread.off.size());
    const Interval sampled = SampledSpan(thread);
    Interval there = Hull(thread.calls, sampled);
    for (const Interval& known : thread.known) {
      Add({.at_ns = known.begin_ns, .known = 1}, known.end_ns);
      there = Hull(there, known);
    }
    Add({.at_ns = there.begin_ns, .there = 1}, there.end_ns);
    AddUnseen(thread,
              {there.begin_ns, std::min(sampled.begin_ns, there.end_ns)});
    AddUnseen(thread, {std::max(sampled.end_ns, there.begin_ns), there.end_ns});
    AddOff(thread);
  }

  std::vector<Change> InOrder() {
    std::ranges::sort(changes_, {}, &Change::at_ns);
    return std::move(changes_);
  }

 private:
  void Add(const Change& begin, int64_t end_ns) {
    if (begin.at_ns >= end_ns) return;
    const auto minus = [](int8_t by) { return static_cast<int8_t>(-by); };
    changes_.push_back(begin);
    changes_.push_back({.at_ns = end_ns,
                        .there = minus(begin.there),
                        .unseen = minus(begin.unseen),
                        .known = minus(begin.known),
                        .off = minus(begin.off),
                        .preempted = minus(begin.preempted)});
  }

  // What is neither sampled nor known.
  void AddUnseen(const ThreadTold& thread, Interval span) {
    for (const Interval& known : thread.known) {
      Add({.at_ns = span.begin_ns, .unseen = 1},
          std::min(span.end_ns, known.begin_ns));
      span.begin_ns = std::max(span.begin_ns, known.end_ns);
    }
    Add({.at_ns = span.begin_ns, .unseen = 1}, span.end_ns);
  }

  // The kernel tells when a thread gets a CPU, not when it woke up. What the
  // run delay has grown between two samples beyond the thread's preemptions is
  // how long it waited behind the sleeps that ended meanwhile.
  void AddOff(const ThreadTold& thread) {
    const auto& samples = thread.samples;
    const auto& off = thread.off;
    auto sample = samples.begin();
    for (auto next = off.begin(); next != off.end();) {
      while (sample != samples.end() && (*sample)->at_ns < next->end_ns) {
        ++sample;
      }
      const auto first = next;
      while (next != off.end() &&
             (sample == samples.end() || next->end_ns <= (*sample)->at_ns)) {
        ++next;
      }
      const bool is_between =
          sample != samples.end() && sample != samples.begin();
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

  std::vector<Change> changes_;
};

}  // namespace

SwitchedOff::SwitchedOff(const Process& process,
                         const std::vector<ThreadId>& threads) {
  Changes changes;
  for (auto& [thread, told] : TellThreads(process, threads)) {
    changes.AddThread(std::exchange(told, {}));
  }
  int64_t since_ns = kLongAgo;
  ThreadCounts now;
  for (const Change& change : changes.InOrder()) {
    Add({since_ns, change.at_ns}, StateOf(now));
    since_ns = change.at_ns;
    now.Add(change);
  }
  Add({since_ns, kNever}, StateOf(now));
}

SwitchedOff::State SwitchedOff::StateOf(const ThreadCounts& threads) {
  if (threads.off < threads.known) return State::kRuns;
  if (threads.unseen > 0) return State::kUnseen;
  if (threads.known == 0 || threads.known < threads.there) {
    return State::kUntold;
  }
  return threads.preempted > 0 ? State::kPreempted : State::kAsleep;
}

void SwitchedOff::Add(Interval span, State state) {
  if (state == State::kRuns || span.begin_ns >= span.end_ns) return;
  if (!segments_.empty() && segments_.back().state == state &&
      segments_.back().span.end_ns == span.begin_ns) {
    segments_.back().span.end_ns = span.end_ns;
  } else {
    segments_.push_back({span, state});
  }
}

SwitchedOff::Told SwitchedOff::Split(Interval part, size_t& near) const {
  near = FirstFrom(segments_.size(), near, [&](size_t i) {
    return segments_[i].span.end_ns <= part.begin_ns;
  });
  Told told{.split = {.running_ns = static_cast<double>(part.length_ns())},
            .untold_ns = 0,
            .unseen_ns = 0};
  for (size_t i = near; i < segments_.size(); ++i) {
    const Interval inside{std::max(segments_[i].span.begin_ns, part.begin_ns),
                          std::min(segments_[i].span.end_ns, part.end_ns)};
    const int64_t ns = inside.end_ns - inside.begin_ns;
    if (ns <= 0) break;
    told.split.running_ns -= static_cast<double>(ns);
    switch (segments_[i].state) {
      case State::kUnseen: told.unseen_ns += ns; [[fallthrough]];
      case State::kUntold: told.untold_ns += ns; break;
      case State::kPreempted:
        told.split.preempted_ns += static_cast<double>(ns);
        break;
      default: told.split.blocked_ns += static_cast<double>(ns);
    }
  }
  return told;
}

}  // namespace dltap::analyzer
