// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/switched_off.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

// How many threads are in a state, or by how many they have changed.
template <typename Count>
struct States {
  Count there = 0;  // between its first sample and its last
  Count known = 0;
  Count off = 0;
  Count preempted = 0;
};

// Of one thread, when it began or stopped to be in a state. There are two to
// four for each time that it leaves the CPU.
struct Change {
  int64_t at_ns;
  States<int8_t> by;
};

// Of one thread; all in time.
struct ThreadTold {
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

// By thread.
using Told = absl::flat_hash_map<size_t, ThreadTold>;

Told TellThreads(const Process& process, const std::vector<ThreadId>& threads) {
  Told told;
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
  return told;
}

class Changes {
 public:
  void AddThread(const ThreadTold& thread) {
    changes_.reserve(changes_.size() + 2 + 2 * thread.known.size() +
                     4 * thread.off.size());
    int64_t first_ns = std::numeric_limits<int64_t>::max();
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    if (!thread.samples.empty()) {
      first_ns = thread.samples.front()->at_ns;
      last_ns = thread.samples.back()->at_ns;
    }
    for (const Interval& known : thread.known) {
      Add(known.begin_ns, known.end_ns, {.known = 1});
      first_ns = std::min(first_ns, known.begin_ns);
      last_ns = std::max(last_ns, known.end_ns);
    }
    Add(first_ns, last_ns, {.there = 1});
    AddOff(thread);
  }

  std::vector<Change> InOrder() {
    std::ranges::sort(changes_, {}, &Change::at_ns);
    return std::move(changes_);
  }

 private:
  void Add(int64_t begin_ns, int64_t end_ns, States<int8_t> in) {
    if (begin_ns >= end_ns) return;
    changes_.push_back({begin_ns, in});
    const auto minus = [](int8_t count) { return static_cast<int8_t>(-count); };
    changes_.push_back({end_ns,
                        {.there = minus(in.there),
                         .known = minus(in.known),
                         .off = minus(in.off),
                         .preempted = minus(in.preempted)}});
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
      Add(off->begin_ns, off->end_ns, {.off = 1});
      Add(awake_ns, off->end_ns, {.preempted = 1});
    }
  }

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
  Changes changes;
  for (auto& [thread, told] : TellThreads(process, threads)) {
    changes.AddThread(std::exchange(told, {}));
  }
  int64_t since_ns = std::numeric_limits<int64_t>::min();
  States<int> now;
  for (const auto& [at_ns, by] : changes.InOrder()) {
    const Interval span{since_ns, at_ns};
    const bool is_known = now.known > 0 && now.known >= now.there;
    if (is_known && span.length_ns() > 0) {
      Extend(known_, span);
      if (now.off >= now.known) off_.push_back({span, now.preempted > 0});
    }
    since_ns = at_ns;
    now = {now.there + by.there, now.known + by.known, now.off + by.off,
           now.preempted + by.preempted};
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
