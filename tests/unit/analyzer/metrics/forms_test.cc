// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "analyzer/metrics/avoidable/gradient_checks.h"
#include "analyzer/metrics/avoidable/many_tables.h"
#include "analyzer/metrics/avoidable/one_hot.h"
#include "analyzer/metrics/avoidable/pass_uploads.h"
#include "analyzer/metrics/avoidable/repeated_tokens.h"
#include "analyzer/metrics/avoidable/unused_gradients.h"
#include "analyzer/metrics/avoidable/wide_logits.h"
#include "analyzer/metrics/avoidable/zeroed_gradients.h"

// Forms of programs that cost more than another one of the same meaning.
namespace dltap::analyzer {
namespace {

using opmodel::Dim;

TEST(GradientChecksTest, AComparisonAndWhetherAnyHoldsIsACheck) {
  using Kernel = GradientChecks::Kernel;
  GradientChecks checks;
  EXPECT_EQ(checks.Add(Kernel::kComparison, 10, true).count, 0);
  const GradientChecks::Sums sums = checks.Add(Kernel::kAny, 5, true);
  EXPECT_EQ(sums.count, 1);
  EXPECT_DOUBLE_EQ(sums.ns, 15);
  EXPECT_EQ(checks.Add(Kernel::kAny, 5, true).count, 0) << "of what?";
  checks.Add(Kernel::kComparison, 10, true);
  checks.Add(Kernel::kOther, 10, true);
  EXPECT_EQ(checks.Add(Kernel::kAny, 5, true).count, 0) << "of another";
}

constexpr double kWeight = 8e6;  // bytes

ZeroedGradients::Sums AfterZeros(int fills, int additions) {
  ZeroedGradients zeroed;
  for (int i = 0; i < fills; ++i) zeroed.AddZeros(kWeight, 10, true);
  zeroed.AddOther();
  for (int i = 0; i < additions; ++i) zeroed.AddSum(kWeight, 30);
  return zeroed.Take();
}

TEST(ZeroedGradientsTest, ZerosThatAreAddedToAreGradients) {
  // Two additions more are of something else.
  const ZeroedGradients::Sums sums = AfterZeros(12, 14);
  EXPECT_EQ(sums.count, 12);
  EXPECT_DOUBLE_EQ(sums.zeros_ns, 12 * 10);
  EXPECT_DOUBLE_EQ(sums.additions_ns, 12 * 30);
}

TEST(ZeroedGradientsTest, ZerosThatNothingIsAddedToAreNoGradients) {
  EXPECT_EQ(AfterZeros(12, 11).count, 0);
}

TEST(ZeroedGradientsTest, AFewInARowAreTensorsOfALayer) {
  EXPECT_EQ(AfterZeros(7, 7).count, 0);
}

TEST(ZeroedGradientsTest, ListsMustBeAddedToAsLongAsThatTakes) {
  ZeroedGradients zeroed;
  zeroed.AddZeroedList(100, true);
  zeroed.AddSum(kWeight, 140);
  EXPECT_EQ(zeroed.Take().count, 0) << "read twice, written once";
  zeroed.AddZeroedList(100, true);
  zeroed.AddSum(kWeight, 300);
  zeroed.AddSum(kWeight, 300);
  const ZeroedGradients::Sums sums = zeroed.Take();
  EXPECT_EQ(sums.count, 1);
  EXPECT_DOUBLE_EQ(sums.zeros_ns, 100);
  EXPECT_DOUBLE_EQ(sums.additions_ns, 400) << "four times the zeros at most";
}

TEST(ManyTablesTest, LookupsInARowAreMostlyLatency) {
  ManyTables tables;
  for (int i = 0; i < 10; ++i) tables.AddLookup(2000, true);
  tables.AddProduct();
  for (int i = 0; i < 20; ++i) tables.AddBackward(2500, i % 2 == 1, true);
  const ManyTables::Sums sums = tables.Take();
  EXPECT_EQ(sums.count, 10);
  EXPECT_DOUBLE_EQ(sums.ns, 10 * 2000 + 20 * 2500);
  EXPECT_DOUBLE_EQ(sums.latency_ns, 0.9 * 30 * 1500) << "but for one table";
  EXPECT_EQ(tables.Take().count, 0) << "taken";
}

TEST(ManyTablesTest, RowsOfATensorThatIsNoTableAreTakenAlike) {
  ManyTables tables;
  for (int i = 0; i < 10; ++i) tables.AddLookup(2000, true);
  EXPECT_EQ(tables.Take().ns, 0);
}

TEST(ManyTablesTest, OneTablesGradientTakesManyKernels) {
  ManyTables tables;
  for (int i = 0; i < 40; ++i) tables.AddBackward(2500, i == 38, true);
  EXPECT_EQ(tables.Take().count, 0);
}

TEST(ManyTablesTest, LookupsBetweenProductsAreOfADecoder) {
  ManyTables tables;
  for (int i = 0; i < 10; ++i) {
    tables.AddLookup(2000, true);
    tables.AddProduct();
  }
  for (int i = 0; i < 10; ++i) {
    tables.AddBackward(2000, true, true);
    tables.AddProduct();
  }
  EXPECT_EQ(tables.Take().count, 0);
}

opmodel::Operation Gemm(int64_t m, int64_t n, int64_t k) {
  opmodel::Operation op;
  op[Dim::kM] = m;
  op[Dim::kN] = n;
  op[Dim::kK] = k;
  return op;
}

constexpr int64_t kTokens = 8192, kRows = 16384, kWidth = 1024;
constexpr double kIndices = 8.0 * kTokens * kRows;  // bytes

TEST(OneHotTest, ZerosAScatterACastAndAProductOfAsMuchTakeRowsOfATable) {
  OneHot one_hot;
  one_hot.AddFill(kIndices, {300, true});
  one_hot.AddScatter({2, true});
  one_hot.AddCast({400, true});
  const auto looked_up =
      one_hot.AddProduct(Gemm(kWidth, kTokens, kRows), {350, true}, false);
  ASSERT_TRUE(looked_up);
  EXPECT_DOUBLE_EQ(looked_up->ns, 300 + 2 + 400 + 350);
  EXPECT_FALSE(looked_up->of_table);
  const auto gradient =
      one_hot.AddProduct(Gemm(kWidth, kRows, kTokens), {340, true}, true);
  ASSERT_TRUE(gradient);
  EXPECT_DOUBLE_EQ(gradient->ns, 340);
  EXPECT_TRUE(gradient->of_table);
}

TEST(OneHotTest, ProductsOfOtherSizesOrWithoutAScatterAreNone) {
  OneHot one_hot;
  one_hot.AddFill(kIndices, {300, true});
  one_hot.AddScatter({2, true});
  one_hot.AddCast({400, true});
  EXPECT_FALSE(
      one_hot.AddProduct(Gemm(kWidth, kTokens, kWidth), {9, true}, false));
  one_hot.AddFill(kIndices, {300, true});
  one_hot.AddCast({400, true});
  EXPECT_FALSE(
      one_hot.AddProduct(Gemm(kWidth, kTokens, kRows), {9, true}, false));
  EXPECT_FALSE(
      one_hot.AddProduct(Gemm(kWidth, kRows, kTokens), {9, true}, true))
      << "no table";
}

TEST(WideLogitsTest, ACastBetweenAProductAndASoftmaxIsOfLogits) {
  using Kernel = WideLogits::Kernel;
  WideLogits logits;
  logits.Add(Kernel::kProduct, 900, true);
  logits.Add(Kernel::kCast, 100, true);
  const WideLogits::Sums forward = logits.Add(Kernel::kSoftmax, 280, true);
  EXPECT_EQ(forward.count, 1);
  EXPECT_DOUBLE_EQ(forward.casts_ns, 100);
  EXPECT_DOUBLE_EQ(forward.softmax_ns, 280);
  logits.Add(Kernel::kSoftmaxGradient, 350, true);
  const WideLogits::Sums backward = logits.Add(Kernel::kCast, 110, true);
  EXPECT_EQ(backward.count, 1);
  EXPECT_DOUBLE_EQ(backward.casts_ns, 110);
  EXPECT_DOUBLE_EQ(backward.softmax_ns, 350);
}

TEST(WideLogitsTest, ASoftmaxOfWhatIsWideAnywayIsLeftAlone) {
  using Kernel = WideLogits::Kernel;
  WideLogits logits;
  logits.Add(Kernel::kProduct, 900, true);
  EXPECT_EQ(logits.Add(Kernel::kSoftmax, 280, true).count, 0);
  logits.Add(Kernel::kSoftmaxGradient, 350, true);
  EXPECT_EQ(logits.Add(Kernel::kCast, 110, true).count, 0);
}

// Eight frozen layers and two that are trained, of a million elements in two
// bytes each.
class UnusedGradientsTest : public testing::Test {
 protected:
  UnusedGradients gradients_{{.bytes_per_ns = 1000, .cache_bytes = 1e6}};

  void RunPass(int layers = 10) {
    for (int i = 1; i <= layers; ++i) gradients_.AddForward(100 + i, 1e6);
    for (int i = 1; i <= layers; ++i) {
      gradients_.AddWeightGradient({1e6, 2, 500, true});
    }
  }
};

TEST_F(UnusedGradientsTest, AShortUpdateCannotHaveReadThemAll) {
  RunPass();
  // At 1.25 of the memory's speed a third is gradients: 5 MB of 20.
  gradients_.AddUpdate(12'000, false);
  const UnusedGradients::Sums sums = gradients_.Take();
  EXPECT_EQ(sums.count, 10);
  EXPECT_DOUBLE_EQ(sums.ns, 5000);
  EXPECT_DOUBLE_EQ(sums.least_ns, 0.75 * 5000);
}

TEST_F(UnusedGradientsTest, AdamMovesMoreForEachGradient) {
  RunPass();
  gradients_.AddUpdate(28'000, true);
  EXPECT_DOUBLE_EQ(gradients_.Take().least_ns, 0.75 * 5000);
}

TEST_F(UnusedGradientsTest, AnUpdateOfAllWeightsIsLongEnough) {
  RunPass();
  gradients_.AddUpdate(48'000, false);
  EXPECT_EQ(gradients_.Take().count, 0);
}

TEST_F(UnusedGradientsTest, OtherRanksOrTheHostMayUseThem) {
  RunPass();
  gradients_.AddOtherUse();
  gradients_.AddUpdate(12'000, false);
  EXPECT_EQ(gradients_.Take().count, 0);
}

TEST_F(UnusedGradientsTest, SeveralPassesAddTheirsUp) {
  RunPass();
  RunPass();
  gradients_.AddUpdate(12'000, false);
  EXPECT_EQ(gradients_.Take().count, 0);
}

TEST_F(UnusedGradientsTest, AWeightInALoopHasOneGradient) {
  for (int i = 0; i < 10; ++i) gradients_.AddForward(101, 1e6);
  for (int i = 0; i < 10; ++i) {
    gradients_.AddWeightGradient({1e6, 2, 500, true});
  }
  gradients_.AddUpdate(4800, false);
  EXPECT_EQ(gradients_.Take().count, 0) << "2 MB of gradients";
}

// One product a token, 80 us for 1000 rows; reading its weights takes 1 us.
RepeatedTokens::Sums Decoding(RepeatedTokens& tokens, int64_t rows) {
  tokens.AddProduct({.weights = 1,
                     .rows = rows,
                     .ns = 80.0 * static_cast<double>(rows),
                     .weights_ns = 1000,
                     .is_new = true});
  return tokens.Take();
}

TEST(RepeatedTokensTest, RowsThatGrowByAsManyAreThoseOfBefore) {
  RepeatedTokens tokens;
  for (const int64_t rows : {900, 920, 940}) {
    EXPECT_EQ(Decoding(tokens, rows).count, 0);
  }
  const RepeatedTokens::Sums sums = Decoding(tokens, 960);
  EXPECT_EQ(sums.count, 1);
  EXPECT_DOUBLE_EQ(sums.ns, 76'800);
  EXPECT_DOUBLE_EQ(sums.best_ns, 1600);
  EXPECT_DOUBLE_EQ(sums.worst_ns, 5000);
  EXPECT_EQ(Decoding(tokens, 900).count, 0) << "another prompt";
}

TEST(RepeatedTokensTest, BatchesOfAnyLengthAreNoTokens) {
  RepeatedTokens tokens;
  for (const int64_t rows : {900, 920, 960, 1010, 1020, 1020, 1020, 1020}) {
    EXPECT_EQ(Decoding(tokens, rows).count, 0);
  }
}

TEST(RepeatedTokensTest, LongerSequencesAreTrainedOn) {
  RepeatedTokens tokens;
  for (int64_t rows = 900; rows < 1200; rows += 20) {
    tokens.AddBackward();
    EXPECT_EQ(Decoding(tokens, rows).count, 0);
  }
}

TEST(PassUploadsTest, WhatIsCopiedBetweenLayersIsMadeForThem) {
  PassUploads uploads;
  uploads.AddUpload(800, 50, true);  // the batch
  for (uint64_t layer = 1; layer <= 4; ++layer) {
    uploads.AddProduct(layer);
    uploads.AddUpload(60, 10, true);
    uploads.AddUpload(40, 20, true);
  }
  uploads.AddBackward();  // the last one's may be anything
  const PassUploads::Sums sums = uploads.Take();
  EXPECT_EQ(sums.count, 3) << "times";
  EXPECT_DOUBLE_EQ(sums.ns, 90);
}

TEST(PassUploadsTest, WhatIsCopiedBetweenPassesIsTheirBatch) {
  PassUploads uploads;
  for (int pass = 0; pass < 6; ++pass) {
    uploads.AddUpload(800, 50, true);
    uploads.AddProduct(1);
    uploads.AddProduct(2);
    if (pass % 2 == 0) continue;
    uploads.AddUpload(800, 50, true);  // behind the last layer
    uploads.AddBackward();
  }
  EXPECT_EQ(uploads.Take().count, 0);
}

// Observations, the next ones, rewards.
TEST(PassUploadsTest, NetsThatAreAskedInTurnHaveAnInputEach) {
  PassUploads uploads;
  uint64_t net = 0;
  uploads.AddProduct(++net);
  for (const uint64_t bytes : {800, 800, 4, 16}) {
    uploads.AddUpload(bytes, 50, true);
    uploads.AddProduct(++net);
  }
  EXPECT_EQ(uploads.Take().count, 0);
}

}  // namespace
}  // namespace dltap::analyzer
