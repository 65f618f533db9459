// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/join/correlation_map.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLast = ~uint64_t{0};

void ExpectKept(const std::vector<uint64_t>& ids) {
  CorrelationMap<uint64_t> map;
  for (const uint64_t id : ids) map.Announce(id);
  map.Prepare();
  for (const uint64_t id : ids) map[id] = id + 1;
  for (const uint64_t id : ids) {
    ASSERT_NE(map.Find(id), nullptr) << id;
    EXPECT_EQ(*map.Find(id), id + 1);
  }
}

TEST(CorrelationMapTest, KeepsWhatIsPutUnderAnyId) {
  ExpectKept({7, 8, 9, 12});
  ExpectKept({0, 1ull << 40, (1ull << 40) + 1});  // no id beside large ones
  ExpectKept({1, kLast});                         // a hostile hole
  ExpectKept({kLast});
  ExpectKept({});
}

// The begin of a run and a slice far behind it.
TEST(CorrelationMapTest, KeepsPartsThatLieFarApart) {
  std::vector<uint64_t> ids;
  for (const uint64_t first : {1ull, 5'000'000ull, 1ull << 33}) {
    for (uint64_t i = 0; i < 3'000; ++i) ids.push_back(first + i);
  }
  ExpectKept(ids);
}

TEST(CorrelationMapTest, AnIdThatNobodyAnnouncedIsNotFound) {
  CorrelationMap<uint64_t> map;
  EXPECT_EQ(map.Find(3), nullptr);
  map.Announce(5);
  map.Announce(6);
  map.Prepare();
  EXPECT_EQ(map.Find(4), nullptr);
  EXPECT_EQ(map.Find(7), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
