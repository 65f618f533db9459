// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>

#include "analyzer/metrics/avoidable/extra_passes.h"
#include "analyzer/metrics/avoidable/needless_casts.h"
#include "analyzer/metrics/avoidable/sliced_gradients.h"

// What passes over the layers do that they need not.
namespace dltap::analyzer {
namespace {

constexpr double kWhole = 8e6;  // bytes

TEST(SlicedGradientsTest, EachSliceFillsAndAddsAWholeGradient) {
  SlicedGradients slices;
  for (int i = 0; i < 16; ++i) {
    slices.AddFill(kWhole, 10);
    if (i > 0) slices.AddSum(kWhole, 30, true);
  }
  const SlicedGradients::Sums sums = slices.Take();
  EXPECT_EQ(sums.count, 15);
  EXPECT_DOUBLE_EQ(sums.ns, 16 * 10 + 15 * 30);
  EXPECT_DOUBLE_EQ(sums.worst_ns, 30);
  EXPECT_EQ(slices.Take().count, 0) << "taken";
}

TEST(SlicedGradientsTest, AFewPartsOfManyTensorsAreNoLoop) {
  SlicedGradients slices;
  for (int layer = 0; layer < 12; ++layer) {
    slices.AddFill(kWhole, 10);
    for (int part = 1; part < 3; ++part) {
      slices.AddFill(kWhole, 10);
      slices.AddSum(kWhole, 30, true);
    }
  }
  EXPECT_EQ(slices.Take().ns, 0) << "queries, keys, values";
}

TEST(SlicedGradientsTest, SumsOfOtherSizesOrWithoutZerosAreNone) {
  SlicedGradients slices;
  for (int i = 0; i < 16; ++i) {
    slices.AddFill(kWhole, 10);
    slices.AddSum(2 * kWhole, 30, true);
  }
  for (int i = 0; i < 16; ++i) slices.AddSum(kWhole, 30, true);
  EXPECT_EQ(slices.Take().ns, 0);
}

NeedlessCasts::Cast Cast(size_t name, double bytes) {
  return {.name = TextId(name),
          .stream = StreamId(0),
          .bytes = bytes,
          .ns = 50,
          .is_new = true};
}

TEST(NeedlessCastsTest, ThereAndBackIsAPair) {
  NeedlessCasts casts;
  EXPECT_EQ(casts.AddCast(Cast(1, 6e6)).count, 0);
  const NeedlessCasts::Sums back = casts.AddCast(Cast(2, 6e6));
  EXPECT_EQ(back.count, 2);
  EXPECT_DOUBLE_EQ(back.ns, 100);
  EXPECT_EQ(casts.AddCast(Cast(1, 6e6)).count, 0) << "the pair is over";
}

TEST(NeedlessCastsTest, EqualWeightsAndWhatIsUsedBetweenAreNone) {
  NeedlessCasts casts;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(casts.AddCast(Cast(1, 6e6)).count, 0);
  casts.AddOther();
  EXPECT_EQ(casts.AddCast(Cast(2, 6e6)).count, 0);
  EXPECT_EQ(casts.AddCast(Cast(1, 9e6)).count, 0) << "another tensor";
  casts.AddOther();
  casts.AddCast(Cast(1, 0));
  EXPECT_EQ(casts.AddCast(Cast(2, 6e6)).count, 2) << "as long";
}

// Passes forward over `weights`, then one backward with two products for each
// of `trained`; the sums once the next pass begins.
ExtraPasses::Sums Passes(ExtraPasses& passes, int forward,
                         std::initializer_list<uint64_t> weights,
                         size_t trained) {
  for (int pass = 0; pass < forward; ++pass) {
    for (const uint64_t weight : weights) {
      passes.Add({.product = weight, .ns = 100, .is_new = true});
      passes.Add({.product = 0, .ns = 10, .is_new = true});
    }
  }
  for (size_t i = 0; i < 2 * trained - 1; ++i) {
    passes.AddBackward({.product = 1, .ns = 100, .is_new = true});
  }
  return passes.Add({});
}

TEST(ExtraPassesTest, APassWithoutABackwardOneIsExtra) {
  ExtraPasses passes;
  const ExtraPasses::Sums sums = Passes(passes, 2, {1, 2, 3, 4}, 4);
  EXPECT_EQ(sums.count, 1);
  EXPECT_DOUBLE_EQ(sums.ns, 4 * 110);
  EXPECT_EQ(Passes(passes, 1, {1, 2, 3, 4}, 4).count, 0) << "repaired";
}

TEST(ExtraPassesTest, EqualLayersAreNoPassesOfTheirOwn) {
  ExtraPasses passes;
  EXPECT_EQ(Passes(passes, 1, {1, 1, 1, 1, 1, 1}, 6).count, 0);
  EXPECT_EQ(Passes(passes, 2, {1, 1, 1, 1, 1, 1}, 6).count, 1);
}

TEST(ExtraPassesTest, FrozenLayersTwoViewsAndRolloutsAreNone) {
  ExtraPasses passes;
  EXPECT_EQ(Passes(passes, 1, {1, 2, 3, 4, 5, 6}, 3).count, 0) << "frozen";
  EXPECT_EQ(Passes(passes, 2, {1, 2, 3, 4}, 8).count, 0) << "both are trained";
  EXPECT_EQ(Passes(passes, 20, {1, 2, 3, 4}, 4).count, 0) << "rollouts";
}

}  // namespace
}  // namespace dltap::analyzer
