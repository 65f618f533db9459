// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/operands/operand_shapes.h"
#include "tests/unit/analyzer/advice/training.h"

// Rules about work that the GPU could do in a quicker way, each on steps with
// the bug and on its repaired twin.
namespace dltap::analyzer {
namespace {

constexpr char kSgemm[] = "ampere_sgemm_128x128_nn";

constexpr char kHalfGemm[] =
    "cublasGemmEx m=1024 n=64 k=1000 Atype=14 Btype=14 Ctype=14 "
    "computeType=68";

// 137 GFLOP: 0.14 ms in bfloat16 at best, 0.79 ms in TF32 at worst.
TEST(TensorCoresTest, ProductsInFp32GainBetweenTf32AndBfloat16) {
  const AdviceList list = Training().Product(kGemm, 2600, kSgemm).Advised();
  const auto advice = Given(list, "tensor_cores");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->layer_class, LayerClass::kGemm);
  EXPECT_NEAR(advice->gain_low_ns, 2'600e3 - 794e3, 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 2'600e3 - 139e3, 2e3);
  EXPECT_EQ(advice->evidence.count, 1);
}

TEST(TensorCoresTest, ProductsInTf32AreLeftAlone) {
  const AdviceList list = Training().Product(kGemm, 600, kTf32).Advised();
  EXPECT_TRUE(IsSilent(list));
}

TEST(TensorCoresTest, WithoutTf32OnlyFp16IsNamed) {
  std::string text = Training().Product(kGemm, 10'000, kSgemm).Text();
  const size_t name = text.find("NVIDIA H100 80GB HBM3");
  text.replace(name, 21, "Tesla V100-SXM2-16GB");
  const AdviceList list = AdviceOf(text);
  const auto advice = Given(list, "tensor_cores");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->act, "FP16 products (tensor cores)");
}

TEST(TensorCoresTest, ProductsThatWaitForMemoryGainNothing) {
  // 1 FLOP a byte: no tensor core reads faster.
  const AdviceList list =
      Training()
          .Product("cublasSgemm_v2 m=8192 n=1 k=8192", 110, kSgemm)
          .Advised();
  EXPECT_EQ(Given(list, "tensor_cores"), nullptr);
}

// 17 GFLOP take 0.26 ms at FP32's peak: what the kernel reaches is an eighth of
// it, as when the dimensions fit no tile. TF32 may reach no more of its own:
// 68 + 0.1 MB at 3.35 TB/s and 35 us at its peak, eight times.
TEST(TensorCoresTest, ProductsOfOddShapesMayFitTensorCoresNoBetter) {
  const AdviceList list =
      Training()
          .Product("cublasSgemm_v2 m=130 n=65536 k=1030", 2096, kSgemm)
          .Advised();
  const auto advice = Given(list, "tensor_cores");
  ASSERT_NE(advice, nullptr);
  EXPECT_LT(advice->gain_low_ns, 2096e3 - 8 * 90e3);
  EXPECT_GT(advice->gain_low_ns, 2096e3 - 8 * 100e3);
}

// Rows of 4094 numbers: one load brings 8 of the 16 bytes that tensor cores
// are fed with, so they reach half of their worst share of 495 TFLOP/s.
TEST(TensorCoresTest, UnalignedRowsFeedTensorCoresWorse) {
  const AdviceList list =
      Training()
          .Product("cublasSgemm_v2 m=4096 n=4096 k=4094", 2600, kSgemm)
          .Advised();
  const auto advice = Given(list, "tensor_cores");
  ASSERT_NE(advice, nullptr);
  const double worst_ns =
      1e9 * 2 * 4096 * 4096 * 4094.0 / (0.5 * 0.35 * 494.7e12);
  EXPECT_NEAR(advice->gain_low_ns, 2600e3 - worst_ns, 5e3);
}

// 64 channels fill half of a tile of 128, both in and out.
TEST(TensorCoresTest, FewChannelsFillTensorCoresWorse) {
  using opmodel::Dim;
  opmodel::Operation op;
  EXPECT_EQ(TileShare(op), 1) << "no convolution";
  op[Dim::kChannelsIn] = 64;
  op[Dim::kChannelsOut] = 64;
  EXPECT_EQ(TileShare(op), 0.25);
  op[Dim::kChannelsOut] = 512;
  EXPECT_EQ(TileShare(op), 0.5);
}

TEST(TensorCoresTest, FusedAttentionAndDepthwiseConvolutionsSurelyGainNothing) {
  const std::string operations =
      "operation 1 attention_forward storage=f32 math=f32 batch=16 heads=32 "
      "kv_heads=32 seq_q=1024 seq_kv=1024 head_dim=64\n"
      "operation 2 conv_forward storage=f32 math=f32 batch=64 channels_in=512 "
      "channels_out=512 height_in=56 width_in=56 filter_height=7 "
      "filter_width=7 height_out=56 width_out=56 groups=512\n";
  for (const char* launch :
       {"cudaLaunchKernel operation=1", "cudaLaunchKernel operation=2"}) {
    const AdviceList list = AdviceOf(
        operations + Training()
                         .Product(launch, 4000, "fmha_cutlassF_f32_aligned")
                         .Product(kGemm, 200, kTf32)
                         .Text());
    EXPECT_EQ(Given(list, "tensor_cores"), nullptr) << launch;
    EXPECT_NE(WhyHeldBack(list, "tensor_cores"), "") << launch;
  }
}

TEST(TensorCoresTest, ConvolutionsInTf32AreNotMeant) {
  const AdviceList list =
      Training()
          .Product("cudnnConvolutionForward", 4000, "implicit_gemm_tf32f32")
          .Product(kGemm, 2600, kSgemm)
          .Advised();
  const auto advice = Given(list, "tensor_cores");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->layer_class, LayerClass::kGemm);
  EXPECT_EQ(advice->act, "TF32 or bfloat16 products (tensor cores)");
}

TEST(Fp64Test, ProductsAndWhatMovesDataGain) {
  const AdviceList list =
      Training()
          .Product("cublasDgemm_v2 m=2048 n=2048 k=2048", 400, "dgemm")
          .Kernel(Vectorized("at::native::CUDAFunctor_add<double>", 3), 100,
                  10'000)
          .Advised();
  const auto advice = Given(list, "fp64");
  ASSERT_NE(advice, nullptr);
  // FP32 multiplies as fast; bfloat16 15 times.
  EXPECT_NEAR(advice->gain_low_ns, 30e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 400e3 * (1 - 66.9 / 989) + 55e3, 3e3);
}

// Its name tells only how many bytes it moves at once.
TEST(Fp64Test, WhatMovesDataMayMoveDoubles) {
  const AdviceList list =
      Training()
          .Product("cublasDgemm_v2 m=2048 n=2048 k=2048", 400, "dgemm")
          .Kernel(Vectorized("at::native::CUDAFunctor_add<double>", 3), 100)
          .Kernel("void at::native::vectorized_gather_kernel<16, long>(char*)",
                  100)
          .Advised();
  const auto advice = Given(list, "fp64");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 30e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 400e3 * (1 - 66.9 / 989) + 110e3, 3e3);
}

// Forward and backward products of 1 ms, and an update of `tensors` tensors,
// each by those kernels of 10 us.
Training Updating(int tensors, std::initializer_list<std::string> kernels) {
  Training training;
  training.Product(kGemm, 500, kTf32);
  training.InBackward().Product(kGemm, 500, kTf32).OnMainThread();
  for (int i = 0; i < tensors; ++i) {
    for (const std::string& kernel : kernels) training.Kernel(kernel, 10, 1000);
  }
  return training;
}

TEST(OptimizerTest, AddcdivTellsWhatAFusedAdamMoves) {
  const AdviceList list = Updating(20, {kAdd, kAdd, kAdd, kAddcdiv}).Advised();
  const auto advice = Given(list, "optimizer");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence.count, 80);
  EXPECT_EQ(advice->phase, Phase::kUpdate);
  // 1000 x 1024 elements of 28 bytes: 8.6 us a tensor, 11.4 at worst.
  EXPECT_NEAR(advice->gain_low_ns, 800e3 - 20 * 11.4e3, 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 800e3 - 20 * 8.55e3, 2e3);
}

// What bounds such an update is the host: 80 launches of 20 us.
TEST(OptimizerTest, AnUpdateThatWaitsForItsLaunchesIsToBeFused) {
  Training training;
  training.Product(kGemm, 500, kTf32);
  training.InBackward().Product(kGemm, 500, kTf32).OnMainThread();
  training.CallingFor(20);
  for (int i = 0; i < 80; ++i) training.Kernel(kAddcdiv, 3, 10);
  const auto advice = Given(training.Advised(), "optimizer");
  ASSERT_NE(advice, nullptr);
  EXPECT_GE(advice->gain_low_ns, 0.4 * 79 * 20e3);
  EXPECT_LE(advice->gain_low_ns, 80 * 23e3);
}

TEST(OptimizerTest, WithoutAddcdivLessIsCertain) {
  const AdviceList list = Updating(30, {kAdd, kAdd}).Advised();
  const auto advice = Given(list, "optimizer");
  ASSERT_NE(advice, nullptr);
  // 12 bytes each: 3.7 us, at worst 4.9; 0.4 of them at best.
  EXPECT_NEAR(advice->gain_low_ns, 600e3 - 60 * 4.9e3, 3e3);
  EXPECT_NEAR(advice->gain_high_ns, 600e3 - 60 * 0.4 * 3.67e3, 3e3);
}

TEST(OptimizerTest, AFusedUpdateIsLeftAlone) {
  const AdviceList list =
      Updating(4, {"void at::native::multi_tensor_apply_kernel<at::native::"
                   "FusedOptimizerTensorListMetadata<4>, at::native::"
                   "FusedAdamMathFunctor<float, 4> >(int)"})
          .Advised();
  EXPECT_TRUE(IsSilent(list));
}

TEST(OptimizerTest, OtherLibrariesFunctorsOnListsAreWholeUpdates) {
  const AdviceList list =
      Updating(60, {"void multi_tensor_apply_kernel<TensorListMetadata<4>, "
                    "AdamFunctor<float>, float>(int)"})
          .Advised();
  EXPECT_TRUE(IsSilent(list));
}

// foreach: Adam's eight kernels become one, of 28 bytes in place of 72 to 84.
TEST(OptimizerTest, ListsOfTensorsTakeAThirdToHalfWhenFused) {
  const auto functor = [](const std::string& name) {
    return "void at::native::multi_tensor_apply_kernel<at::native::"
           "TensorListMetadata<2>, at::native::" +
           name + ", float>(int)";
  };
  const AdviceList list =
      Updating(20, {functor("BinaryOpScalarFunctor<float, 1>"),
                    functor("PointwiseOpScalarListFunctor<float, 3>, "
                            "std::divides<float>")})
          .Advised();
  const auto advice = Given(list, "optimizer");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 0.5 * 400e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 0.67 * 400e3, 1e3);
}

// Behind it, each tensor in a kernel of its own.
TEST(OptimizerTest, HistogramsOfTheWeightsGainNothing) {
  Training training = Updating(20, {kAdd, kAdd, kAdd, kAddcdiv});
  for (int i = 0; i < 20; ++i) training.Kernel("kernelHistogram1D", 10);
  const auto advice = Given(training.Advised(), "optimizer");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_high_ns, 800e3 - 20 * 8.55e3, 2e3);
  EXPECT_NE(advice->why.find("takes 0.80 ms, in 80 kernels"), std::string::npos)
      << advice->why;
}

TEST(OptimizerTest, FewKernelsAreNotWorthAWord) {
  EXPECT_EQ(Given(Updating(10, {kAdd, kAddcdiv}).Advised(), "optimizer"),
            nullptr);
}

constexpr char kScores[] =
    "cublasGemmStridedBatchedEx m=1024 n=1024 k=64 batchCount=48 Atype=14 "
    "Btype=14 Ctype=14 computeType=68";
constexpr char kValues[] =
    "cublasGemmStridedBatchedEx m=64 n=1024 k=1024 batchCount=48 Atype=14 "
    "Btype=14 Ctype=14 computeType=68";

TEST(AttentionTest, ProductsAndSoftmaxBecomeOneKernel) {
  const AdviceList list = Training()
                              .Product(kScores, 40, "gemm_bf16")
                              .Kernel("softmax_warp_forward", 200)
                              .Product(kValues, 40, "gemm_bf16")
                              .Advised();
  const auto advice = Given(list, "attention");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence.count, 3);
  EXPECT_NEAR(advice->evidence.ns, 280e3, 1);
  // 2 x 6.4 GFLOP x 7/6: half of it takes 7.6 us at the peak, all of it 60.8 at
  // a quarter of that.
  EXPECT_NEAR(advice->gain_low_ns, 280e3 - 60.8e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 280e3 - 7.6e3, 1e3);
}

// The products of attention's math are in FP32: fused, none is left.
TEST(AttentionTest, ItsProductsAreNotSavedTwice) {
  const std::string scores =
      "cublasSgemmStridedBatched m=1024 n=1024 k=64 batchCount=48";
  const std::string values =
      "cublasSgemmStridedBatched m=64 n=1024 k=1024 batchCount=48";
  const AdviceList list = Training()
                              .Product(kHalfGemm, 300, "gemm_bf16")
                              .Product(scores, 150, kSgemm)
                              .Kernel("softmax_warp_forward", 200)
                              .Product(values, 150, kSgemm)
                              .Advised();
  EXPECT_NE(Given(list, "attention"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "tensor_cores"),
            "it would save the same time as attention");
}

// 32 sequences of 16 heads: one query each reads keys and values of 4096 x 64.
TEST(AttentionTest, DecodingReadsItsKeysAndValuesAnyway) {
  const std::string types =
      " batchCount=512 Atype=14 Btype=14 Ctype=14 computeType=68";
  const AdviceList list =
      Training()
          .Product("cublasGemmStridedBatchedEx m=4096 n=1 k=64" + types, 110,
                   "gemv")
          .Kernel("softmax_warp_forward", 4)
          .Product("cublasGemmStridedBatchedEx m=64 n=1 k=4096" + types, 110,
                   "gemv")
          .Advised();
  EXPECT_EQ(Given(list, "attention"), nullptr);
  EXPECT_NE(WhyHeldBack(list, "attention"), "");
}

TEST(AttentionTest, AFusedKernelIsLeftAlone) {
  EXPECT_TRUE(IsSilent(
      Training().Kernel("pytorch_flash::flash_fwd_kernel", 100).Advised()));
}

Training Cells(int count, Training training = {}, int gate_us = 5) {
  const std::string gate = Vectorized("at::native::sigmoid_kernel_cuda", 2);
  const std::string tanh = Vectorized("at::native::tanh_kernel_cuda", 2);
  for (int i = 0; i < count; ++i) {
    training.Product("cublasSgemm_v2 m=1024 n=32 k=256 A=0x100 B=0x200 C=0x300",
                     10, kTf32);
    for (int g = 0; g < 3; ++g) training.Kernel(gate, gate_us);
    training.Kernel(tanh, gate_us);
  }
  return training;
}

TEST(RnnLoopTest, AThirdOfTheTimeIsTheProducts) {
  const AdviceList list = Cells(16).Advised();
  const auto advice = Given(list, "rnn_loop");
  ASSERT_NE(advice, nullptr);
  // 0.75 of the gates' time at least, less what cuDNN's chain waits; all but
  // 0.05 of it and half of the products' at best.
  EXPECT_NEAR(advice->gain_low_ns, 16 * (0.75 * 20e3 - 6e3), 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 16 * (0.95 * 20e3 + 0.5 * 10e3), 2e3);
}

// cuDNN's kernel of all gates waits for the product as these do.
TEST(RnnLoopTest, GatesThatTakeNoTimeMayGainNothing) {
  const AdviceList list = Cells(16, {}, 2).Advised();
  EXPECT_EQ(Given(list, "rnn_loop"), nullptr);
  EXPECT_NE(WhyHeldBack(list, "rnn_loop"), "");
}

// What is left beside fused cells adds up gradients, as cuDNN's layer does.
TEST(RnnLoopTest, FusedCellsMayGainNothing) {
  Training training;
  for (const char* input : {"A=0x400 B=0x500", "A=0x600 B=0x700"}) {
    training.Product(
        "cublasSgemm_v2 m=512 n=32 k=128 C=0x800 " + std::string(input), 10,
        kTf32);
  }
  training.Kernel(
      "void at::native::(anonymous namespace)::kernel::lstm_cell_forward<"
      "float, float, int, 1>(at::cuda::detail::TensorInfo<float, int>)",
      5);
  const AdviceList list = Cells(16, training).Advised();
  EXPECT_EQ(Given(list, "rnn_loop"), nullptr);
  EXPECT_NE(WhyHeldBack(list, "rnn_loop"), "");
}

TEST(RnnLoopTest, CudnnsLayerIsLeftAlone) {
  EXPECT_TRUE(IsSilent(Training()
                           .Product("cudnnRNNForward", 100, "RNN_blockPersist")
                           .Advised()));
}

// cuDNN's recurrent layer over 16 time steps, in calls of `each` of them, and
// back.
AdviceList CudnnCells(int each, bool backward = true) {
  Training training;
  for (int i = 0; i < 16 / each; ++i) {
    training.Product("cudnnRNNForward operation=1", 20 * each, "RNN_block");
  }
  training.InBackward();
  for (int i = 0; backward && i < 16 / each; ++i) {
    training.Product("cudnnRNNBackwardData_v8 operation=2", 20 * each,
                     "RNN_block_backward");
  }
  std::string operations;
  for (const char* kind : {"1 rnn_forward", "2 rnn_backward_data"}) {
    operations +=
        Line("operation ", kind,
             " cell=lstm batch=8 input=64 hidden=64 layers=1 seq=", each);
  }
  return AdviceOf(operations + training.Text());
}

TEST(RnnLoopTest, CudnnsLayerForEachTimeStepIsToTakeThemAll) {
  const auto advice = Given(CudnnCells(1), "rnn_loop");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->layer_class, LayerClass::kRnn);
  EXPECT_NE(advice->why.find("single time steps"), std::string::npos);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 32);
  // 0.3 to 0.85 of its 640 us stay.
  EXPECT_NEAR(advice->gain_low_ns, 0.15 * 640e3, 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 0.70 * 640e3, 20e3);
}

TEST(RnnLoopTest, CudnnsLayerForAllTimeStepsIsLeftAlone) {
  EXPECT_TRUE(IsSilent(CudnnCells(16)));
}

// Each output decides what the next step is given.
TEST(RnnLoopTest, WhoGeneratesCallsCudnnsLayerForEachTimeStep) {
  EXPECT_EQ(Given(CudnnCells(1, false), "rnn_loop"), nullptr);
}

// Four layers twice, the second time with a backward pass.
Training TwoPasses(int first_weights, int second_weights) {
  Training training;
  const auto layers = [&](int weights, int count) {
    for (int i = 0; i < count; ++i) {
      training.Product(
          absl::StrCat("cublasSgemm_v2 m=1024 n=32 k=256 B=0x90000 C=0x91000 "
                       "A=0x",
                       weights + i % 4, "000"),
          50, kTf32);
    }
  };
  layers(first_weights, 4);
  layers(second_weights, 4);
  training.InBackward();
  layers(second_weights, 8);
  training.OnMainThread();
  return training;
}

TEST(ExtraPassesTest, APassOverTheSameWeightsIsExtra) {
  EXPECT_NE(Given(TwoPasses(10, 10).Advised(), "extra_passes"), nullptr);
}

TEST(ExtraPassesTest, ATeachersPassIsNoneOfTheStudents) {
  const AdviceList list = TwoPasses(10, 20).Advised();
  EXPECT_EQ(Given(list, "extra_passes"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "extra_passes"), "");
}

TEST(AutotuneTest, TrialsInEachStepAreSaved) {
  Training training;
  training.Product("cudnnFindConvolutionForwardAlgorithmEx", 900);
  training.Product(kGemm, 100, kTf32);
  const AdviceList list = training.Advised();
  const auto advice = Given(list, "autotune");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 0.9 * 900e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 900e3, 1e3);
}

const std::string kMean =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::MeanOps<float, float, float, float> > >(int)";
const std::string kSquare =
    Vectorized("at::native::pow_tensor_scalar_kernel_impl<float>", 2);
const std::string kRsqrt = Vectorized("at::native::rsqrt_kernel_cuda", 2);
const std::string kMultiply = Vectorized("at::native::MulFunctor<float>", 3);
const std::string kCast = Vectorized(
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda("
    "float)#1}",
    2);

TEST(PointwiseTest, AFormulaGoesThroughMemoryWithEachOperation) {
  Training training;
  training.Product(kGemm, 300, kTf32);
  training.Kernel(kSquare, 100).Kernel(kMean, 60).Kernel(kRsqrt, 5);
  training.Kernel(kMultiply, 120).Kernel(kMultiply, 110);
  const AdviceList list = training.Advised();
  const auto advice = Given(list, "pointwise");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "pointwise");
  EXPECT_EQ(advice->evidence.count, 5);
  // One pass over memory at best; three, as two kernels multiply.
  EXPECT_NEAR(advice->gain_low_ns, 395e3 - 360e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 395e3 - 120e3, 1e3);
}

// Autocast computes some functions in FP32: a fused kernel casts as it loads,
// unless what is cast is another tensor.
TEST(PointwiseTest, CastsBetweenTheOperationsAreOfTheFormula) {
  Training training;
  training.Product(kGemm, 300, kTf32).Kernel(kCast, 50);
  training.Kernel(kSquare, 100).Kernel(kCast, 40).Kernel(kMean, 60);
  training.Kernel(kRsqrt, 5).Kernel(kMultiply, 120).Kernel(kCast, 50);
  const AdviceList list = training.Advised();
  const auto advice = Given(list, "pointwise");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "pointwise");
  EXPECT_EQ(advice->evidence.count, 5);
  EXPECT_NEAR(advice->evidence.ns, 325e3, 1);
  EXPECT_NEAR(advice->gain_low_ns, 325e3 - 2 * 120e3 - 40e3, 1e3);
  // At best what casts made wide is half as wide, and those at both ends go.
  EXPECT_NEAR(advice->gain_high_ns, 325e3 + 100e3 - 60e3, 1e3);
}

// Casts alone, of weights beside a few operations, make no formula.
TEST(PointwiseTest, CastsMakeNoFormulaLong) {
  Training training;
  training.Product(kGemm, 300, kTf32).Kernel(kSquare, 100);
  training.Kernel(kCast, 50).Kernel(kCast, 50).Kernel(kMean, 60);
  training.Kernel(kCast, 50).Kernel(kMultiply, 120);
  EXPECT_EQ(Given(training.Advised(), "pointwise"), nullptr);
}

TEST(PointwiseTest, OneKernelForAllOfItIsLeftAlone) {
  EXPECT_TRUE(IsSilent(Training()
                           .Product(kGemm, 300, kTf32)
                           .Kernel("vectorized_layer_norm_kernel", 150)
                           .Kernel(kMultiply, 120)
                           .Kernel(kAdd, 120)
                           .Advised()));
}

// Of as many tensors: what each kernel reads no other one has written.
TEST(PointwiseTest, TheSameOperationOnManyTensorsIsNoFormula) {
  Training training;
  training.Product(kGemm, 300, kTf32);
  for (int i = 0; i < 20; ++i) training.Kernel(kMultiply, 20);
  EXPECT_EQ(Given(training.Advised(), "pointwise"), nullptr);
}

TEST(PointwiseTest, CompiledKernelsAreLeftAlone) {
  Training training;
  training.Product(kGemm, 300, kTf32);
  for (const char* name : {"triton_poi_fused_add_0", "triton_poi_fused_mul_1",
                           "loop_add_fusion", "loop_multiply_fusion"}) {
    training.Kernel(name, 100);
  }
  EXPECT_EQ(Given(training.Advised(), "pointwise"), nullptr);
}

const std::string kZeros = Vectorized("at::native::FillFunctor<float>", 1);
constexpr char kLookup[] = "at::native::EmbeddingBag_updateOutputKernel";
constexpr char kGradient[] =
    "at::native::embedding_backward_feature_kernel<float>";

// Zeros of `blocks` x 1024 elements for the gradient of a table, of which the
// forward pass looks some up in `lookup_us`.
AdviceList Embedding(int blocks, int lookup_us,
                     const std::string& product = kGemm) {
  Training training;
  training.Kernel(kLookup, lookup_us).Product(product, 500, kTf32);
  training.InBackward().Product(kGemm, 500, kTf32).Kernel(kZeros, 300, blocks);
  training.Kernel(kGradient, 10).OnMainThread();
  return training.Kernel("FusedSgdMathFunctor", 900).Advised();
}

TEST(EmbeddingTest, FewRowsOfALargeTableGetAWholeGradient) {
  const AdviceList list = Embedding(250'000, 5);
  const auto advice = Given(list, "embedding");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "embedding");
  EXPECT_EQ(advice->evidence.count, 1);
  // 1 GB: 306 us an access, of which an update makes three at least.
  EXPECT_NEAR(advice->gain_low_ns, 300e3 + 900e3 - 150e3, 5e3);
  // What adds gradients up is not told from the zeros.
  EXPECT_NEAR(advice->gain_high_ns, 300e3 + 900e3 + 10e3 + 300e3, 5e3);
}

// SGD moves the rows six times, a lookup twice.
TEST(EmbeddingTest, RowsOfSparseGradientsMoveAsSlowlyAsTheirLookups) {
  const AdviceList list = Embedding(250'000, 110);
  const auto advice = Given(list, "embedding");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "embedding");
  EXPECT_NEAR(advice->gain_low_ns, 300e3 + 900e3 - 150e3 - 3 * 105e3, 5e3);
}

TEST(EmbeddingTest, ATableOfWhichMuchIsLookedUpIsLeftAlone) {
  EXPECT_TRUE(IsSilent(Embedding(250'000, 200)));
}

// The last layer's weights are the table's: their gradient has no zeros.
TEST(EmbeddingTest, ATableThatIsMultipliedWithIsLeftAlone) {
  const AdviceList list =
      Embedding(250'000, 5, "cublasSgemm_v2 m=500000 n=512 k=512");
  EXPECT_EQ(Given(list, "embedding"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "embedding"), "");
}

constexpr char kTransposed[] = "cudnn::ops::nchwToNhwcKernel<float, float>";
constexpr char kConvolution[] = "cudnnConvolutionForward";

TEST(LayoutTest, TransposesInsideAConvolutionsCall) {
  const AdviceList list = Training()
                              .Product(kConvolution, 60, kTransposed)
                              .Product(kConvolution, 200, "implicit_gemm_tf32")
                              .Advised();
  const auto advice = Given(list, "layout");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 0.9 * 60e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 60e3, 1e3);
}

const std::string kStrided =
    "void at::native::elementwise_kernel<128, 2, at::native::"
    "gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::"
    "TensorIteratorBase&)::{lambda(float)#1}> >(int)";

TEST(LayoutTest, CopiesIntoAnotherOrderBesideAConvolution) {
  const AdviceList list = Training()
                              .Kernel(kStrided, 60)
                              .Product(kConvolution, 200, "implicit_gemm_tf32")
                              .Advised();
  const auto advice = Given(list, "layout");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->act.find("nn.GroupNorm"), std::string::npos);
}

// Convolutions that turn their operands themselves were not given
// channels_last.
TEST(LayoutTest, WhereConvolutionsTransposeTheModelsLayoutIsNamed) {
  const AdviceList list = Training()
                              .Kernel(kStrided, 60)
                              .Product(kConvolution, 60, kTransposed)
                              .Product(kConvolution, 200, "implicit_gemm_tf32")
                              .Advised();
  const auto advice = Given(list, "layout");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->act.find("model and inputs"), std::string::npos);
}

// 64 pictures of 150 channels, 32 x 32: in whole blocks of 256 elements, or the
// 100 channels of the larger of two parts that were joined.
TEST(LayoutTest, CopiesOfPartsAreNoTransposes) {
  using opmodel::Dim;
  opmodel::Operation op;
  op[Dim::kBatch] = 64;
  op[Dim::kChannelsIn] = 150;
  op[Dim::kChannelsOut] = 50;
  op[Dim::kHeightIn] = op[Dim::kWidthIn] = 32;
  op[Dim::kHeightOut] = op[Dim::kWidthOut] = 32;
  op[Dim::kFilterHeight] = op[Dim::kFilterWidth] = 3;
  const double picture = 64 * 32 * 32 * 2 * 4;
  EXPECT_TRUE(MayBeOperandOf(op, 150 * picture + 256 * 2 * 4));
  EXPECT_TRUE(MayBeOperandOf(op, 50 * picture));
  EXPECT_FALSE(MayBeOperandOf(op, 100 * picture));
  EXPECT_TRUE(MayBeOperandOf(op, 0)) << "unknown";
}

TEST(LayoutTest, ACopyBesideAProductIsLeftAlone) {
  const AdviceList list = Training()
                              .Kernel("transpose_kernel", 60)
                              .Product(kGemm, 200, kTf32)
                              .Advised();
  EXPECT_TRUE(IsSilent(list));
}

// `passes` forward and backward before an update, each of which casts 1024 x
// 1000 weights.
Training CastingIn(int passes, int blocks = 1000) {
  Training training;
  for (int i = 0; i < passes; ++i) {
    training.OnMainThread().Product(kHalfGemm, 20, "gemm_bf16");
    training.Kernel(kCast, 30, blocks);
    training.Product(kHalfGemm, 20, "gemm_bf16");
    training.InBackward().Product(kHalfGemm, 40, "gemm_bf16");
  }
  training.OnMainThread().Kernel("FusedAdamMathFunctor", 5);
  return training;
}

TEST(CastTest, WeightsThatAStepCastsAgain) {
  const AdviceList list = CastingIn(4).Advised();
  const auto advice = Given(list, "cast");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence.count, 3);
  EXPECT_NEAR(advice->gain_low_ns, 0.9 * 90e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 120e3, 1e3);
}

TEST(CastTest, OneCastAStepIsNeeded) {
  EXPECT_EQ(Given(CastingIn(1).Advised(), "cast"), nullptr);
}

TEST(CastTest, ACastOfTheInputIsNeededInEachPass) {
  EXPECT_EQ(Given(CastingIn(4, 63).Advised(), "cast"), nullptr);
}

// A layer forward, and again backward if `again`; `held` bytes of 80 GiB.
std::string Recomputing(bool again, const std::string& held) {
  Training training;
  const std::string gelu = Vectorized("at::native::GeluCUDAKernel", 2);
  const auto forward = [&] {
    training.Product(kHalfGemm, 20, "gemm_bf16_nn").Kernel(gelu, 20);
    training.Kernel(kAdd, 10);
  };
  forward();
  training.InBackward();
  if (again) forward();
  training.Kernel(Vectorized("at::native::GeluBackwardCUDAKernel", 3), 20);
  training.Product(kHalfGemm, 40, "gemm_bf16_nt").OnMainThread();
  training.Kernel("FusedAdamMathFunctor", 5);
  std::string text = training.Text();
  text.insert(text.find('\n'), " memory=85899345920");
  return text +
         "call t=10..12us thread=0 cudaMalloc devPtr=0x100 size=" + held + "\n";
}

TEST(CheckpointTest, LayersAreComputedAgainThoughMemoryIsFree) {
  const AdviceList list = AdviceOf(Recomputing(true, "1000000000"));
  const auto advice = Given(list, "checkpoint");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence.count, 3);
  EXPECT_NEAR(advice->gain_low_ns, 25e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 50e3, 1e3);
}

TEST(CheckpointTest, WhereMemoryIsInUseNothingIsSaid) {
  const AdviceList list = AdviceOf(Recomputing(true, "60000000000"));
  EXPECT_TRUE(IsSilent(list));
}

TEST(CheckpointTest, WithoutRecomputingNothingIsSaid) {
  const AdviceList list = AdviceOf(Recomputing(false, "1000000000"));
  EXPECT_TRUE(IsSilent(list));
}

// 137 GFLOP of bfloat16 at 0.9 of H100's 989 TFLOP/s would be 0.15 ms.
std::string HalfProduct(int64_t m, int64_t n, int64_t k, const char* trans) {
  return absl::StrCat("cublasGemmEx m=", m, " n=", n, " k=", k,
                      " Atype=14 Btype=14 Ctype=14 computeType=68", trans);
}

TEST(OddSizesTest, RowsThatNoLoadOf16BytesFits) {
  const AdviceList list =
      Training()
          .Product(HalfProduct(50257, 8192, 768, " transa=1"), 1400, "gemm")
          .Advised();
  const auto advice = Given(list, "odd_sizes");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "odd_sizes");
  EXPECT_NE(advice->act.find("50304 in place of 50257"), std::string::npos);
  // A quarter goes at worst; at best all but the FLOP at the peak.
  EXPECT_NEAR(advice->gain_low_ns, 350e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 1400e3 - 639e3, 2e3);
}

TEST(OddSizesTest, OddNumbersOfTokensAreRowsOfNothing) {
  for (const std::string& call : {HalfProduct(4096, 8191, 768, " transa=1"),
                                  HalfProduct(768, 4096, 8191, " transb=1")}) {
    EXPECT_TRUE(IsSilent(Training().Product(call, 140, "gemm").Advised()));
  }
}

TEST(OddSizesTest, WhatIsNearThePeakOrWaitsForMemoryGainsNothing) {
  const auto gains = [](int64_t m, int64_t n, int us) {
    const std::string call = HalfProduct(m, n, 4096, " transa=1");
    return Given(Training().Product(call, us, "gemm").Advised(), "odd_sizes") !=
           nullptr;
  };
  EXPECT_TRUE(gains(4097, 4096, 300));
  EXPECT_FALSE(gains(4097, 4096, 190)) << "0.73 of the peak";
  EXPECT_FALSE(gains(4097, 8, 14)) << "34 MB at 0.72 of the bandwidth";
  EXPECT_FALSE(gains(10, 65536, 300)) << "ten classes";
}

}  // namespace
}  // namespace dltap::analyzer
