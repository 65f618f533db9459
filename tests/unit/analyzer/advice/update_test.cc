// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/advice/training.h"

// What lies beside a fused update, and batches in parts.
namespace dltap::analyzer {
namespace {

std::string OfLists(const std::string& functor) {
  return "void at::native::multi_tensor_apply_kernel<at::native::"
         "TensorListMetadata<2>, at::native::" +
         functor + " >(int)";
}
const std::string kFused = OfLists("FusedAdamMathFunctor<float, 4>");
const std::string kNorm = OfLists("LpNormFunctor<float, (NormType)1>");
const std::string kScale = OfLists("BinaryOpScalarTensorFunctor<float, 1>");
const std::string kSum = OfLists("BinaryOpListAlphaFunctor<float, 2, 2, 0>");
const std::string kAdamOfLists =
    OfLists("PointwiseOpScalarListFunctor<float, 3>, std::divides<float>");

Training Passes() {
  Training training;
  training.Product(kGemm, 500, kTf32);
  training.InBackward().Product(kGemm, 500, kTf32).OnMainThread();
  return training;
}

// 1000 x 1024 numbers a kernel: 12 bytes each at 0.75 x 3.35 TB/s, 4.9 us.
constexpr double kListedNs = 4.9e3;

TEST(TensorByTensorTest, GradientsThatAreClippedOneByOne) {
  Training training = Passes();
  for (int i = 0; i < 60; ++i) training.Kernel(kNorm, 2).Kernel(kAdd, 8, 1000);
  const AdviceList list = training.Kernel(kFused, 50).Advised();
  const auto advice = Given(list, "tensor_by_tensor");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->why.find("before the optimizer"), std::string::npos);
  EXPECT_EQ(advice->evidence.count, 60);
  EXPECT_NEAR(advice->gain_low_ns, 480e3 - 60 * kListedNs, 3e3);
  EXPECT_NEAR(advice->gain_high_ns, 600e3, 3e3);
  EXPECT_EQ(Given(list, "optimizer"), nullptr);
}

TEST(TensorByTensorTest, GradientsThatAreClippedAtOnceAreLeftAlone) {
  const AdviceList list = Passes()
                              .Kernel(kNorm, 60)
                              .Kernel(kScale, 200)
                              .Kernel(kFused, 50)
                              .Advised();
  EXPECT_TRUE(IsSilent(list));
}

TEST(TensorByTensorTest, WeightsThatAreAveragedOneByOne) {
  for (const std::string& update : {kFused, kAdamOfLists, kSum}) {
    Training training = Passes().Kernel(update, 50);
    for (int i = 0; i < 60; ++i) training.Kernel(kAdd, 8, 1000);
    const AdviceList list = training.Advised();
    const auto advice = Given(list, "tensor_by_tensor");
    ASSERT_NE(advice, nullptr) << update;
    EXPECT_NE(advice->why.find("after the optimizer"), std::string::npos);
    EXPECT_NEAR(advice->gain_low_ns, 480e3 - 60 * kListedNs, 3e3);
    EXPECT_NEAR(advice->gain_high_ns, 480e3, 3e3);
  }
}

// The ascent of SAM, updates inside a formula: no optimizer has them.
TEST(OptimizerTest, WhatFollowsOtherBackwardPassesIsNotItsOwn) {
  for (const std::string& update : {kSum, kAdamOfLists}) {
    Training training = Passes();
    for (int i = 0; i < 60; ++i) training.Kernel(kAdd, 8, 1000);
    training.Product(kGemm, 100, kTf32);
    training.InBackward().Product(kGemm, 100, kTf32).OnMainThread();
    const AdviceList list = training.Kernel(update, 20).Advised();
    EXPECT_EQ(Given(list, "optimizer"), nullptr) << update;
    EXPECT_EQ(Given(list, "tensor_by_tensor"), nullptr) << update;
  }
}

TEST(OptimizerTest, AnAverageOfWeightsIsNotItsOwn) {
  Training training = Passes().Kernel(kSum, 10);
  for (int i = 0; i < 40; ++i) training.Kernel(kAdd, 8, 1000);
  EXPECT_EQ(Given(training.Advised(), "optimizer"), nullptr);
}

TEST(TensorByTensorTest, OfAnUpdateTensorByTensorNothingElseIsTold) {
  Training training = Passes().Kernel(kNorm, 60);
  for (int i = 0; i < 60; ++i) {
    training.Kernel(kAdd, 8, 1000).Kernel(kAddcdiv, 8, 1000);
  }
  const AdviceList list = training.Advised();
  EXPECT_NE(Given(list, "optimizer"), nullptr);
  EXPECT_EQ(Given(list, "tensor_by_tensor"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "tensor_by_tensor"), "");
}

struct Parts {
  int passes = 4;
  bool adds_gradients_up = true;
  std::string other_forward;  // of the last pass
  std::string in_use = "1000000000";
};

// Passes of 40 + 40 us of kernels that write 4 KiB.
std::string InParts(const Parts& parts) {
  Training training;
  const std::string gelu = Vectorized(
      "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)::{lambda(float)"
      "#1}",
      2);
  const std::string back = Vectorized(
      "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&)::"
      "{lambda(float, float)#1}",
      3);
  for (int pass = 0; pass < parts.passes; ++pass) {
    training.OnMainThread();
    for (int i = 0; i < 4; ++i) training.Kernel(gelu, 10);
    if (!parts.other_forward.empty() && pass + 1 == parts.passes) {
      training.Kernel(parts.other_forward, 10);
    }
    training.InBackward();
    for (int i = 0; i < 4; ++i) training.Kernel(back, 10);
    if (parts.adds_gradients_up && pass > 0) training.Kernel(kAdd, 10);
  }
  training.OnMainThread().Kernel(kFused, 5);
  std::string text = training.Text();
  text.insert(text.find('\n'), " memory=85899345920");
  return text + "call t=10..12us thread=0 cudaMalloc devPtr=0x100 size=" +
         parts.in_use + "\n";
}

// 350 us of kernels: as one pass, 80 us, or a quarter of it all.
TEST(MicroBatchesTest, PartsOfABatchWhereMemoryIsFree) {
  const AdviceList list = AdviceOf(InParts({}));
  const auto advice = Given(list, "micro_batches");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->why.find("4 equal passes"), std::string::npos);
  EXPECT_NEAR(advice->gain_low_ns, 0.75 * 350e3, 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 270e3, 2e3);
}

TEST(MicroBatchesTest, NoLargerThanTheMemoryAllows) {
  Parts parts;
  parts.in_use = "34000000000";  // twice as much is 79 %
  const auto advice = Given(AdviceOf(InParts(parts)), "micro_batches");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 0.5 * 350e3, 2e3);
  parts.in_use = "36000000000";
  EXPECT_EQ(Given(AdviceOf(InParts(parts)), "micro_batches"), nullptr);
}

TEST(MicroBatchesTest, OnePassIsLeftAlone) {
  Parts parts;
  parts.passes = 1;
  const AdviceList list = AdviceOf(InParts(parts));
  EXPECT_EQ(Given(list, "micro_batches"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "micro_batches"), "");
}

TEST(MicroBatchesTest, ModelsSideBySideAreNoPartsOfABatch) {
  Parts parts;
  parts.adds_gradients_up = false;
  EXPECT_EQ(Given(AdviceOf(InParts(parts)), "micro_batches"), nullptr);
}

TEST(MicroBatchesTest, PassesThatDifferAreNoPartsOfABatch) {
  Parts parts;
  parts.other_forward = "softmax_warp_forward";
  EXPECT_EQ(Given(AdviceOf(InParts(parts)), "micro_batches"), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
