// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/analyzer/advice/training.h"

// Rules about what programs do part by part, or twice, each on steps with the
// bug and on their repaired twin.
namespace dltap::analyzer {
namespace {

constexpr char kFusedSgd[] =
    "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata"
    "<2>, at::native::FusedSgdMathFunctor<float, 2> >(int)";
constexpr char kBroadcastAdd[] =
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_"
    "nocast<at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&, "
    "at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int)";
constexpr char kReduction[] =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, "
    "at::native::func_wrapper_t<float, at::native::sum_functor<float> > > >"
    "(int)";
constexpr char kBatchNorm[] =
    "void at::native::batch_norm_collect_statistics_kernel<at::native::Var, "
    "float, float, float, int>(at::PackedTensorAccessor<float>)";
constexpr char kFixedNorm[] =
    "void at::native::batch_norm_transform_input_kernel<float, float, float, "
    "false, int>(at::PackedTensorAccessor<float>)";
constexpr char kHardswish[] =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::clamp_min<float> >(int)";
constexpr char kCat[] =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::"
    "(anonymous namespace)::OpaqueType<4u>, unsigned int, 2, 128, 1>(int)";
constexpr char kNllLoss[] =
    "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
    "long>(float*)";
constexpr char kNllLossGradient[] =
    "void at::native::nll_loss_backward_reduce_cuda_kernel_2d<float, long>"
    "(float*)";

const std::string kMul = Vectorized(
    "at::native::BinaryFunctor<float, float, float, "
    "at::native::binary_internal::MulFunctor<float> >",
    3);

std::string Softmax(bool forward, bool log) {
  const char* pass = forward ? "Forward" : "Backward";
  return absl::StrCat(
      "void at::native::cunn_SoftMax", pass,
      "<4, float, float, float, at::native::", log ? "LogSoftMax" : "SoftMax",
      pass, "Epilogue>(float*)");
}

AdviceList Updated(Training& training) {
  return training.OnMainThread().Kernel(kFusedSgd, 50).Advised();
}

constexpr char kConvolution[] =
    "cudnnBackendExecute node_x=7000 node_y=8000 node_w=9000 operation=";

// Two layers, whose convolutions a kernel follows.
AdviceList Convolving(const std::string& added, const std::string& norm,
                      const std::string& behind = kReduction) {
  std::string operations;
  for (const char* kind : {"1 conv_forward", "2 conv_backward_weight"}) {
    operations += absl::StrCat(
        "operation ", kind,
        " storage=f32 math=tf32 batch=8 channels_in=64 channels_out=64 "
        "depth_in=1 height_in=8 width_in=8 filter_depth=1 filter_height=3 "
        "filter_width=3 depth_out=1 height_out=8 width_out=8 groups=1\n");
  }
  Training training;
  const auto convolve = [&](int operation) {
    training.Product(absl::StrCat(kConvolution, operation), 300, kTf32);
  };
  for (int i = 0; i < 2; ++i) {
    convolve(1);
    training.Kernel(added, 100);
    training.Kernel(norm, 150);
  }
  training.InBackward();
  for (int i = 0; i < 2; ++i) {
    convolve(2);
    training.Kernel(behind, 40);
  }
  training.OnMainThread().Kernel(kFusedSgd, 50);
  return AdviceOf(operations + training.Text());
}

TEST(PartsTest, ABiasBeforeABatchNormIsForNothing) {
  const AdviceList list = Convolving(kBroadcastAdd, kBatchNorm);
  const auto advice = Given(list, "norm_biases");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "norm_biases");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 4);
  EXPECT_NEAR(advice->gain_low_ns, 200e3, 5e3);
  EXPECT_NEAR(advice->gain_high_ns, 280e3, 5e3);
}

// A norm with means of its own takes nothing away.
TEST(PartsTest, ABiasBeforeOtherWorkStays) {
  EXPECT_EQ(Given(Convolving(kBroadcastAdd, kHardswish), "norm_biases"),
            nullptr);
  EXPECT_EQ(Given(Convolving(kBroadcastAdd, kFixedNorm), "norm_biases"),
            nullptr);
}

// As before the norm of the next block.
TEST(PartsTest, AShortcutBeforeABatchNormIsNoBias) {
  EXPECT_EQ(Given(Convolving(kAdd, kBatchNorm), "norm_biases"), nullptr);
}

// As of the time that a diffusion model has reached: its gradient is summed up
// before the convolution's.
TEST(PartsTest, WhatEachSampleOrPlaceAddsIsNoBias) {
  EXPECT_EQ(
      Given(Convolving(kBroadcastAdd, kBatchNorm, kHardswish), "norm_biases"),
      nullptr);
}

AdviceList Losing(bool twice, const std::string& behind = kReduction) {
  Training training;
  training.Product(kGemm, 600, kTf32);
  if (twice) training.Kernel(Softmax(true, false), 100);
  training.Kernel(Softmax(true, true), 100)
      .Kernel(kNllLoss, 5)
      .InBackward()
      .Kernel(kNllLossGradient, 5)
      .Kernel(Softmax(false, true), 120);
  if (twice) training.Kernel(kMul, 80).Kernel(Softmax(false, false), 120);
  training.Kernel(behind, 20).Product(kGemm, 600, kTf32);
  return Updated(training);
}

TEST(PartsTest, ALossOfClassesTakesLogits) {
  const AdviceList list = Losing(true);
  const auto advice = Given(list, "double_softmax");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "double_softmax");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 2);
  EXPECT_NEAR(advice->gain_low_ns, 300e3, 5e3);
  EXPECT_EQ(advice->layer_class, LayerClass::kSoftmax);
}

TEST(PartsTest, OneSoftmaxIsTheLosss) {
  EXPECT_EQ(Given(Losing(false), "double_softmax"), nullptr);
}

constexpr char kNllLossOfEach[] =
    "void at::native::nll_loss_forward_no_reduce_cuda_kernel<float, "
    "long>(long)";
constexpr char kNllLossGradientOfEach[] =
    "void at::native::nll_loss_backward_no_reduce_cuda_kernel<float, long>"
    "(int)";

// A loss of each of 4096 rows, times its weight in so many blocks; with smooth
// labels all classes have a gradient, which is added.
AdviceList LosingOfEach(bool smooth, int blocks = 16) {
  Training training;
  training.Product(kGemm, 600, kTf32)
      .Kernel(Softmax(true, false), 100, 4096)
      .Kernel(Softmax(true, true), 100, 4096)
      .Kernel(kNllLossOfEach, 5, 4)
      .Kernel(kMul, 5, 4)
      .InBackward()
      .Kernel(kMul, 5, blocks)
      .Kernel(kNllLossGradientOfEach, 5, 4);
  if (smooth) training.Kernel(kBroadcastAdd, 60, 8192);
  training.Kernel(Softmax(false, true), 120, 4096)
      .Kernel(kMul, 80, 8192)
      .Kernel(Softmax(false, false), 120, 4096)
      .Kernel(kReduction, 20)
      .Product(kGemm, 600, kTf32);
  return Updated(training);
}

TEST(PartsTest, LossesOfEachRowTakeLogitsToo) {
  for (const bool smooth : {false, true}) {
    const AdviceList list = LosingOfEach(smooth);
    const auto advice = Given(list, "double_softmax");
    ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "double_softmax");
    EXPECT_NEAR(advice->gain_low_ns, 300e3, 5e3);
  }
}

// A number for each class of a row is a gradient of another head.
TEST(PartsTest, GradientsOfAllClassesAreNoLossesOfRows) {
  EXPECT_EQ(Given(LosingOfEach(false, 64), "double_softmax"), nullptr);
}

// The logits' gradients of both are added up, as with an entropy's.
TEST(PartsTest, ASoftmaxBesideTheLossIsAnotherTerm) {
  EXPECT_EQ(Given(Losing(true, kAdd), "double_softmax"), nullptr);
}

// Its loss is a later one, whose gradients come first.
TEST(PartsTest, ASoftmaxOfAnotherHeadIsNotTheLosss) {
  Training training;
  training.Product(kGemm, 600, kTf32)
      .Product(kGemm, 600, kTf32)
      .Kernel(Softmax(true, false), 100)
      .Kernel(Softmax(true, true), 100)
      .Kernel(kNllLoss, 5)
      .Kernel(kMul, 80, 4096)
      .InBackward()
      .Kernel(kMul, 80, 4096)
      .Kernel(kNllLossGradient, 5)
      .Kernel(Softmax(false, true), 120)
      .Kernel(kMul, 80, 4096)
      .Kernel(Softmax(false, false), 120)
      .Kernel(kReduction, 20)
      .Product(kGemm, 600, kTf32);
  EXPECT_EQ(Given(Updated(training), "double_softmax"), nullptr);
}

// Concatenations that take 20 us more each time, or as long.
AdviceList Joining(int growth_us, bool same_layers) {
  Training training;
  for (int i = 0; i < 16; ++i) {
    const int k = same_layers ? 4096 : 1024 + 64 * i;
    training.Product(absl::StrCat("cublasSgemm_v2 m=4096 n=1024 k=", k), 100,
                     kTf32);
    training.Kernel(kCat, 20 + growth_us * i);
  }
  return training.Advised();
}

TEST(PartsTest, AnArrayThatGrowsInALoopIsCopiedEachTime) {
  const AdviceList list = Joining(20, true);
  const auto advice = Given(list, "grown_arrays");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "grown_arrays");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 16);
  // All but the last, 20 us to 300 us.
  EXPECT_NEAR(advice->gain_low_ns, 2400e3, 20e3);
}

TEST(PartsTest, ConcatenationsOfOneLengthAreLeftAlone) {
  EXPECT_EQ(Given(Joining(0, true), "grown_arrays"), nullptr);
}

TEST(PartsTest, LayersThatTakeAllThatWasJoinedNeedIt) {
  EXPECT_EQ(Given(Joining(20, false), "grown_arrays"), nullptr);
}

// Two convolutions of each of 16 images of 64 x 8 x 8 floats.
AdviceList ConvolvingImages(int stride, const std::string& behind = kAdd) {
  Training training;
  const auto convolve = [&](int input, int filter) {
    training.Product(
        absl::StrCat("cudnnBackendExecute node_x=", input,
                     " node_y=5000 node_w=", filter, " operation=1"),
        40, kTf32);
    training.Kernel(kAdd, 2, 4);
  };
  for (int i = 0; i < 16; ++i) {
    convolve(1'000'000 + stride * i, 100'000);
    convolve(7000, 200'000);
    training.Kernel(behind, 2, 4);
  }
  return AdviceOf(
      "operation 1 conv_forward storage=f32 math=tf32 batch=1 channels_in=64 "
      "channels_out=64 depth_in=1 height_in=8 width_in=8 filter_depth=1 "
      "filter_height=3 filter_width=3 depth_out=1 height_out=8 width_out=8 "
      "groups=1\n" +
      training.Text());
}

TEST(PartsTest, ImagesThatLieInARowMakeABatch) {
  const AdviceList list = ConvolvingImages(64 * 8 * 8 * 4);
  const auto advice = Given(list, "single_passes");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "single_passes");
  EXPECT_GE(advice->evidence.count, 14);
  EXPECT_GT(advice->gain_low_ns, 14 * 40e3);
  EXPECT_GT(advice->gain_high_ns, 14 * 80e3);
}

TEST(PartsTest, PassesThatWaitForOneAnotherAreLeftAlone) {
  EXPECT_EQ(Given(ConvolvingImages(0), "single_passes"), nullptr);
}

TEST(PartsTest, PassesThatACellsStateJoinsAreLeftAlone) {
  constexpr char kCell[] =
      "void at::native::(anonymous namespace)::kernel::gru_cell_forward<float, "
      "float, int, 1>(int)";
  EXPECT_EQ(Given(ConvolvingImages(64 * 8 * 8 * 4, kCell), "single_passes"),
            nullptr);
}

// Two layers over parts of 32 rows of an array; with a state, the first one's
// result is added to that of the state's.
AdviceList MultiplyingParts(bool has_state) {
  Training training;
  for (int i = 0; i < 16; ++i) {
    const auto product = [&](int weights, int input, int output) {
      training.Product(absl::StrCat("cublasSgemm_v2 m=512 n=32 k=512 A=",
                                    weights, " B=", input, " C=", output),
                       20, kTf32);
    };
    product(100'000, 1'000'000 + 32 * 512 * 4 * i, 7000);
    if (has_state) product(300'000, 8000, 9000);
    training.Kernel(kHardswish, 3);
    product(200'000, 7000, 8000);
  }
  return training.Advised();
}

TEST(PartsTest, PartsOfAnArrayMakeABatch) {
  const AdviceList list = MultiplyingParts(false);
  const auto advice = Given(list, "single_passes");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "single_passes");
  EXPECT_GE(advice->evidence.count, 14);
  EXPECT_GT(advice->gain_low_ns, 14 * 30e3);
}

TEST(PartsTest, PassesWithAStateWaitForOneAnother) {
  EXPECT_EQ(Given(MultiplyingParts(true), "single_passes"), nullptr);
}

AdviceList MultiplyingOneInput(int matrices, bool in_turn = false) {
  Training training;
  for (int i = 0; i < matrices; ++i) {
    training.Product(
        absl::StrCat("cublasSgemm_v2 m=64 n=4096 k=1024 A=", 100'000 + i,
                     " B=7000 C=", 200'000 + (in_turn ? 0 : i)),
        30, kTf32);
  }
  training.Product("cublasSgemm_v2 m=1024 n=4096 k=1024 A=90000 B=8000 C=1",
                   200, kTf32);
  training.InBackward();
  for (int i = 0; i < matrices; ++i) {
    training
        .Product(absl::StrCat("cublasSgemm_v2 m=1024 n=4096 k=64 A=",
                              100'000 + i, " B=6000 C=5000"),
                 30, kTf32)
        .Kernel(kAdd, 10);
  }
  return Updated(training);
}

TEST(PartsTest, HeadsOfOneInputAreOneProduct) {
  const AdviceList list = MultiplyingOneInput(16);
  const auto advice = Given(list, "split_products");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "split_products");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 32);
  // The sums at least.
  EXPECT_GT(advice->gain_low_ns, 16 * 10e3);
}

TEST(PartsTest, QueriesKeysAndValuesAreThree) {
  EXPECT_EQ(Given(MultiplyingOneInput(3), "split_products"), nullptr);
}

// Memory is taken again where nothing is kept for gradients.
TEST(PartsTest, LayersThatTakeTurnsInTwoArraysAreNoHeads) {
  EXPECT_EQ(Given(MultiplyingOneInput(16, true), "split_products"), nullptr);
}

constexpr char kFillNarrow[] =
    "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor"
    "<c10::BFloat16>, std::array<char*, 1ul> >(int)";
constexpr char kLayerNorm[] =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel"
    "<c10::BFloat16, float>(int, float)";
constexpr char kGather[] =
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)";
constexpr char kIndexAdd[] =
    "void at::native::indexFuncLargeIndex<float, long, unsigned int, 2, 2, -2, "
    "true, at::native::ReduceAdd>(int)";

// Before norms: a fill of their results, and one of what they divide by.
AdviceList Norming(int filled, int of_result_us = 50, bool divides = true) {
  Training training;
  for (int i = 0; i < 4; ++i) {
    training.Product(kGemm, 300, kTf32);
    if (i < filled) {
      training.Kernel(kFillNarrow, of_result_us, 4096);
      if (divides) training.Kernel(kFillNarrow, 2);
    }
    training.Kernel(kLayerNorm, 60);
    training.Kernel(kFillNarrow, 20, 4096).Kernel(kHardswish, 60);
  }
  return training.Advised();
}

TEST(PartsTest, NormsWriteAllThatWasFilled) {
  const AdviceList list = Norming(4);
  const auto advice = Given(list, "overwritten_fills");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "overwritten_fills");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 12);
  EXPECT_NEAR(advice->gain_low_ns, 248e3, 5e3);
  EXPECT_NEAR(advice->gain_high_ns, 288e3, 5e3);
}

TEST(PartsTest, FillsBeforeOtherWorkMayBeRead) {
  EXPECT_EQ(Given(Norming(0), "overwritten_fills"), nullptr);
  EXPECT_EQ(Given(Norming(2), "overwritten_fills"), nullptr);
}

// To which rows are added by index behind the norm.
TEST(PartsTest, OneFillBeforeEachNormIsAnArrayOfItsOwn) {
  EXPECT_EQ(Given(Norming(4, 50, false), "overwritten_fills"), nullptr);
}

TEST(PartsTest, WeightsOfANormThatAreMadeAnewAreNoResult) {
  EXPECT_EQ(Given(Norming(4, 2), "overwritten_fills"), nullptr);
}

// Of rows of 16 experts, or of one again and again; each begins with zeros.
AdviceList AskingExperts(bool is_one, bool has_zeros = false) {
  Training training;
  for (int i = 0; i < 16; ++i) {
    const auto product = [&](int weights, int m, int k) {
      training.Product(
          absl::StrCat("cublasSgemm_v2 m=", m, " n=128 k=", k,
                       " A=", weights + (is_one ? 0 : i), " B=7000 C=8000"),
          20, kTf32);
    };
    if (has_zeros) training.Kernel(kFillNarrow, 2);
    training.Kernel(kGather, 3);
    product(100'000, 1024, 512);
    training.Kernel(kHardswish, 3);
    product(200'000, 512, 1024);
    training.Kernel(kIndexAdd, 4);
  }
  return training.Advised();
}

TEST(PartsTest, ExpertsOneAfterTheOtherAreOneGroup) {
  const AdviceList list = AskingExperts(false);
  const auto advice = Given(list, "expert_loop");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "expert_loop");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 16 * 5);
  EXPECT_GT(advice->gain_low_ns, 16 * 20e3);
}

// As rounds of messages on a graph.
TEST(PartsTest, RoundsOfLayersAreNoExperts) {
  EXPECT_EQ(Given(AskingExperts(true), "expert_loop"), nullptr);
  EXPECT_EQ(Given(AskingExperts(false, true), "expert_loop"), nullptr);
}

// 32 images of 3 x 224 x 224 floats.
AdviceList Stacking(int joined_us) {
  Training training;
  for (int i = 0; i < 32; ++i) {
    training.Kernel(Vectorized("at::native::clamp_min<float>", 2), 3, 147);
    training.Kernel(kAdd, 4, 147);
  }
  training.Kernel(kCat, joined_us).Product(kGemm, 600, kTf32);
  training.InBackward().Product(kGemm, 600, kTf32);
  return Updated(training);
}

TEST(PartsTest, SamplesAreTransformedTogether) {
  const AdviceList list = Stacking(20);
  const auto advice = Given(list, "stacked_samples");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "stacked_samples");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 64);
  EXPECT_GT(advice->gain_low_ns, 50e3);
}

// Averages of weights, before the next batch is joined.
TEST(PartsTest, WhatIsNotJoinedIsNoBatch) {
  EXPECT_EQ(Given(Stacking(2), "stacked_samples"), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
