// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/advice/advice_of_text.h"
#include "tests/unit/analyzer/advice/training.h"

namespace dltap::analyzer {
namespace {

// Steps of two copies from GPU memory to GPU memory and a product.
AdviceList Copying(int us, const std::string& framework = "torch 2.11.0") {
  const std::string text =
      Training().Copy(us).Copy(us).Product(kGemm, 500, kTf32).Text();
  return AdviceOf("process pid=1 framework=\"" + framework + "\"\n" + text);
}

TEST(GpuCopiesTest, CopiesAreToBeViews) {
  const AdviceList list = Copying(200);
  const auto advice = Given(list, "copies");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "copies");
  EXPECT_NE(advice->act.find(".contiguous()"), std::string::npos);
  EXPECT_EQ(advice->layer_class, LayerClass::kCopyD2d);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 2);
  EXPECT_EQ(advice->evidence.steps_seen, advice->evidence.steps);
  // Half of them may be wanted.
  EXPECT_NEAR(advice->gain_low_ns, 200e3, 4e3);
  EXPECT_NEAR(advice->gain_high_ns, 400e3, 4e3);
}

TEST(GpuCopiesTest, ShortCopiesAreLeftAlone) {
  const AdviceList list = Copying(10);
  EXPECT_EQ(Given(list, "copies"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "copies"), "");
}

// What a sort works on, or gradients that are written in parts.
TEST(GpuCopiesTest, CopiesOfTheFrameworksOwnAreLeftAlone) {
  Training sorting;
  for (int i = 0; i < 2; ++i) {
    sorting.Copy(200)
        .Kernel("void at::native::fill_reverse_indices_kernel(long*, int)", 50)
        .Kernel("void cub::DeviceSegmentedRadixSortKernel<float, long>(int)",
                50)
        .Kernel(kAdd, 200, 4096);
  }
  EXPECT_EQ(Given(sorting.Advised(), "copies"), nullptr);
  Training writing;
  writing.Product(kGemm, 500, kTf32).InBackward();
  writing.Product(kGemm, 500, kTf32).Copy(200).Copy(200);
  EXPECT_EQ(Given(writing.Advised(), "copies"), nullptr);
}

// Nobody writes them: the compiler keeps the state of a loop by them.
TEST(GpuCopiesTest, CopiesOfXlaAreNotTheProgramsToLeaveOut) {
  const AdviceList list = Copying(200, "jax 0.10.2");
  EXPECT_EQ(Given(list, "copies"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "copies"), "");
}

}  // namespace
}  // namespace dltap::analyzer
