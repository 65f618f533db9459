// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analyzer/metrics/layer_program.h"

namespace dltap::analyzer {
namespace {

const std::string kFill = Elementwise("FillFunctor<float>");
const std::string kOver =
    Elementwise("BinaryFunctor<float, DivFunctor<float> >");
const std::string kPlus = Elementwise("CUDAFunctor_add<float>");
const std::string kCast =
    Elementwise("bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)");
const std::string kLongs =
    Elementwise("AUnaryFunctor<long, long, long, MulFunctor<long> >");
const std::string kSum =
    "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::sum_functor<float> > >(int)\"";
const std::string kGather =
    "\"void at::native::vectorized_gather_kernel<16, long>(char*)\"";
const std::string kSelect =
    "\"void at::native::indexSelectLargeIndex<float, long>(float*)\"";
const std::string kScatterAdd =
    "\"void at::native::_scatter_gather_elementwise_kernel<128, 8, "
    "at::native::ReduceAdd>(int)\"";
const std::string kAddRows =
    "\"void at::native::indexFuncLargeIndex<float, ReduceAdd>(float*)\"";
const std::string kSort =
    "\"void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<long>(int)\"";
const std::string kIndex =
    "\"void at::native::index_elementwise_kernel<128, 4, "
    "at::native::gpu_index_kernel<at::native::index_kernel_impl> >(int)\"";
const std::string kPower = Elementwise("pow_tensor_scalar_kernel_impl<float>");
const std::string kSumRows =
    "\"void (anonymous namespace)::indexing_backward_kernel<float>(int)\"";
const std::string kBag =
    "\"void at::native::(anonymous namespace)::"
    "EmbeddingBag_updateOutputKernel_sum_mean<float, long>(long*)\"";
const std::string kTableGradient =
    "\"void at::native::(anonymous namespace)::"
    "embedding_backward_feature_kernel<float, float, long>(long*)\"";

TEST(LayerGradientsTest, OfRowsAddedUpReadThem) {
  Program program;
  program.Kernel(kMain, kGather, 1)
      .Kernel(kMain, kTimes, 2)
      .Kernel(kMain, kScatterAdd, 3)
      .Kernel(kMain, kOver, 4)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xd00 C=0xc0", 10)
      .Kernel(kAutograd, kOver, 5)
      .Kernel(kAutograd, kGather, 6)
      .Kernel(kAutograd, kTimes, 7)
      .Kernel(kAutograd, kFill, 8)
      .Kernel(kAutograd, kAddRows, 9);
  EXPECT_EQ(TimesOf(program), (All{{1, 17}, {9, 18}, {20, 10}}));
}

TEST(LayerGradientsTest, WhatFollowsAddedRowsIsOfTheNextLayer) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Kernel(kMain, kOver, 1)
      .Kernel(kMain, kGather, 2)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0xb00 C=0xd0", 30)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x200 B=0xd00 C=0xc0", 12)
      .Kernel(kAutograd, kFill, 3)
      .Kernel(kAutograd, kAddRows, 4)
      .Kernel(kAutograd, kOver, 5)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 10);
  EXPECT_EQ(TimesOf(program), (All{{20, 10}, {1, 5}, {2, 7}, {30, 12}}));
}

TEST(LayerGradientsTest, WhatPreparesASumOfRowsIsOfIt) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Kernel(kMain, kGather, 1)
      .Kernel(kMain, kTimes, 2)
      .Kernel(kMain, "gelu", 3)
      .Kernel(kAutograd, "gelu_backward", 4)
      .Kernel(kAutograd, kTimes, 5)
      .Kernel(kAutograd, kFill, 6)
      .Kernel(kAutograd, kLongs, 7);
  for (int pass = 0; pass < 2; ++pass) {
    program.Memset(kAutograd, 8).Kernel(kAutograd, kSort, 9);
  }
  program.Kernel(kAutograd, kSumRows, 10)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 11);
  EXPECT_EQ(TimesOf(program), (All{{20, 11}, {1, 57}, {2, 5}, {3, 4}}));
}

TEST(LayerGradientsTest, WhatASumClearsFirstIsOfIt) {
  Program program;
  program.Kernel(kMain, kTimes, 2)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 11)
      .Memset(kAutograd, 3)
      .Kernel(kAutograd, kSum, 4)
      .Kernel(kAutograd, kTimes, 5);
  EXPECT_EQ(TimesOf(program), (All{{2, 5}, {20, 18}}));
}

// The first layers of a graph's convolution: of rows and of their neighbours.
TEST(LayerGradientsTest, OfTwoWeightsAreOfTwoLayers) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0xa00 C=0xb0", 30)
      .Kernel(kMain, "gelu", 5)
      .Kernel(kAutograd, "gelu_backward", 6)
      .Gemm(kAutograd, "m=16 n=64 k=32 A=0xa00 B=0xd00 C=0xc0", 3)
      .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xd00 C=0xd0", 2);
  EXPECT_EQ(TimesOf(program), (All{{20, 2}, {30, 3}, {5, 6}}));
}

TEST(LayerGradientsTest, LookUpsInARowAreALayerEach) {
  Program program;
  program.Kernel(kMain, kGather, 1)
      .Kernel(kMain, kSelect, 2)
      .Kernel(kMain, kPlus, 3)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20);
  EXPECT_EQ(TimesOf(program), (All{{1, 0}, {2, 0}, {3, 0}, {20, 0}}));
}

// Experts, where the addresses of weights are not known.
TEST(LayerGradientsTest, TheOtherOneOfAProductIsTheNearest) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0xa00 C=0xb0", 30)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0xf10 B=0xd00 C=0xe0", 3)
      .Kernel(kAutograd, "gelu_backward", 6)
      .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xd00 C=0xc0", 1)
      .Gemm(kAutograd, "m=16 n=64 k=32 A=0xa00 B=0xe00 C=0xd0", 2);
  EXPECT_EQ(TimesOf(program), (All{{20, 4}, {30, 2}}));
}

TEST(LayerGradientsTest, OfCastsAreOfTheProductThatTheyStoodBefore) {
  Program program;
  program.Kernel(kMain, "layer_norm_kernel", 1)
      .Kernel(kMain, kCast, 2)
      .Kernel(kMain, kCast, 2)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 11)
      .Kernel(kAutograd, kCast, 3)
      .Kernel(kAutograd, kPlus, 4)
      .Kernel(kAutograd, kCast, 5)
      .Kernel(kAutograd, kCast, 6)
      .Kernel(kAutograd, "layer_norm_backward_kernel", 7);
  EXPECT_EQ(TimesOf(program), (All{{1, 13}, {24, 23}}));
}

TEST(LayerGradientsTest, OfAHandMadeAttentionMayComeApart) {
  const std::string batched = "cublasGemmStridedBatchedEx ";
  const std::string ab = " k=64 batchCount=8 A=0x10 B=0x20 C=0x30";
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Do(kMain, batched + "m=32 n=32" + ab, "ampere_sgemm_64x64_tn", 1)
      .Kernel(kMain, "softmax_warp_forward", 2)
      .Do(kMain, batched + "m=32 n=32" + ab, "ampere_sgemm_64x64_nn", 3)
      .Kernel(kMain, kTimes, 4)
      .Kernel(kAutograd, kTimes, 5)
      .Do(kAutograd, batched + "m=32 n=32" + ab, "ampere_sgemm_64x64_nn", 6)
      .Kernel(kAutograd, "gelu_backward", 1)
      .Kernel(kAutograd, "softmax_warp_backward", 7)
      .Kernel(kAutograd, "gelu_backward", 1)
      .Do(kAutograd, batched + "m=32 n=32" + ab, "ampere_sgemm_64x64_nn", 8)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 11);
  const std::vector<Times> times = TimesOf(program);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[1].forward_us, 6);
  EXPECT_GE(times[1].backward_us, 21);
}

TEST(LayerGradientsTest, OfATriangularSolveAreASolveAndAProduct) {
  const std::string solve = "cublasStrsmBatched m=64 n=32 batchCount=4";
  const std::string product =
      "cublasGemmStridedBatchedEx m=64 n=64 k=32 batchCount=4";
  Program program;
  program.Do(kMain, solve, "trsm_kernel", 5)
      .Kernel(kMain, "gelu", 1)
      .Kernel(kAutograd, "gelu_backward", 2)
      .Do(kAutograd, solve, "trsm_kernel", 6)
      .Do(kAutograd, product, "ampere_sgemm_64x64_nn", 7);
  EXPECT_EQ(TimesOf(program), (All{{5, 13}, {1, 2}}));
}

// The table of the first is no parameter.
TEST(LayerGradientsTest, OfElementsReadByIndexSumRows) {
  Program program;
  program.Kernel(kMain, kGather, 1)
      .Kernel(kMain, "gelu", 2)
      .Kernel(kMain, kIndex, 3)
      .Kernel(kMain, "gelu", 4)
      .Kernel(kAutograd, "gelu_backward", 5)
      .Kernel(kAutograd, kFill, 6)
      .Kernel(kAutograd, kLongs, 7)
      .Kernel(kAutograd, kSumRows, 8);
  EXPECT_EQ(TimesOf(program), (All{{1, 0}, {2, 0}, {3, 21}, {4, 5}}));
}

// A kernel over two tensors at once is forward no norm, but its gradient is.
TEST(LayerGradientsTest, OfARowMayBeANorms) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Kernel(kMain, kTimes, 1)
      .Kernel(kMain, kPlus, 2)
      .Kernel(kMain, "gelu", 3)
      .Kernel(kAutograd, "gelu_backward", 4)
      .Kernel(kAutograd, kOver, 5)
      .Kernel(kAutograd, kSum, 6)
      .Kernel(kAutograd, kPower, 6)
      .Kernel(kAutograd, kTimes, 6)
      .Kernel(kAutograd, kPlus, 6)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 10);
  EXPECT_EQ(TimesOf(program), (All{{20, 10}, {3, 29}, {3, 4}}));
}

TEST(LayerGradientsTest, OfTablesInARowEachBeginWithItsZeros) {
  Program program;
  program.Kernel(kMain, kGather, 1)
      .Kernel(kMain, kGather, 2)
      .Kernel(kMain, kBag, 3)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xd00 C=0xc0", 10)
      .Kernel(kAutograd, kGather, 4)
      .Kernel(kAutograd, kFill, 5)
      .Kernel(kAutograd, kTableGradient, 6)
      .Kernel(kAutograd, kFill, 7)
      .Kernel(kAutograd, kTableGradient, 8);
  EXPECT_EQ(TimesOf(program).front(), (Times{1, 15}));
}

TEST(LayerGradientsTest, ASumOfTwoIsNoTables) {
  Program program;
  program.Kernel(kMain, kGather, 1)
      .Kernel(kMain, kGather, 2)
      .Kernel(kMain, kGather, 3)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xd00 C=0xc0", 10)
      .Kernel(kAutograd, kPlus, 4)
      .Kernel(kAutograd, kFill, 5)
      .Kernel(kAutograd, kTableGradient, 6)
      .Kernel(kAutograd, kFill, 7)
      .Kernel(kAutograd, kTableGradient, 8);
  EXPECT_EQ(TimesOf(program), (All{{1, 0}, {2, 15}, {3, 11}, {20, 14}}));
}

TEST(LayerGradientsTest, ElementwiseWorkIsNoTables) {
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Kernel(kMain, kOver, 1)
      .Kernel(kMain, "gelu", 2)
      .Kernel(kMain, kGather, 3)
      .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0xb00 C=0xd0", 30)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x200 B=0xd00 C=0xc0", 12)
      .Kernel(kAutograd, kOver, 5)
      .Kernel(kAutograd, "gelu_backward", 6)
      .Kernel(kAutograd, kOver, 7)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xe00 C=0xc0", 10);
  EXPECT_EQ(TimesOf(program),
            (All{{20, 10}, {1, 7}, {2, 6}, {3, 0}, {30, 17}}));
}

}  // namespace
}  // namespace dltap::analyzer
