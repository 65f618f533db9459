// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/unit/analyzer/advice/training.h"

// Rules about forms that cost more than others of the same meaning, each on
// steps with the bug and on their repaired twin.
namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;

constexpr int kLayers = 8;
const std::string kCompare = Vectorized(
    "at::native::BinaryFunctor<float, float, bool, "
    "at::native::CompareEqFunctor<float> >",
    3);
constexpr char kAny[] =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
    "at::native::or_kernel_cuda(at::TensorIterator&)::{lambda()#1}> >(int)";
constexpr char kFusedSgd[] =
    "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata"
    "<2>, at::native::FusedSgdMathFunctor<float, 2> >(int)";
constexpr char kZeroLists[] =
    "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata"
    "<1>, at::native::ZeroFunctor<float, 1> >(int)";
constexpr char kGather[] =
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)";
constexpr char kGradientOfRows[] =
    "void at::native::compute_grad_weight<float, long>(long const*)";
constexpr char kSorting[] =
    "void at_cuda_detail::cub::detail::radix_sort::DeviceRadixSortOnesweep"
    "Kernel<int>(int)";
constexpr char kFillIndices[] =
    "void at::native::vectorized_elementwise_kernel<2, "
    "at::native::FillFunctor<long>, std::array<char*, 1ul> >(int)";
constexpr char kScatter[] =
    "void at::native::_scatter_gather_elementwise_kernel<128, 8, "
    "at::native::_cuda_scatter_fill_internal_kernel<false> >(int)";
constexpr char kToNarrow[] =
    "void at::native::vectorized_elementwise_kernel<8, "
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::"
    "{lambda(float)#1}, std::array<char*, 2ul> >(int)";
constexpr char kToWide[] =
    "void at::native::unrolled_elementwise_kernel<at::native::"
    "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, "
    "at::native::memory::LoadWithCast<1> >(int)";
constexpr char kLogSoftmax[] =
    "void at::native::cunn_SoftMaxForward<4, float, float, float, "
    "at::native::LogSoftMaxForwardEpilogue>(float*)";
constexpr char kLogSoftmaxGradient[] =
    "void at::native::cunn_SoftMaxBackward<4, float, float, float, "
    "at::native::LogSoftMaxBackwardEpilogue>(float*)";

Training& Update(Training& training, int us = 50) {
  return training.OnMainThread().Kernel(kFusedSgd, us);
}

Training Passes(void (*after_gradient)(Training&)) {
  Training training;
  for (int i = 0; i < kLayers; ++i) training.Product(kGemm, 600, kTf32);
  training.InBackward();
  for (int i = 0; i < kLayers; ++i) {
    training.Product(kGemm, 600, kTf32).Product(kGemm, 600, kTf32);
    after_gradient(training);
  }
  return training;
}

TEST(FormsTest, ChecksOfEachGradientAreADebuggingMode) {
  Training bug = Passes([](Training& training) {
    training.Kernel(kCompare, 60).Kernel(kAny, 20).Read();
  });
  const AdviceList list = Update(bug).Advised();
  const auto advice = Given(list, "gradient_checks");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "gradient_checks");
  EXPECT_DOUBLE_EQ(advice->evidence.count, kLayers);
  EXPECT_NEAR(advice->gain_low_ns, kLayers * 80e3, 5e3);
  EXPECT_GE(advice->gain_high_ns, kLayers * 82e3 - 1);
  EXPECT_EQ(list.given.front().id, "gradient_checks");
}

TEST(FormsTest, ComparisonsThatTheHostDoesNotReadAreTheModels) {
  Training model = Passes([](Training& training) {
    training.Kernel(kCompare, 60).Kernel(kAny, 20);
  });
  EXPECT_EQ(Given(Update(model).Advised(), "gradient_checks"), nullptr);
}

TEST(FormsTest, GradientsAreWrittenInPlaceOfAddedToZeros) {
  Training bug =
      Passes([](Training& training) { training.Kernel(kAdd, 150, 4096); });
  const AdviceList list = Update(bug).Kernel(kZeroLists, 400).Advised();
  const auto advice = Given(list, "zeroed_gradients");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "zeroed_gradients");
  // The first step's zeros were not seen; all may be added up anyhow.
  EXPECT_NEAR(advice->gain_low_ns, 400e3, 80e3);
  EXPECT_NEAR(advice->gain_high_ns, 1600e3, 300e3);
}

TEST(FormsTest, GradientsThatAreAddedUpOfSeveralPassesStay) {
  Training healthy =
      Passes([](Training& training) { training.Kernel(kAdd, 150, 4096); });
  EXPECT_EQ(Given(Update(healthy).Advised(), "zeroed_gradients"), nullptr);
}

AdviceList LookingUp(int tables) {
  Training training;
  for (int i = 0; i < tables; ++i) training.Kernel(kGather, 2);
  training.Product(kGemm, 600, kTf32).InBackward().Product(kGemm, 600, kTf32);
  for (int i = 0; i < 40 * tables; ++i) {
    training.Kernel(i % 40 == 0 ? kGradientOfRows : kSorting, 2);
  }
  return Update(training).Advised();
}

TEST(FormsTest, ManyLookupsInARowAreOfOneTable) {
  const AdviceList list = LookingUp(32);
  const auto advice = Given(list, "many_tables");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "many_tables");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 32);
  EXPECT_NEAR(advice->gain_low_ns, 31 * 41 * 1500.0, 5e3);
  EXPECT_GE(advice->gain_high_ns, 32 * 41 * 2000.0 - 5e3);
}

TEST(FormsTest, TokensPositionsAndSegmentsAreThreeTables) {
  EXPECT_EQ(Given(LookingUp(3), "many_tables"), nullptr);
}

// 4096 rows of as many elements, eight bytes each.
AdviceList TakingRows(int blocks) {
  Training training;
  training.Product(kGemm, 600, kTf32)
      .Kernel(kFillIndices, 300, blocks)
      .Kernel(kScatter, 2)
      .Kernel(kToWide, 400)
      .Product(kGemm, 600, kTf32)
      .InBackward()
      .Product(kGemm, 600, kTf32);
  return Update(training).Advised();
}

TEST(FormsTest, ProductsWithOneHotRowsAreLookups) {
  const AdviceList list = TakingRows(4096 * 4096 / 1024);
  const auto advice = Given(list, "one_hot");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "one_hot");
  EXPECT_EQ(advice->layer_class, LayerClass::kGemm);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 2);
  EXPECT_NEAR(advice->gain_high_ns, 1902e3, 5e3);
  // Of the lookup 5 us and four times 20 us, 67 MB at the memory's peak, stay;
  // of the gradient all may.
  EXPECT_NEAR(advice->gain_low_ns, 1302e3 - 5e3 - 4 * 20e3, 5e3);
}

TEST(FormsTest, OneHotLabelsMultiplyNoTable) {
  EXPECT_EQ(Given(TakingRows(4096), "one_hot"), nullptr);
}

AdviceList Losing(bool casts) {
  Training training;
  training.Product(kGemm, 600, kTf32);
  if (casts) training.Kernel(kToWide, 300);
  training.Kernel(kLogSoftmax, 400).InBackward();
  training.Kernel(kLogSoftmaxGradient, 500);
  if (casts) training.Kernel(kToNarrow, 300);
  training.Product(kGemm, 600, kTf32);
  return Update(training).Advised();
}

TEST(FormsTest, ALossNeedsNoCopyOfTheLogitsInFp32) {
  const AdviceList list = Losing(true);
  const auto advice = Given(list, "wide_logits");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "wide_logits");
  EXPECT_EQ(advice->layer_class, LayerClass::kSoftmax);
  EXPECT_NEAR(advice->gain_low_ns, 600e3, 5e3);
  EXPECT_NEAR(advice->gain_high_ns, 1500e3 - 225e3 + 375e3, 5e3);
}

TEST(FormsTest, ALossOfFp32LogitsIsLeftAlone) {
  EXPECT_EQ(Given(Losing(false), "wide_logits"), nullptr);
}

// Weights of 67 MB; the first product backward of a layer makes their gradient.
void AddPass(Training& training) {
  const auto product = [&](int layer, const char* operands) {
    training.Product(
        kGemm + std::string(operands) + std::to_string(100'000 + layer), 600,
        kTf32);
  };
  for (int i = 0; i < kLayers; ++i) product(i, " B=7000 C=8000 A=");
  training.InBackward();
  for (int i = kLayers; i-- > 0;) {
    training.Product(std::string(kGemm) + " A=7000 B=9000 C=8000", 600, kTf32);
    product(i, " B=9000 C=8000 A=");
  }
}

AdviceList TrainingInPart(int update_us) {
  Training training;
  AddPass(training);
  return Update(training, update_us).Advised();
}

TEST(FormsTest, GradientsThatNoUpdateCanHaveReadAreForNothing) {
  const AdviceList list = TrainingInPart(60);
  const auto advice = Given(list, "unused_gradients");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "unused_gradients");
  EXPECT_DOUBLE_EQ(advice->evidence.count, kLayers);
  // At 4.2 TB/s 250 MB, 84 MB of which are gradients: of 537 MB.
  EXPECT_NEAR(advice->gain_low_ns, (1 - 84.0 / 537) * kLayers * 600e3, 20e3);
  EXPECT_NEAR(advice->gain_high_ns, 2 * kLayers * 600e3, 20e3);
}

// What the main thread launches behind a backward pass may be an update, or the
// next batch.
TEST(FormsTest, ABatchThatIsMadeBetweenPassesIsNoUpdate) {
  Training training;
  for (int batch = 0; batch < 4; ++batch) {
    training.OnMainThread().Kernel(
        Vectorized("at::native::FillFunctor<float>", 2), 5);
    AddPass(training);
  }
  const AdviceList list = Update(training, 480).Advised();
  EXPECT_EQ(Given(list, "unused_gradients"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "unused_gradients"), "");
}

TEST(FormsTest, AnUpdateOfAllWeightsReadsTheirGradients) {
  EXPECT_EQ(Given(TrainingInPart(480), "unused_gradients"), nullptr);
}

// Filters of 67 MB.
AdviceList TrainingFilters(int update_us, int cast_us = 0,
                           bool has_products = false) {
  std::string operations;
  for (const char* kind :
       {"1 conv_forward", "2 conv_backward_data", "3 conv_backward_weight"}) {
    operations += std::string("operation ") + kind +
                  " storage=f32 math=tf32 batch=8 channels_in=4096 "
                  "channels_out=4096 depth_in=1 height_in=8 width_in=8 "
                  "filter_depth=1 filter_height=1 filter_width=1 depth_out=1 "
                  "height_out=8 width_out=8 groups=1\n";
  }
  Training training;
  const auto convolve = [&](int operation, int filter) {
    training.Product("cudnnBackendExecute node_x=7000 node_y=8000 node_w=" +
                         std::to_string(filter) +
                         " operation=" + std::to_string(operation),
                     600, kTf32);
  };
  for (int i = 0; i < kLayers; ++i) convolve(1, 300'000 + i);
  if (has_products) AddPass(training);
  training.InBackward();
  for (int i = kLayers; i-- > 0;) {
    convolve(2, 300'000 + i);
    convolve(3, 9000);
  }
  Update(training, update_us);
  if (cast_us > 0) training.Kernel(kToNarrow, cast_us);
  return AdviceOf(operations + training.Text());
}

TEST(FormsTest, GradientsOfFiltersThatNoUpdateCanHaveReadAreForNothing) {
  const AdviceList list = TrainingFilters(60);
  const auto advice = Given(list, "unused_gradients");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "unused_gradients");
  EXPECT_DOUBLE_EQ(advice->evidence.count, kLayers);
  EXPECT_EQ(advice->layer_class, LayerClass::kConv);
  EXPECT_NEAR(advice->gain_low_ns, (1 - 84.0 / 537) * kLayers * 600e3, 20e3);
  EXPECT_NEAR(advice->gain_high_ns, 2 * kLayers * 600e3, 20e3);
}

TEST(FormsTest, GradientsThatAreCountedAreNamedAfterAllLayersThatHaveThem) {
  const auto why = [](const AdviceList& list) {
    const auto advice = Given(list, "unused_gradients");
    return advice == nullptr ? std::string() : advice->why;
  };
  EXPECT_THAT(why(TrainingInPart(60)), HasSubstr(" products a step"));
  EXPECT_THAT(why(TrainingFilters(60)), HasSubstr(" convolutions a step"));
  EXPECT_THAT(why(TrainingFilters(60, 0, true)),
              HasSubstr(" products and convolutions a step"));
}

TEST(FormsTest, CastsOfWeightsForTheNextPassReadNoGradients) {
  const AdviceList list = TrainingFilters(60, 400);
  EXPECT_NE(Given(list, "unused_gradients"), nullptr)
      << WhyHeldBack(list, "unused_gradients");
}

TEST(FormsTest, AnUpdateOfAllFiltersReadsTheirGradients) {
  EXPECT_EQ(Given(TrainingFilters(480), "unused_gradients"), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
