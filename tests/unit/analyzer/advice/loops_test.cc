// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/analyzer/advice/training.h"

// Rules about loops over networks and tensors, and sorts of which little is
// read, each on steps with the bug and on their repaired twin.
namespace dltap::analyzer {
namespace {

constexpr char kSort[] =
    "void cub::DeviceSegmentedRadixSortKernel<float, long, int>(int)";
constexpr char kLayerNorm[] =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel"
    "<float, float>(int, float)";
const std::string kRelu = Vectorized("at::native::clamp_min<float>", 2);

// Networks of two layers of one input; or layers, whose inputs a norm writes to
// the same place; or twice the same network.
enum class Form { kExperts, kLayers, kOne };

AdviceList AskingAll(Form form, bool trains = true) {
  constexpr int kNetworks = 16;
  Training training;
  const auto product = [&](int weights, int m, int k, int input) {
    training.Product(absl::StrCat("cublasSgemm_v2 m=", m, " n=512 k=", k,
                                  " A=", weights, " B=", input, " C=9000"),
                     20, kTf32);
  };
  for (int i = 0; i < kNetworks; ++i) {
    const int j = form == Form::kOne ? 0 : i;
    if (form == Form::kLayers) training.Kernel(kLayerNorm, 3);
    product(100'000 + j, 256, 512, 7000);
    training.Kernel(kRelu, 2);
    product(200'000 + j, 128, 256, 8000 + i);
    training.Kernel(kRelu, 2);
  }
  product(300'000, 16, 512, 7000);
  if (!trains) return training.Advised();
  training.InBackward();
  for (int i = 0; i < kNetworks; ++i) product(200'000 + i, 256, 128, 6000);
  return training.Advised();
}

TEST(LoopsTest, NetworksOfOneInputAreOneBatch) {
  const AdviceList list = AskingAll(Form::kExperts);
  const auto advice = Given(list, "shared_experts");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "shared_experts");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 16 * 4 + 16);
  EXPECT_GT(advice->gain_low_ns, 16 * 20e3);
}

TEST(LoopsTest, LayersAndOneNetworkAreNoExperts) {
  EXPECT_EQ(Given(AskingAll(Form::kLayers), "shared_experts"), nullptr);
  EXPECT_EQ(Given(AskingAll(Form::kOne), "shared_experts"), nullptr);
}

// Memory is taken again where nothing is kept for gradients.
TEST(LoopsTest, InputsOfWhatKeepsNothingMayDiffer) {
  EXPECT_EQ(Given(AskingAll(Form::kExperts, false), "shared_experts"), nullptr);
}

// A sort of 250,000 numbers; what follows has so many blocks.
AdviceList Sorting(int blocks) {
  Training training;
  training.Product(kGemm, 600, kTf32).Copy(100);
  training.Kernel("void at::native::fill_reverse_indices_kernel(long*)", 100);
  training.Kernel(kSort, 100).Kernel(kSort, 100);
  training.Kernel(kAdd, 3, blocks).Kernel(kAdd, 3, blocks);
  return training.Advised();
}

TEST(LoopsTest, ASortForAFewNumbersIsASelection) {
  const AdviceList list = Sorting(2);
  const auto advice = Given(list, "sorted_tops");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "sorted_tops");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 1);
  EXPECT_NEAR(advice->evidence.ns, 400e3, 5e3);
  EXPECT_GT(advice->gain_low_ns, 200e3);
}

TEST(LoopsTest, ASortOfWhichAllIsReadIsLeftAlone) {
  EXPECT_EQ(Given(Sorting(500), "sorted_tops"), nullptr);
}

const std::string kPower =
    Vectorized("at::native::pow_tensor_scalar<float>", 2);
constexpr char kToOne[] =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::sum_functor<float> > >(int)";

// Squares of 48 tensors, of so many sizes.
AdviceList Penalizing(int sizes) {
  Training training;
  training.Product(kGemm, 600, kTf32);
  for (int i = 0; i < 48; ++i) {
    training.Kernel(kPower, 3, 1 + i % sizes).Kernel(kToOne, 2).Kernel(kAdd, 2);
  }
  training.InBackward();
  for (int i = 0; i < 48; ++i) training.Kernel(kPower, 3);
  return training.Product(kGemm, 600, kTf32).Advised();
}

TEST(LoopsTest, PenaltiesOverAllWeightsAreTheOptimizers) {
  const AdviceList list = Penalizing(8);
  const auto advice = Given(list, "weight_penalties");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "weight_penalties");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 48 * 4);
  EXPECT_NEAR(advice->gain_low_ns, 0.75 * 480e3, 5e3);
  EXPECT_EQ(Given(list, "pointwise"), nullptr);
}

// As of many tasks, or times.
TEST(LoopsTest, LossesOfOneSizeAreNoPenalties) {
  EXPECT_EQ(Given(Penalizing(1), "weight_penalties"), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
