// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/device_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace dltap::analyzer {
namespace {

constexpr LayerClass kClasses[] = {LayerClass::kGemm, LayerClass::kComm,
                                   LayerClass::kCopyH2d, LayerClass::kNorm};

struct Case {
  Process process;
  ProcessAttribution attribution;
  std::vector<StepWindow> windows;
};

// Short spans at small times: many begin and end together, or have no length.
Case RandomCase(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % n);
  };
  Case c;
  for (int i = 0; i < 30; ++i) {
    Activity activity{};
    activity.begin_ns = below(60);
    activity.end_ns = activity.begin_ns + below(12);
    activity.device = DeviceId(below(2));
    c.process.activities.push_back(activity);
  }
  std::sort(
      c.process.activities.begin(), c.process.activities.end(),
      [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  for (int i = 0; i < 30; ++i) {
    Attributed attributed;
    attributed.layer_class = kClasses[below(4)];
    c.attribution.activities.push_back(attributed);
  }
  for (int i = 0; i < 3; ++i) {
    const int64_t begin = below(70);
    c.process.not_observed.push_back({DeviceId(below(2)), begin,
                                      begin + below(9),
                                      NotObservedCause::kDropped});
  }
  for (int64_t at = below(10); at < 90;) {
    const int64_t end = at + 1 + below(30);
    c.windows.push_back({{at, end}, c.windows.size()});
    at = end + below(2) * below(10);
  }
  return c;
}

// What runs at an instant, by looking at everything.
struct Instant {
  DeviceState state = DeviceState::kIdle;
  size_t leading = kNoActivity;
  uint32_t classes = 0;
};

DeviceState StateOf(LayerClass layer_class) {
  if (layer_class == LayerClass::kComm) return DeviceState::kComm;
  return IsCopyOrMemset(layer_class) ? DeviceState::kCopy
                                     : DeviceState::kCompute;
}

Instant At(const Case& c, int64_t at_ns) {
  Instant now;
  for (const NotObserved& span : c.process.not_observed) {
    if (span.device == DeviceId(0) && span.begin_ns <= at_ns &&
        at_ns < span.end_ns) {
      now.state = DeviceState::kNotObserved;
    }
  }
  for (size_t i = 0; i < c.process.activities.size(); ++i) {
    const Activity& activity = c.process.activities[i];
    if (activity.device != DeviceId(0) || activity.begin_ns > at_ns ||
        at_ns >= activity.end_ns) {
      continue;
    }
    const LayerClass layer_class = c.attribution.activities[i].layer_class;
    now.classes |= uint32_t{1} << static_cast<size_t>(layer_class);
    if (now.leading != kNoActivity && StateOf(layer_class) >= now.state) {
      continue;
    }
    now.state = StateOf(layer_class);
    now.leading = i;
  }
  return now;
}

TEST(DeviceTimelineTest, SweepSaysWhatRunsAtEachInstant) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Case c = RandomCase(seed);
    int64_t visited_ns = 0;
    VisitSegments(c.process, c.attribution, DeviceId(0), c.windows,
                  [&](const Segment& segment) {
                    ASSERT_LT(segment.span.begin_ns, segment.span.end_ns);
                    visited_ns += segment.span.length_ns();
                    for (int64_t at = segment.span.begin_ns;
                         at < segment.span.end_ns; ++at) {
                      const Instant now = At(c, at);
                      ASSERT_EQ(segment.state, now.state) << seed << " " << at;
                      ASSERT_EQ(segment.leading, now.leading);
                      ASSERT_EQ(segment.classes, now.classes);
                    }
                  });
    int64_t windows_ns = 0;
    for (const StepWindow& w : c.windows) windows_ns += w.span.length_ns();
    EXPECT_EQ(visited_ns, windows_ns) << seed;
  }
}

TEST(DeviceTimelineTest, IdleSpansAreTheIdleSegments) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Case c = RandomCase(seed);
    using Idle = std::tuple<int64_t, int64_t, size_t>;
    std::vector<Idle> segments;
    VisitSegments(
        c.process, c.attribution, DeviceId(0), c.windows,
        [&](const Segment& segment) {
          if (segment.state != DeviceState::kIdle) return;
          size_t window = 0;
          while (c.windows[window].span.end_ns <= segment.span.begin_ns) {
            ++window;
          }
          segments.emplace_back(segment.span.begin_ns, segment.span.end_ns,
                                window);
        });
    std::vector<Idle> spans;
    VisitIdle(c.process, DeviceId(0), c.windows,
              [&](Interval span, size_t window) {
                spans.emplace_back(span.begin_ns, span.end_ns, window);
              });
    EXPECT_EQ(spans, segments) << seed;
  }
}

}  // namespace
}  // namespace dltap::analyzer
