// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/loss_counts.h"

#include "gtest/gtest.h"

namespace dltap::analyzer {
namespace {

TEST(LossCountsTest, LossOfANewerWriterIsSaidByItsNumber) {
  LossCounts counts;
  const size_t known = counts.Rows().size();
  counts.Set(static_cast<trace::LossKind>(55), 3);
  counts.Set(static_cast<trace::LossKind>(56), 0);
  const std::vector<Loss> rows = counts.Rows();
  ASSERT_EQ(rows.size(), known + 1);
  EXPECT_EQ(rows.back().cause, "loss_55");
  EXPECT_EQ(rows.back().count, 3U);
}

}  // namespace
}  // namespace dltap::analyzer
