// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/pointer_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

namespace dltap::shim {
namespace {

TEST(PointerMapTest, FindsWhatWasInsertedUntilItIsErased) {
  static PointerMap<1, 4> map;
  EXPECT_EQ(map.Find(0x1000), 0u);
  EXPECT_TRUE(map.Insert(0x1000, 7));
  EXPECT_TRUE(map.Insert(0x1000, 8));
  EXPECT_EQ(map.Find(0x1000), 8u);
  EXPECT_EQ(map.Erase(0x1000), 8u);
  EXPECT_EQ(map.Find(0x1000), 0u);
  EXPECT_EQ(map.Erase(0x1000), 0u);
}

TEST(PointerMapTest, RefusesNullAndMarkers) {
  static PointerMap<0, 4> map;
  EXPECT_FALSE(map.Insert(0, 1));
  EXPECT_FALSE(map.Insert(1, 1));
  EXPECT_FALSE(map.Insert(0x1000, 0));
}

// Programs pass null where cuDNN refuses it.
TEST(PointerMapTest, NothingIsFoundForNullAndMarkersAfterErasing) {
  static PointerMap<0, 4> map;
  for (uint64_t key = 0x1000; key < 0x1010; ++key) {
    EXPECT_TRUE(map.Insert(key, 7));
  }
  for (uint64_t key = 0x1000; key < 0x1010; ++key) {
    EXPECT_EQ(map.Erase(key), 7u);
    EXPECT_EQ(map.Find(0), 0u);
    EXPECT_EQ(map.Find(1), 0u);
  }
}

TEST(PointerMapTest, SaysWhenItIsFull) {
  static PointerMap<0, 4> map;
  for (uint64_t i = 0; i < 16; ++i) EXPECT_TRUE(map.Insert(0x1000 + i, 1));
  EXPECT_FALSE(map.Insert(0x2000, 1));
  EXPECT_TRUE(map.Insert(0x1000, 2));
  EXPECT_EQ(map.Find(0x1000), 2u);
}

// Addresses are reused at once: long runs of insert and erase must not fill
// the table with tombstones, nor hide a live key.
TEST(PointerMapTest, BehavesLikeAMapUnderChurn) {
  static PointerMap<1, 6> map;
  std::map<uint64_t, uint64_t> model;
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t key = 0x7f0000000000 + 16 * (random() % 80);
    if (random() % 2 == 0) {
      const uint64_t value = 1 + random() % 1000;
      ASSERT_TRUE(map.Insert(key, value));
      model[key] = value;
    } else {
      const auto found = model.find(key);
      ASSERT_EQ(map.Erase(key), found == model.end() ? 0 : found->second);
      if (found != model.end()) model.erase(found);
    }
  }
  for (uint64_t i = 0; i < 80; ++i) {
    const uint64_t key = 0x7f0000000000 + 16 * i;
    const auto found = model.find(key);
    EXPECT_EQ(map.Find(key), found == model.end() ? 0 : found->second);
  }
}

TEST(PointerMapTest, ReadersNeverSeeAnotherKeysValue) {
  static PointerMap<0, 6> map;
  std::atomic<bool> stop{false};
  ASSERT_TRUE(map.Insert(0x5000, 0x5000));
  std::thread writer([&] {
    for (uint64_t i = 0; i < 300'000; ++i) {
      const uint64_t key = 0x1000 + 16 * (i % 40);
      map.Insert(key, key);
      map.Erase(key);
    }
    stop = true;
  });
  uint64_t missing = 0;
  while (!stop) missing += map.Find(0x5000) != 0x5000;
  writer.join();
  EXPECT_EQ(missing, 0u);
}

}  // namespace
}  // namespace dltap::shim
