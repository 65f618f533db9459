// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/site_definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace dltap::shim {
namespace {

// What lies behind a definition in a scratch.
struct Neighbour {
  SiteDefinition site;
  uint8_t bytes[4096];
};

class SiteDefinitionTest : public ::testing::Test {
 protected:
  SiteDefinitionTest() : place_(std::make_unique<Neighbour>()) {
    std::fill(std::begin(place_->bytes), std::end(place_->bytes), 0xAB);
    place_->site.Begin(trace::SiteKind::kPython);
  }
  uint16_t String(size_t length) {
    std::string text = std::to_string(++count_);
    text.resize(length, 'x');
    return place_->site.String(text.data(), static_cast<uint32_t>(text.size()));
  }
  bool NeighbourIsWhole() const {
    return std::all_of(std::begin(place_->bytes), std::end(place_->bytes),
                       [](uint8_t byte) { return byte == 0xAB; });
  }

  std::unique_ptr<Neighbour> place_;
  int count_ = 0;
};

TEST_F(SiteDefinitionTest, EqualStringsHaveOneNumber) {
  const uint16_t first = place_->site.String("one", 3);
  EXPECT_NE(first, 0);
  EXPECT_EQ(place_->site.String("one", 3), first);
  EXPECT_NE(place_->site.String("on", 2), first);
}

// 14 KiB hold 27 strings of 512 bytes, with their lengths, and one of 400.
TEST_F(SiteDefinitionTest, WhatExactlyFillsItLeavesNoRoom) {
  for (int i = 0; i < 27; ++i) EXPECT_NE(String(512), 0);
  EXPECT_EQ(String(401), 0);
  EXPECT_NE(String(400), 0);
  EXPECT_EQ(String(512), 0);
  EXPECT_EQ(String(1), 0);
  EXPECT_TRUE(NeighbourIsWhole());
}

TEST_F(SiteDefinitionTest, ARestTooSmallForALengthTakesNothing) {
  for (int i = 0; i < 27; ++i) EXPECT_NE(String(512), 0);
  EXPECT_NE(String(398), 0);
  EXPECT_EQ(String(512), 0);
  EXPECT_TRUE(NeighbourIsWhole());
}

}  // namespace
}  // namespace dltap::shim
