// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/nearly_sorted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace dltap::analyzer {
namespace {

using Event = std::pair<int, int>;  // time, number: equal times keep in order

bool IsBefore(const Event& a, const Event& b) { return a.first < b.first; }

std::vector<Event> Numbered(const std::vector<int>& times) {
  std::vector<Event> events;
  for (const int time : times) {
    events.emplace_back(time, static_cast<int>(events.size()));
  }
  return events;
}

void ExpectAsStableSort(const std::vector<int>& times) {
  std::vector<Event> expected = Numbered(times);
  std::stable_sort(expected.begin(), expected.end(), IsBefore);
  std::vector<Event> events = Numbered(times);
  SortNearlySorted(events, IsBefore);
  EXPECT_EQ(events, expected);
}

TEST(NearlySortedTest, NothingAndOneAreSorted) {
  ExpectAsStableSort({});
  ExpectAsStableSort({7});
}

TEST(NearlySortedTest, OneStreamBehindAnotherWithAFewThatAreLaterStill) {
  std::vector<int> times;
  for (int i = 0; i < 1000; ++i) {
    times.push_back(i + 300);
    times.push_back(i);
    if (i % 2 == 0) times.push_back(i);
    if (i % 100 == 50) times.push_back(i - 45);
  }
  ExpectAsStableSort(times);
}

TEST(NearlySortedTest, BackwardsIsSortedToo) {
  std::vector<int> times;
  for (int i = 5000; i > 0; --i) times.push_back(i / 3);
  ExpectAsStableSort(times);
}

TEST(NearlySortedTest, AnyOrderIsSortedAsAStableSortDoes) {
  std::mt19937 random(1);
  for (int n = 0; n < 200; ++n) {
    std::vector<int> times;
    const int most = 1 + static_cast<int>(random() % 300);
    const int noise = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < most; ++i) {
      times.push_back(i / 2 + static_cast<int>(random() % noise));
    }
    ExpectAsStableSort(times);
  }
}

}  // namespace
}  // namespace dltap::analyzer
