// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "shim/specs/words.h"

namespace dltap::specs {
namespace {

template <typename Enum>
class WordsTest : public ::testing::Test {};

using Enums =
    ::testing::Types<Library, Role, Kind, ArgKind, LayerClass, Direction,
                     CopyKind, OpKind, RnnCell, DType, Dim>;
TYPED_TEST_SUITE(WordsTest, Enums);

TYPED_TEST(WordsTest, EveryNameFindsItsEnumerator) {
  std::set<std::string_view> names;
  for (int i = 0; i < Words<TypeParam>::kCount; ++i) {
    const std::string_view name = Words<TypeParam>::kNames[i];
    EXPECT_TRUE(names.insert(name).second) << name;
    if (name.empty()) continue;
    EXPECT_EQ(FromName<TypeParam>(name), static_cast<TypeParam>(i));
    EXPECT_EQ(Name(static_cast<TypeParam>(i)), name);
  }
}

TYPED_TEST(WordsTest, WhatIsNoWordIsUnknown) {
  EXPECT_EQ(FromName<TypeParam>("no_such_word"), std::nullopt);
  EXPECT_EQ(FromName<TypeParam>(""), std::nullopt);
  EXPECT_EQ(Name(static_cast<TypeParam>(255)), "unknown");
}

TEST(VocabularyTest, TypesOfVendorsAreRead) {
  EXPECT_EQ(DTypeOfCuda(14), DType::kBf16);
  EXPECT_EQ(DTypeOfCudnn(9), DType::kBf16);
  EXPECT_EQ(DTypeOfNccl(9), DType::kBf16);
  EXPECT_EQ(DTypeOfCublasCompute(77), DType::kTf32);
  EXPECT_EQ(DTypeOfCuda(-1), DType::kUnknown);
}

TEST(VocabularyTest, MeaningOfADimensionIsItsNumberAndABase) {
  EXPECT_EQ(static_cast<int>(Meaning::kDimHeadDimV),
            kFirstDimMeaning + static_cast<int>(Dim::kHeadDimV));
}

}  // namespace
}  // namespace dltap::specs
