// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/plausible_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

namespace dltap::simgpu {
namespace {

template <typename T>
std::array<T, 4096> Filled(NumberType type, uint64_t seed = 1) {
  std::array<T, 4096> numbers;
  std::memset(numbers.data(), 0xff, sizeof(numbers));
  FillPlausible(std::as_writable_bytes(std::span(numbers)), type, seed);
  return numbers;
}

TEST(PlausibleValuesTest, RealNumbersLieBetweenZeroAndOneWithoutEither) {
  for (const float x : Filled<float>(NumberType::kFloat32)) {
    EXPECT_TRUE(x > 0 && x < 1) << x;
  }
  for (const double x : Filled<double>(NumberType::kFloat64)) {
    EXPECT_TRUE(x > 0 && x < 1) << x;
  }
  for (const _Float16 x : Filled<_Float16>(NumberType::kFloat16)) {
    const auto wide = static_cast<double>(x);
    EXPECT_TRUE(wide > 0 && wide < 1) << wide;
  }
  for (const uint16_t bits : Filled<uint16_t>(NumberType::kBfloat16)) {
    EXPECT_TRUE(bits > 0 && bits < 0x3f80) << bits;  // 1 is 0x3f80
  }
}

TEST(PlausibleValuesTest, TheyAreOthersForEachPlaceAndSeed) {
  const auto first = Filled<double>(NumberType::kFloat64);
  EXPECT_GT(std::set<double>(first.begin(), first.end()).size(), 4000);
  EXPECT_EQ(first, Filled<double>(NumberType::kFloat64));
  EXPECT_NE(first, Filled<double>(NumberType::kFloat64, 2));
}

TEST(PlausibleValuesTest, TruthValuesAreBothAndNothingElse) {
  const auto bits = Filled<uint8_t>(NumberType::kBool);
  EXPECT_EQ(std::set<uint8_t>(bits.begin(), bits.end()),
            (std::set<uint8_t>{0, 1}));
}

TEST(PlausibleValuesTest, WhatMayBeAnIndexIsZero) {
  for (const NumberType type : {NumberType::kInteger, NumberType::kUnknown}) {
    const auto integers = Filled<int64_t>(type);
    EXPECT_EQ(std::set<int64_t>(integers.begin(), integers.end()),
              std::set<int64_t>{0});
  }
  std::array<std::byte, 7> odd{};
  odd.fill(std::byte{0xff});
  FillPlausible(odd, NumberType::kFloat32, 1);
  EXPECT_EQ(odd, (std::array<std::byte, 7>{}));
}

}  // namespace
}  // namespace dltap::simgpu
