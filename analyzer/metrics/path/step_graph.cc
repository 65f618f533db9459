// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/step_graph.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/near_search.h"
#include "analyzer/model/nearly_sorted.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// Of work that waited for nothing known; begins minus it don't overflow.
constexpr int64_t kNeverReadyNs = std::numeric_limits<int64_t>::min() / 2;

// Work that ended this shortly before other work began may have held it up.
constexpr int64_t kCloseNs = 5'000;

// Of a launch that has to wait for a place in the queue, and of the queue.
constexpr int64_t kLongLaunchNs = 50'000;
constexpr ptrdiff_t kFullQueue = 500;

// Times that are mostly equal: their median, from some thousand of them.
class TypicalTime {
 public:
  void Add(int64_t ns) {
    if (times_.size() < 4096) times_.push_back(ns);
  }
  int64_t ns() {
    if (times_.empty()) return 0;
    const auto middle = times_.begin() + times_.size() / 2;
    std::nth_element(times_.begin(), middle, times_.end());
    return *middle;
  }

 private:
  std::vector<int64_t> times_;
};

// All work by its end, to find what ended last before some time. Most runs
// never ask, so it is put in order for the first question.
class WorkByEnd {
 public:
  explicit WorkByEnd(const Process& process) : process_(process) {}

  // kNoWork: none. Questions mostly come in time.
  uint32_t LastUntil(int64_t at_ns) {
    if (by_end_.empty()) Sort();
    near_ = FirstFrom(by_end_.size(), near_,
                      [&](size_t i) { return by_end_[i].first <= at_ns; });
    return near_ == 0 ? kNoWork : by_end_[near_ - 1].second;
  }

 private:
  void Sort() {
    by_end_.reserve(process_.activities.size());
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      by_end_.emplace_back(process_.activities[i].end_ns,
                           static_cast<uint32_t>(i));
    }
    SortNearlySorted(by_end_, std::less<>());
  }

  const Process& process_;
  std::vector<std::pair<int64_t, uint32_t>> by_end_;
  size_t near_ = 0;
};

class GraphMaker {
  using Dependencies = std::vector<Dependency>::const_iterator;

 public:
  GraphMaker(const TraceModel& model, const Process& process,
             const ProcessAttribution& attribution, const HostView& host)
      : model_(model),
        process_(process),
        attribution_(attribution),
        host_(host),
        order_(OrderOf(model, process, attribution)),
        by_end_(process) {
    out_.lines = HostLines(host, process.end_ns);
    if (host.main_feeder() != Feeders::kNoFeeder) {
      out_.main_line = static_cast<uint32_t>(host.main_feeder());
    }
  }

  StepGraph Run(GraphUse use) {
    out_.works.resize(process_.activities.size());
    PlaceWorks(use);
    AddWaits();
    AddFullQueues();
    if (use == GraphUse::kReplay) FinishForReplay();
    return std::move(out_);
  }

 private:
  const Activity& ActivityOf(uint32_t work) const {
    return process_.activities[work];
  }

  // Each piece of work with its submission, with what it comes after, and with
  // what it waited for.
  void PlaceWorks(GraphUse use) {
    std::vector<uint32_t> near(out_.lines.size());
    std::vector<uint32_t> last(process_.streams.size(), kNoWork);
    auto dependency = order_.dependencies.begin();
    for (uint32_t i = 0; i < out_.works.size(); ++i) {
      PlaceSubmission(i, use, near);
      FindBefore(i, last, dependency);
      FindBound(i);
      if (use != GraphUse::kReplay) continue;
      WorkNode& work = out_.works[i];
      work.first_before = static_cast<uint32_t>(out_.before.size());
      for (const uint32_t on : before_) {
        out_.before.push_back(
            {on, ActivityOf(i).begin_ns - ActivityOf(on).end_ns});
      }
      work.last_before = static_cast<uint32_t>(out_.before.size());
    }
  }

  // `near`: the parts of the lines that the last submissions lay in. Only a
  // replay asks for them.
  void PlaceSubmission(uint32_t i, GraphUse use, std::vector<uint32_t>& near) {
    const CallId call = attribution_.activities[i].submitted_by;
    if (!call.known()) return;
    const size_t feeder =
        host_.feeders().OfThread(process_.calls[call.value()].thread);
    const int64_t at_ns =
        std::min(order_.submitted_ns[i], process_.activities[i].begin_ns);
    const HostLine& line = out_.lines[feeder];
    if (!line.HasBegunBy(at_ns)) return;
    WorkNode& work = out_.works[i];
    work.line = static_cast<uint32_t>(feeder);
    work.submitted_ns = at_ns;
    if (use != GraphUse::kReplay) return;
    work.part = near[feeder] = line.PartAt(at_ns, near[feeder]);
  }

  // What stands before it in its stream, and what the calls say. `last` of each
  // stream; `dependency`, the next one, keeps its place.
  void FindBefore(uint32_t i, std::vector<uint32_t>& last,
                  Dependencies& dependency) {
    before_.clear();
    const Activity& activity = process_.activities[i];
    if (activity.stream.known()) {
      uint32_t& previous = last[activity.stream.value()];
      if (previous != kNoWork) before_.push_back(previous);
      if (previous == kNoWork ||
          ActivityOf(previous).end_ns <= activity.end_ns) {
        previous = i;
      }
    }
    for (; dependency != order_.dependencies.end() && dependency->work == i;
         ++dependency) {
      if (dependency->on < i &&
          ActivityOf(dependency->on).end_ns <= activity.begin_ns) {
        before_.push_back(dependency->on);
      }
    }
  }

  // What was ready last; where that leaves a long time, what ended right
  // before on the same device: it held the SMs or the copy engine.
  void FindBound(uint32_t i) {
    WorkNode& work = out_.works[i];
    const int64_t begin_ns = process_.activities[i].begin_ns;
    work.ready_ns = work.submission_known() ? work.submitted_ns : kNeverReadyNs;
    for (const uint32_t on : before_) Consider(work, on, begin_ns);
    if (work.ready_ns >= begin_ns - kMaxLagNs) return;
    const uint32_t held_by = by_end_.LastUntil(begin_ns);
    if (held_by != kNoWork && held_by < i &&
        ActivityOf(held_by).device == process_.activities[i].device &&
        ActivityOf(held_by).end_ns >= begin_ns - kCloseNs) {
      before_.push_back(held_by);
      Consider(work, held_by, begin_ns);
    }
  }

  void Consider(WorkNode& work, uint32_t on, int64_t begin_ns) const {
    const int64_t end_ns = std::min(ActivityOf(on).end_ns, begin_ns);
    if (end_ns < work.ready_ns) return;
    work.ready_ns = end_ns;
    work.bound_by = on;
  }

  // What was ready earlier than it had to be would have been in time at the
  // usual distance; so would what waited for something that is not known.
  void LimitLags() {
    TypicalTime launch;
    TypicalTime between;
    for (uint32_t i = 0; i < out_.works.size(); ++i) {
      const WorkNode& work = out_.works[i];
      const int64_t lag_ns = process_.activities[i].begin_ns - work.ready_ns;
      if (work.ready_ns == kNeverReadyNs || lag_ns > kMaxLagNs) {
        continue;
      }
      (work.bound_by == kNoWork ? launch : between).Add(lag_ns);
    }
    const int64_t launch_ns = launch.ns();
    const int64_t between_ns = between.ns();
    for (uint32_t i = 0; i < out_.works.size(); ++i) {
      WorkNode& work = out_.works[i];
      const bool explained =
          process_.activities[i].begin_ns - work.ready_ns <= kMaxLagNs;
      work.launch_lag_ns = process_.activities[i].begin_ns - work.submitted_ns;
      if (!explained || work.bound_by != kNoWork) {
        work.launch_lag_ns = std::min(work.launch_lag_ns, launch_ns);
      }
      for (uint32_t b = work.first_before; b < work.last_before; ++b) {
        Before& before = out_.before[b];
        if (explained && before.on == work.bound_by) continue;
        before.lag_ns = std::min(before.lag_ns, between_ns);
      }
    }
  }

  void FinishForReplay() {
    LimitLags();
    for (HostLine& line : out_.lines) line.KeepShares();
  }

  void AddWaits() {
    absl::flat_hash_map<size_t, std::vector<uint32_t>> named;  // by call
    for (const WaitTarget& target : order_.targets) {
      named[target.call.value()].push_back(target.on);
    }
    for (size_t f = 0; f < out_.lines.size(); ++f) {
      for (const Wait& wait : host_.Of(f).timeline.waits) {
        const auto found = named.find(wait.call.value());
        AddWait(wait, found == named.end() ? nullptr : &found->second,
                out_.lines[f]);
      }
    }
  }

  // What the host waited for: the targets that the call names, if they were
  // over when it returned; of a call that names none, what was.
  void AddWait(const Wait& wait, const std::vector<uint32_t>* named,
               HostLine& line) {
    const uint32_t at = line.PartAt(wait.span.end_ns - 1);
    if (at == HostLine::kNoPart) return;
    HostPart& part = line.parts[at];
    if (wait.pageable) {
      if (part.does != HostDoes::kLaunch || named == nullptr) return;
      const int64_t end_ns = ActivityOf(named->front()).end_ns;
      if (end_ns > part.span.end_ns) return;
      part.does = HostDoes::kWait;
      part.copies = part.span.end_ns - end_ns > HostPart::kMaxReturnNs;
    }
    if (part.does != HostDoes::kWait) return;
    part.only_waits =
        !part.copies && (wait.pageable || wait.queries || OnlyWaits(wait.call));
    part.first_target = static_cast<uint32_t>(out_.targets.size());
    if (named != nullptr) {
      for (const uint32_t on : *named) AddTarget(part, on);
    } else if (const uint32_t on = by_end_.LastUntil(part.span.end_ns);
               on != kNoWork) {
      AddTarget(part, on);
    }
    part.last_target = static_cast<uint32_t>(out_.targets.size());
  }

  // A driver takes about a thousand launches ahead of the device; then the
  // next one does not return before some work is over.
  void AddFullQueues() {
    if (!AnyLongLaunch()) return;
    std::vector<int64_t> submitted;
    std::vector<int64_t> begun;
    for (uint32_t i = 0; i < out_.works.size(); ++i) {
      if (!out_.works[i].submission_known()) continue;
      submitted.push_back(out_.works[i].submitted_ns);
      begun.push_back(process_.activities[i].begin_ns);
    }
    SortNearlySorted(submitted, std::less<>());
    const auto before = [](const std::vector<int64_t>& times, int64_t at_ns) {
      return std::lower_bound(times.begin(), times.end(), at_ns) -
             times.begin();
    };
    for (HostLine& line : out_.lines) {
      for (HostPart& part : line.parts) {
        if (!IsLongLaunch(part)) continue;
        const int64_t at_ns = part.span.begin_ns;
        if (before(submitted, at_ns) - before(begun, at_ns) < kFullQueue) {
          continue;
        }
        const uint32_t on = by_end_.LastUntil(part.span.end_ns);
        if (on == kNoWork || ActivityOf(on).end_ns <= at_ns) continue;
        part.does = HostDoes::kWait;
        part.first_target = static_cast<uint32_t>(out_.targets.size());
        out_.targets.push_back(on);
        part.last_target = static_cast<uint32_t>(out_.targets.size());
      }
    }
  }

  static bool IsLongLaunch(const HostPart& part) {
    return part.does == HostDoes::kLaunch &&
           part.span.length_ns() >= kLongLaunchNs;
  }

  bool AnyLongLaunch() const {
    return std::ranges::any_of(out_.lines, [](const HostLine& line) {
      return std::ranges::any_of(line.parts, IsLongLaunch);
    });
  }

  // An allocation, which may wait too, takes time of its own.
  bool OnlyWaits(CallId call) const {
    const Call& waiting = process_.calls[call.value()];
    const auto* info = model_.entry_points[waiting.entry.value()].info;
    return info != nullptr && (info->kind == specs::Kind::kSync ||
                               info->kind == specs::Kind::kMemcpy);
  }

  void AddTarget(const HostPart& part, uint32_t on) {
    const int64_t end_ns = ActivityOf(on).end_ns;
    if (end_ns > part.span.end_ns) return;
    out_.targets.push_back(on);
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const HostView& host_;
  const DeviceOrder order_;
  WorkByEnd by_end_;
  std::vector<uint32_t> before_;  // of the work that is being placed
  StepGraph out_;
};

}  // namespace

StepGraph GraphOf(const TraceModel& model, const Process& process,
                  const ProcessAttribution& attribution, const HostView& host,
                  GraphUse use) {
  return GraphMaker(model, process, attribution, host).Run(use);
}

}  // namespace dltap::analyzer
