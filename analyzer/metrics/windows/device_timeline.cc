// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/device_timeline.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::vector<NotObserved> UnobservedOf(const Process& process, DeviceId device) {
  std::vector<NotObserved> spans;
  for (const NotObserved& span : process.not_observed) {
    if (span.device == device && span.end_ns > span.begin_ns) {
      spans.push_back(span);
    }
  }
  std::sort(spans.begin(), spans.end(),
            [](const NotObserved& a, const NotObserved& b) {
              return a.begin_ns < b.begin_ns;
            });
  return spans;
}

// What runs on one device, as time passes. Activities are sorted by begin, so
// only the ends of those that run need an order.
class Sweep {
 public:
  Sweep(const Process& process, const ProcessAttribution& attribution,
        DeviceId device)
      : process_(process),
        attribution_(attribution),
        device_(device),
        unobserved_(UnobservedOf(process, device)) {
    SkipOthers();
  }

  // When something next begins or ends.
  int64_t NextChange() const {
    int64_t next = ends_.empty() ? kNever : ends_.top().first;
    if (next_ < process_.activities.size()) {
      next = std::min(next, process_.activities[next_].begin_ns);
    }
    if (next_unobserved_ < unobserved_.size()) {
      next = std::min(next, unobserved_[next_unobserved_].begin_ns);
    }
    return next;
  }

  // Afterwards what begins at `at_ns` runs, and what ends then does not.
  void AdvanceTo(int64_t at_ns) {
    for (; next_ < process_.activities.size() &&
           process_.activities[next_].begin_ns <= at_ns;
         ++next_, SkipOthers()) {
      // Before a first window lies what is over.
      if (process_.activities[next_].end_ns > at_ns) Begin(next_);
    }
    for (; next_unobserved_ < unobserved_.size() &&
           unobserved_[next_unobserved_].begin_ns <= at_ns;
         ++next_unobserved_) {
      ++n_unobserved_;
      ends_.emplace(unobserved_[next_unobserved_].end_ns, kNoActivity);
    }
    for (; !ends_.empty() && ends_.top().first <= at_ns; ends_.pop()) {
      End(ends_.top().second);
    }
  }

  Segment Describe(Interval span) {
    for (size_t state = 0; state < begun_.size(); ++state) {
      if (running_[state] == 0) continue;
      DropEnded(begun_[state], span.begin_ns);
      return {span, static_cast<DeviceState>(state), begun_[state].front(),
              classes_};
    }
    const DeviceState state =
        n_unobserved_ > 0 ? DeviceState::kNotObserved : DeviceState::kIdle;
    return {span, state, kNoActivity, classes_};
  }

 private:
  // Activities, the first of which has gone or goes next.
  class Queue {
   public:
    bool empty() const { return first_ == all_.size(); }
    size_t front() const { return all_[first_]; }
    void push(size_t activity) { all_.push_back(activity); }
    void pop() {
      if (++first_ < kMostGone || 2 * first_ < all_.size()) return;
      all_.erase(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(first_));
      first_ = 0;
    }

   private:
    static constexpr size_t kMostGone = 1024;
    std::vector<size_t> all_;
    size_t first_ = 0;
  };

  // To the next activity of this device that takes time.
  void SkipOthers() {
    for (; next_ < process_.activities.size(); ++next_) {
      const Activity& activity = process_.activities[next_];
      if (activity.device == device_ && activity.end_ns > activity.begin_ns) {
        return;
      }
    }
  }

  size_t ClassOf(size_t activity) const {
    return static_cast<size_t>(attribution_.activities[activity].layer_class);
  }

  static size_t StateOfClass(size_t layer_class) {
    return static_cast<size_t>(StateOf(static_cast<LayerClass>(layer_class)));
  }

  void Begin(size_t activity) {
    const size_t layer_class = ClassOf(activity);
    const size_t state = StateOfClass(layer_class);
    ++per_class_[layer_class];
    classes_ |= uint32_t{1} << layer_class;
    ++running_[state];
    DropEnded(begun_[state], process_.activities[activity].begin_ns);
    begun_[state].push(activity);
    ends_.emplace(process_.activities[activity].end_ns, activity);
  }

  void End(size_t activity) {
    if (activity == kNoActivity) {
      --n_unobserved_;
      return;
    }
    const size_t layer_class = ClassOf(activity);
    if (--per_class_[layer_class] == 0) {
      classes_ &= ~(uint32_t{1} << layer_class);
    }
    --running_[StateOfClass(layer_class)];
  }

  void DropEnded(Queue& begun, int64_t at_ns) const {
    while (!begun.empty() &&
           process_.activities[begun.front()].end_ns <= at_ns) {
      begun.pop();
    }
  }

  using EndOf = std::pair<int64_t, size_t>;  // (ns, activity)

  const Process& process_;
  const ProcessAttribution& attribution_;
  const DeviceId device_;
  const std::vector<NotObserved> unobserved_;
  size_t next_ = 0;  // activity
  size_t next_unobserved_ = 0;
  std::priority_queue<EndOf, std::vector<EndOf>, std::greater<>> ends_;
  PerClass<int> per_class_{};
  uint32_t classes_ = 0;  // those above 0
  int n_unobserved_ = 0;
  std::array<int, 3> running_{};  // compute, comm, copy
  std::array<Queue, 3> begun_;    // by begin; some of them may have ended
};

}  // namespace

DeviceState StateOf(LayerClass layer_class) {
  if (layer_class == LayerClass::kComm) return DeviceState::kComm;
  if (IsCopyOrMemset(layer_class)) return DeviceState::kCopy;
  return DeviceState::kCompute;
}

void VisitSegments(const Process& process,
                   const ProcessAttribution& attribution, DeviceId device,
                   const std::vector<StepWindow>& windows,
                   const std::function<void(const Segment&)>& visit) {
  Sweep sweep(process, attribution, device);
  for (const StepWindow& window : windows) {
    int64_t at = window.span.begin_ns;
    sweep.AdvanceTo(at);
    while (at < window.span.end_ns) {
      const int64_t until = std::min(sweep.NextChange(), window.span.end_ns);
      visit(sweep.Describe({at, until}));
      at = until;
      sweep.AdvanceTo(at);
    }
  }
}

void VisitIdle(const Process& process, DeviceId device,
               const std::vector<StepWindow>& windows,
               const std::function<void(Interval span, size_t window)>& visit) {
  const std::vector<NotObserved> unobserved = UnobservedOf(process, device);
  size_t next_unobserved = 0;
  size_t window = 0;
  int64_t busy_until = std::numeric_limits<int64_t>::min();
  // Begins come in order.
  const auto idle_until = [&](int64_t end_ns) {
    while (window < windows.size() &&
           windows[window].span.end_ns <= busy_until) {
      ++window;
    }
    for (size_t w = window;
         w < windows.size() && windows[w].span.begin_ns < end_ns; ++w) {
      const Interval idle = Common(windows[w].span, {busy_until, end_ns});
      if (idle.begin_ns < idle.end_ns) visit(idle, w);
    }
  };
  const auto add = [&](const auto& span) {
    if (span.begin_ns > busy_until) idle_until(span.begin_ns);
    busy_until = std::max(busy_until, span.end_ns);
  };
  for (const Activity& activity : process.activities) {
    if (activity.device != device) continue;
    if (activity.end_ns <= activity.begin_ns) continue;
    while (next_unobserved < unobserved.size() &&
           unobserved[next_unobserved].begin_ns <= activity.begin_ns) {
      add(unobserved[next_unobserved++]);
    }
    add(activity);
  }
  while (next_unobserved < unobserved.size()) {
    add(unobserved[next_unobserved++]);
  }
  idle_until(kNever);
}

}  // namespace dltap::analyzer
