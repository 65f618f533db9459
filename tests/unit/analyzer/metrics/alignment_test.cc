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

}  // namespace
}  // namespace dltap::analyzer
