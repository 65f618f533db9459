// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_names.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(RankNamesTest, NeighboursAreAStretchInWhateverOrderTheyCome) {
  EXPECT_EQ(RankNames({3}), "rank 3");
  EXPECT_EQ(RankNames({4, 3}), "ranks 3, 4");
  EXPECT_EQ(RankNames({40, 9, 8, 11, 10}), "ranks 8 to 11, 40");
}

TEST(RankNamesTest, ManyStretchesAreCountedNotLost) {
  EXPECT_EQ(RankNames({0, 2, 4, 6, 8, 10, 12, 13, 14}),
            "ranks 0, 2, 4, 6, 8, 10 and 3 more");
}

}  // namespace
}  // namespace dltap::analyzer
