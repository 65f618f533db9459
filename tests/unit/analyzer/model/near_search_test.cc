// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/near_search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dltap::analyzer {
namespace {

TEST(NearSearchTest, AnyNearPlaceGivesTheSameAnswer) {
  for (size_t n = 0; n < 40; ++n) {
    for (size_t first = 0; first <= n; ++first) {
      for (size_t near = 0; near < n + 3; ++near) {
        EXPECT_EQ(first,
                  FirstFrom(n, near, [&](size_t i) { return i < first; }));
      }
    }
  }
}

TEST(NearSearchTest, FewPlacesAreLookedAtCloseBy) {
  constexpr size_t kMany = 1 << 20;
  for (const size_t first : {size_t{0}, size_t{77'777}, kMany - 1, kMany}) {
    for (const size_t near : {first, first + 1, first + 3}) {
      size_t looked = 0;
      FirstFrom(kMany, near, [&](size_t i) {
        ++looked;
        return i < first;
      });
      EXPECT_LE(looked, 6);
    }
  }
}

}  // namespace
}  // namespace dltap::analyzer
