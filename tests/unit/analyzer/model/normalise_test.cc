// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {
namespace {

TEST(NormaliseTest, EqualBeginsKeepTheirOrderHoweverLateEventsCome) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const int64_t disorder = 1 + static_cast<int64_t>(seed % 50);
    TraceModel model;
    std::vector<Activity>& activities =
        model.processes.emplace_back().activities;
    for (int64_t i = 0; i < 100; ++i) {
      Activity activity{};
      activity.begin_ns = i / 3 + static_cast<int64_t>(random() % disorder);
      activity.end_ns = activity.begin_ns + 1;
      activity.bytes = static_cast<uint64_t>(i);  // where it stood
      activities.push_back(activity);
    }
    std::vector<Activity> expected = activities;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Activity& a, const Activity& b) {
                       return a.begin_ns < b.begin_ns;
                     });
    Normalise(model);
    ASSERT_EQ(activities.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(activities[i].bytes, expected[i].bytes) << seed << " " << i;
    }
  }
}

}  // namespace
}  // namespace dltap::analyzer
