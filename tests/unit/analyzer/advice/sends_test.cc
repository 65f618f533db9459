// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/unit/analyzer/advice/training.h"

// Rules about what ranks send each other, and convolutions of single samples,
// each on steps with the bug and on their repaired twin.
namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;

constexpr int kLayers = 4;
constexpr int kPasses = 3;
constexpr char kFusedSgd[] =
    "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata"
    "<2>, at::native::FusedSgdMathFunctor<float, 2> >(int)";
constexpr char kRing[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";

struct Sent {
  bool in_each_pass = true;
  bool forward = false;
  int64_t elements = 4 * 4096 * 4096;  // of the weights
};

std::string AllReduce(int64_t elements) {
  return absl::StrCat(
      "ncclAllReduce sendbuff=0x70000000 recvbuff=0x70000000 datatype=7 op=0 "
      "count=",
      elements);
}

Training PassesOf(const Sent& sent) {
  Training training;
  for (int pass = 0; pass < kPasses; ++pass) {
    training.OnMainThread();
    for (int i = 0; i < kLayers; ++i) {
      training.Product(absl::StrCat(kGemm, " A=", 1000 + i), 300, kTf32);
    }
    if (sent.forward) training.Product(AllReduce(sent.elements), 400, kRing);
    training.InBackward();
    for (int i = 0; i < 2 * kLayers; ++i) training.Product(kGemm, 300, kTf32);
    for (int i = 0; pass > 0 && i < kLayers; ++i) training.Kernel(kAdd, 20);
    if (sent.in_each_pass || pass + 1 == kPasses) {
      training.Product(AllReduce(sent.elements), 400, kRing);
    }
  }
  training.OnMainThread().Kernel(kFusedSgd, 50);
  return training;
}

TEST(SendsTest, GradientsThatPassesAddUpAreSentOnce) {
  const AdviceList list = PassesOf({}).Advised();
  const auto advice = Given(list, "gradient_sends");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "gradient_sends");
  EXPECT_DOUBLE_EQ(advice->evidence.count, kPasses);
  EXPECT_NEAR(advice->gain_low_ns, (kPasses - 1) * 400e3, 5e3);
  EXPECT_NEAR(advice->gain_high_ns, (kPasses - 1) * 400e3, 5e3);
  EXPECT_THAT(advice->act, HasSubstr("no_sync"));
  EXPECT_EQ(list.given.front().id, "gradient_sends");
}

TEST(SendsTest, GradientsThatAreSentOnceAreLeftAlone) {
  const AdviceList list = PassesOf({.in_each_pass = false}).Advised();
  EXPECT_EQ(Given(list, "gradient_sends"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "gradient_sends"), "");
}

TEST(SendsTest, PartsOfTensorsAreSentInEachPass) {
  EXPECT_EQ(Given(PassesOf({.forward = true}).Advised(), "gradient_sends"),
            nullptr);
}

TEST(SendsTest, StatisticsOfABatchAreNoGradients) {
  EXPECT_EQ(Given(PassesOf({.elements = 1024}).Advised(), "gradient_sends"),
            nullptr);
}

Training Copying(const std::string& from) {
  Training training;
  training.Product(kGemm, 300, kTf32).InBackward();
  training.Product(kGemm, 300, kTf32).Product(kGemm, 300, kTf32);
  training.Product(AllReduce(1 << 20), 100, kRing);
  for (int i = 0; i < 8; ++i) training.Copy(30, " src=" + from);
  training.OnMainThread().Kernel(kFusedSgd, 50);
  return training;
}

TEST(SendsTest, GradientsNeedNotBeCopiedOutOfWhatRanksReduce) {
  const AdviceList list = Copying("0x70000100").Advised();
  const auto advice = Given(list, "bucket_copies");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "bucket_copies");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 8);
  EXPECT_NEAR(advice->gain_low_ns, 0.5 * 8 * 30e3, 5e3);
  EXPECT_NEAR(advice->gain_high_ns, 8 * 30e3, 5e3);
  EXPECT_EQ(Given(list, "copies"), nullptr);
}

TEST(SendsTest, OtherCopiesAreOfNoBucket) {
  const AdviceList list = Copying("0x90000000").Advised();
  EXPECT_EQ(Given(list, "bucket_copies"), nullptr);
  EXPECT_EQ(Given(list, "copies"), nullptr);  // autograd's
}

constexpr char kUnfold[] =
    "void at::native::im2col_kernel<c10::BFloat16>(long, c10::BFloat16 "
    "const*)";
constexpr char kFold[] =
    "void at::native::col2im_kernel<c10::BFloat16, float>(long, c10::BFloat16 "
    "const*)";
// 2.4 GFLOP: 2.4 us at 989 TFLOP/s.
constexpr char kSample[] =
    "cublasGemmEx m=4096 n=128 k=1152 Atype=14 Btype=14 Ctype=14 "
    "computeType=68";

Training Convolving(int samples) {
  Training training;
  for (int i = 0; i < samples; ++i) {
    training.Kernel(kUnfold, 40).Product(kSample, 50, kTf32);
  }
  training.Kernel(kAdd, 20).InBackward();
  for (int i = 0; i < samples; ++i) {
    training.Product(kSample, 50, kTf32).Kernel(kFold, 40);
  }
  training.OnMainThread().Kernel(kFusedSgd, 50);
  return training;
}

TEST(UnfoldedConvolutionsTest, SamplesAreConvolvedAtOnce) {
  const AdviceList list = Convolving(8).Advised();
  const auto advice = Given(list, "unfolded_convolutions");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "unfolded_convolutions");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 16);
  // At worst 0.4 of the patches' time stays, and products at 0.35 of the peak.
  EXPECT_NEAR(advice->gain_low_ns, 16 * (0.6 * 40e3 + 50e3 - 1221 / 0.35),
              10e3);
  EXPECT_NEAR(advice->gain_high_ns, 16 * (90e3 - 1221), 10e3);
}

TEST(UnfoldedConvolutionsTest, WhatAModelUnfoldsItselfIsLeftAlone) {
  const AdviceList list = Convolving(1).Advised();
  EXPECT_EQ(Given(list, "unfolded_convolutions"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "unfolded_convolutions"), "");
}

}  // namespace
}  // namespace dltap::analyzer
