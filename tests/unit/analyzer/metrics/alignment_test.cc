// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/alignment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dltap::analyzer {
namespace {

TEST(AlignmentTest, PairsStayInOrderAndTakeTheEarliest) {
  const std::string a = "xabyabz";
  const std::string b = "ab";
  EXPECT_EQ(Align(a.size(), b.size(),
                  [&](size_t i, size_t j) { return a[i] == b[j] ? 1 : 0; }),
            (std::vector<size_t>{1, 2}));
  EXPECT_EQ(Align(2, 2, [](size_t i, size_t j) { return i != j ? 1 : 0; }),
            (std::vector<size_t>{kNotAligned, 0}));
}

TEST(AlignmentTest, AnElementMayHaveMorePartnersForLess) {
  const auto score = [](size_t i, size_t j) {
    return i == 0 && j == 1 ? 2 : 0;
  };
  const auto again = [](size_t i, size_t) { return i == 0 ? 1 : 0; };
  EXPECT_EQ(Align(2, 4, score, again),
            (std::vector<size_t>{kNotAligned, 0, 0, 0}));
  const auto end = [](size_t i, size_t j) { return i + 2 == j ? 3 : 0; };
  EXPECT_EQ(Align(2, 4, end, again),
            (std::vector<size_t>{kNotAligned, kNotAligned, 0, 1}));
}

TEST(AlignmentTest, WhatHasNoOwnMayHaveSeveralAll) {
  const auto none = [](size_t, size_t) { return 0; };
  const auto again = [](size_t i, size_t j) { return i * 2 == j ? 1 : 0; };
  EXPECT_EQ(Align(2, 3, none, again), (std::vector<size_t>{0, kNotAligned, 1}));
  const auto all = [](size_t i, size_t) { return i == 1 ? 1 : 0; };
  EXPECT_EQ(Align(2, 3, none, all), (std::vector<size_t>{1, 1, 1}));
}

}  // namespace
}  // namespace dltap::analyzer
