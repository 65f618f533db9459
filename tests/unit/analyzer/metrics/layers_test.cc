// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/analyzer/metrics/layer_program.h"

namespace dltap::analyzer {
namespace {

// The example of METRICS.md.
TEST(LayersTest, BackwardOperationsFollowTheAddressesOfTheirOperands) {
  const Summary summary =
      Program()
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
          .Kernel(kMain, "gelu", 5)
          .Gemm(kMain, "m=8 n=32 k=64 A=0x200 B=0xa00 C=0xb0", 10)
          .Gemm(kAutograd, "m=64 n=32 k=8 A=0x200 B=0xd00 C=0xc0", 11)
          .Gemm(kAutograd, "m=64 n=8 k=32 A=0xa00 B=0xd00 C=0xd0", 12)
          .Kernel(kAutograd, "gelu_backward", 6)
          .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xe00 C=0xe0", 21)
          .Sum();
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(RowsOf(figures),
            (std::vector<Row>{{"gemm 32x64x16", 20, 0, 21, 0, 0, 1},
                              {"activation gelu", 5, 0, 0, 6, 0, 1},
                              {"gemm 32x8x64", 10, 11, 12, 0, 0, 1}}));
  EXPECT_EQ(MatchedUs(figures, LayerMatch::kWeight), 44);
  EXPECT_EQ(MatchedUs(figures, LayerMatch::kOrder), 6);
  EXPECT_EQ(figures.layers.matching.matched_share, 1.0);
}

TEST(LayersTest, EqualLayersAreMatchedFromTheEnd) {
  const Summary summary = Program()
                              .Kernel(kMain, "ampere_sgemm_64x64_nn", 10)
                              .Kernel(kMain, "gelu", 1)
                              .Kernel(kMain, "ampere_sgemm_64x64_nn", 20)
                              .Kernel(kAutograd, "ampere_sgemm_64x64_nt", 40)
                              .Kernel(kAutograd, "gelu_backward", 2)
                              .Kernel(kAutograd, "ampere_sgemm_64x64_nt", 30)
                              .Sum();
  EXPECT_EQ(
      RowsOf(FiguresOf(summary)),
      (std::vector<Row>{{"gemm ampere_sgemm_64x64_nn", 10, 0, 0, 30, 0, 1},
                        {"activation gelu", 1, 0, 0, 2, 0, 1},
                        {"gemm ampere_sgemm_64x64_nn", 20, 0, 0, 40, 0, 1}}));
}

TEST(LayersTest, WhatIsLaunchedBesideAToldLaunchIsOfItsLayer) {
  Program program;
  for (int layer = 0; layer < 2; ++layer) {
    program.Kernel(kMain, "at::cuda::philox::unpack_cudnn", 1)
        .Told(kMain, 1, "pytorch_flash::flash_fwd_splitkv_kernel", 20)
        .Kernel(kMain, "pytorch_flash::flash_fwd_splitkv_combine_kernel", 3);
  }
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 7)
      .Told(kMain, 1, "fmha_cutlassF_f32", 30)
      .Told(kMain, 1, "fmha_cutlassF_bf16", 10)
      .Told(kAutograd, 2, "fmha_cutlassB_f32", 60)
      .Told(kAutograd, 2, "fmha_cutlassB_f32", 50)
      .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xe00 C=0xe0", 8);
  for (int layer = 0; layer < 2; ++layer) {
    program.Kernel(kAutograd, "pytorch_flash::flash_bwd_dot_do_o_kernel", 2)
        .Told(kAutograd, 2, "pytorch_flash::flash_bwd_dq_dk_dv_loop", 40)
        .Kernel(kAutograd, "pytorch_flash::flash_bwd_convert_dq_kernel", 4);
  }
  std::vector<double> forward, backward;
  const Summary summary = program.Sum();
  for (const Row& row : RowsOf(FiguresOf(summary))) {
    forward.push_back(row.forward_us);
    backward.push_back(row.both_us);
  }
  EXPECT_EQ(forward, (std::vector<double>{24, 24, 7, 30, 10}));
  EXPECT_EQ(backward, (std::vector<double>{46, 46, 0, 50, 60}));
}

TEST(LayersTest, NumbersOfNodesDecideWhereATraceHasThem) {
  const Summary summary =
      Program()
          .Operator(kMain, "aten::gelu", 3, "gelu", 10)
          .Operator(kMain, "aten::softmax", 4, "softmax_warp_forward", 20)
          .Operator(kMain, "aten::gelu", 5, "gelu", 30)
          .Operator(kAutograd, "GeluBackward0", 3, "gelu_backward", 7)
          .Sum();
  const Figures figures = FiguresOf(summary);
  const std::vector<Row> rows = RowsOf(figures);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].both_us, 7);
  EXPECT_EQ(rows[2].both_us, 0);
  EXPECT_EQ(MatchedUs(figures, LayerMatch::kSequence), 7);
}

// An autograd function of the program's own is one node of several layers.
TEST(LayersTest, OfOneNodesLayersTheOrderTells) {
  const std::string times =
      "\"void at::native::vectorized_elementwise_kernel<4, "
      "at::native::BinaryFunctor<float, MulFunctor<float> > >(int)\"";
  const Summary summary =
      Program()
          .Node(kMain, "GeluFunction", 3, {{times, 1}, {"gelu", 2}, {times, 3}})
          .Node(kMain, "aten::softmax", 4, {{"softmax_warp_forward", 20}})
          .Node(kAutograd, "SoftmaxBackward0", 4,
                {{"softmax_warp_backward", 30}})
          .Node(kAutograd, "GeluFunctionBackward", 3,
                {{times, 5}, {"gelu_backward", 6}, {times, 7}})
          .Sum();
  const Figures figures = FiguresOf(summary);
  std::vector<double> backward;
  for (const Row& row : RowsOf(figures)) backward.push_back(row.both_us);
  EXPECT_EQ(backward, (std::vector<double>{7, 6, 5, 30}));
  EXPECT_EQ(MatchedUs(figures, LayerMatch::kSequence), 48);
}

// Experts: the gradients of all weights, then those of all inputs.
TEST(LayersTest, TheTwoGradientsOfAProductMayComeApart) {
  const Summary summary =
      Program()
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
          .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0xa00 C=0xb0", 30)
          .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xd00 C=0xc0", 1)
          .Gemm(kAutograd, "m=16 n=64 k=32 A=0xa00 B=0xe00 C=0xd0", 2)
          .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xd00 C=0xe0", 3)
          .Gemm(kAutograd, "m=16 n=32 k=64 A=0x200 B=0xe00 C=0xf0", 4)
          .Sum();
  EXPECT_EQ(RowsOf(FiguresOf(summary)),
            (std::vector<Row>{{"gemm 32x64x16", 20, 3, 1, 0, 0, 1},
                              {"gemm 32x64x16", 30, 4, 2, 0, 0, 1}}));
}

TEST(LayersTest, GradientsOfTwoNormsInARowAreOfBoth) {
  const auto kernel = [](const std::string& what) {
    return "\"void at::native::vectorized_elementwise_kernel<4, at::native::" +
           what + "<float> >(int)\"";
  };
  const std::string power = kernel("pow_tensor_scalar_kernel_impl");
  const std::string times = kernel("BinaryFunctor<float, MulFunctor<float> >");
  const std::string sum =
      "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
      "at::native::sum_functor<float> > >(int)\"";
  const std::string mean =
      "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
      "at::native::MeanOps<float> > >(int)\"";
  Program program;
  for (const int us : {1, 2}) {
    program.Kernel(kMain, power, us).Kernel(kMain, mean, us);
    program.Kernel(kMain, kernel("rsqrt_kernel_cuda"), us);
    program.Kernel(kMain, times, us);
  }
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
      .Gemm(kAutograd, "m=16 n=32 k=64 A=0x100 B=0xd00 C=0xc0", 10);
  for (const int us : {4, 3}) {
    program.Kernel(kAutograd, sum, us).Kernel(kAutograd, power, us);
    program.Kernel(kAutograd, times, us);
    program.Kernel(kAutograd, kernel("CUDAFunctor_add"), us);
  }
  std::vector<std::pair<double, double>> times_us;
  const Summary summary = program.Sum();
  for (const Row& row : RowsOf(FiguresOf(summary))) {
    times_us.emplace_back(row.forward_us, row.both_us);
  }
  ASSERT_EQ(times_us.size(), 3u);
  EXPECT_EQ(times_us[0], std::pair(4.0, 12.0));
  EXPECT_EQ(times_us[1], std::pair(8.0, 16.0));
}

TEST(LayersTest, AMeanAndAVarianceAreOfOneNorm) {
  const auto kernel = [](const std::string& what) {
    return "\"void at::native::elementwise_kernel<128, 2, at::native::" + what +
           "<float> >(int)\"";
  };
  const auto sum = [](const std::string& what) {
    return "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<"
           "float, at::native::" +
           what + "<float> > >(int)\"";
  };
  Program program;
  program.Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20);
  program.Kernel(kMain, sum("MeanOps"), 1);
  program.Kernel(kMain, sum("WelfordOps"), 1);
  program.Kernel(kMain, kernel("CUDAFunctor_add"), 1);
  program.Kernel(kMain, kernel("BinaryFunctor<float, DivFunctor<float> >"), 1);
  const Summary summary = program.Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].forward_us, 4);
}

TEST(LayersTest, OneWeightIsOneLayerHoweverOftenItIsUsed) {
  const Summary summary =
      Program()
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 10)
          .Kernel(kMain, "gelu", 1)
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x930 C=0xa0", 10)
          .Kernel(kMain, "softmax_warp_forward", 1)
          .Gemm(kMain, "m=64 n=32 k=16 A=0x200 B=0x960 C=0xa0", 10)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], (Row{"gemm 32x64x16", 20, 0, 0, 0, 0, 2}));
  EXPECT_EQ(rows[3], (Row{"gemm 32x64x16", 10, 0, 0, 0, 0, 1}));
}

// A bias is copied to the result before the product is added to it; a copy of
// the weights lies where there was room, for another layer the next time.
TEST(LayersTest, ACopyThatMakesTheWeightsHidesTheirLayer) {
  const auto calls = [](const std::string& to) {
    const std::string sizes = "m=64 n=32 k=16 B=0x900 C=0xa0 A=0x100";
    const Summary summary = Program()
                                .Kernel(kMain, "gelu", 1)
                                .Copy(kMain, to, 1)
                                .Gemm(kMain, sizes, 10)
                                .Kernel(kMain, "gelu", 1)
                                .Copy(kMain, to, 1)
                                .Gemm(kMain, sizes, 10)
                                .Sum();
    std::vector<uint64_t> of_layers;
    for (const Row& row : RowsOf(FiguresOf(summary))) {
      if (row.operation == "gemm 32x64x16") of_layers.push_back(row.calls);
    }
    return of_layers;
  };
  EXPECT_EQ(calls("0xa0"), std::vector<uint64_t>{2});
  EXPECT_EQ(calls("0x100"), (std::vector<uint64_t>{1, 1}));
}

TEST(LayersTest, LayersOfOtherTypesAreNotEqual) {
  const std::string sizes = "m=64 n=32 k=16 B=0x900 C=0xa0 A=";
  const Summary summary = Program()
                              .Gemm(kMain, sizes + "0x100", 10)
                              .Kernel(kMain, "gelu", 1)
                              .Do(kMain, "cublasDgemm_v2 " + sizes + "0x200",
                                  "ampere_dgemm_64x64_nn", 80)
                              .Sum();
  const Figures figures = FiguresOf(summary);
  const LayerTables& layers = figures.layers;
  ASSERT_EQ(layers.groups.size(), 3u);
  EXPECT_EQ(layers.groups[0].identity.operation, "gemm 32x64x16");
  EXPECT_EQ(layers.groups[2].identity.operation, "gemm 32x64x16 f64");
}

TEST(LayersTest, WhatIsComputedAgainBelongsToItsLayer) {
  const std::string first = "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0";
  const std::string second = "m=8 n=32 k=64 A=0x200 B=0xa00 C=0xb0";
  const Summary summary =
      Program()
          .Gemm(kMain, first, 20)
          .Kernel(kMain, "softmax_warp_forward", 5)
          .Gemm(kMain, second, 10)
          .Gemm(kAutograd, first, 20)
          .Kernel(kAutograd, "softmax_warp_forward", 5)
          .Gemm(kAutograd, second, 10)
          .Gemm(kAutograd, "m=64 n=32 k=8 A=0x200 B=0xd00 C=0xc0", 11)
          .Kernel(kAutograd, "softmax_warp_backward", 6)
          .Gemm(kAutograd, "m=16 n=64 k=32 A=0x900 B=0xe00 C=0xe0", 21)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (Row{"gemm 32x64x16", 20, 0, 21, 0, 20, 1}));
  EXPECT_EQ(rows[1].again_us, 5);
  EXPECT_EQ(rows[2], (Row{"gemm 32x8x64", 10, 11, 0, 0, 10, 1}));
}

// Autocast casts the weights once more: the copies lie elsewhere, here where
// the other layer's were.
TEST(LayersTest, WhatIsComputedAgainTellsTheOperandsOfItsGradients) {
  const std::string sizes = "m=64 n=32 k=16 ";
  const std::string gradient = "m=16 n=32 k=64 ";
  Program program;
  const auto block = [&](int thread, const std::string& operands, int us) {
    program.Gemm(thread, sizes + operands, us);
    program.Kernel(thread, "softmax_warp_forward", 5).Kernel(thread, "gelu", 1);
  };
  block(kMain, "A=0x100 B=0x900 C=0xa0", 20);
  block(kMain, "A=0x200 B=0x910 C=0xb0", 10);
  program.Gemm(kMain, "m=8 n=32 k=64 A=0x400 B=0x920 C=0xc0", 7);
  program.Gemm(kAutograd, "m=64 n=32 k=8 A=0x400 B=0xd00 C=0xd0", 8);
  block(kAutograd, "A=0x100 B=0x930 C=0xe0", 10);
  program.Gemm(kAutograd, gradient + "A=0x100 B=0xd10 C=0xf0", 11);
  block(kAutograd, "A=0x200 B=0x940 C=0xe0", 20);
  program.Gemm(kAutograd, gradient + "A=0x200 B=0xd20 C=0xf0", 21);
  const Summary summary = program.Sum();
  std::vector<double> gradients;
  for (const Row& row : RowsOf(FiguresOf(summary))) {
    if (row.operation == "gemm 32x64x16") gradients.push_back(row.data_us);
  }
  EXPECT_EQ(gradients, (std::vector<double>{21, 11}));
}

TEST(LayersTest, AGapBelongsToTheLayerThatEndsIt) {
  const Summary summary =
      Program()
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
          .Pause(500)
          .Kernel(kMain, "at::native::FillFunctor", 2)
          .Gemm(kMain, "m=8 n=32 k=64 A=0x200 B=0xa00 C=0xb0", 10)
          .Sum();
  const Figures figures = FiguresOf(summary);
  const LayerFigures& second = figures.layers.layers.at(1);
  EXPECT_EQ(second.identity.operation, "gemm 32x8x64");
  EXPECT_EQ(second.sums.glue_ns, 2'000);
  // 500 us of pause, 2 us in each call; what is left is the device's.
  EXPECT_NEAR(second.step_mean.host_ns, 502'000, 3'000);
}

TEST(LayersTest, RowsSumToAllGpuTimeAndAllGaps) {
  const Summary summary =
      Program()
          .Do(kMain, "cudaMemcpyAsync", "odd_thing", 4)
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20)
          .Kernel(kMain, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9)
          .Kernel(kAutograd, "gelu_backward", 6)
          .Kernel(kMain, "multi_tensor_apply_kernel", 3)
          .Sum();
  const Figures figures = FiguresOf(summary);
  int64_t gpu_ns = 0;
  int64_t idle_ns = 0;
  for (const LayerFigures& row : figures.layers.layers) {
    gpu_ns += row.sums.gpu_ns;
    idle_ns += SumOf(row.sums.idle_ns);
  }
  EXPECT_EQ(gpu_ns, figures.totals.all.gpu_ns);
  EXPECT_EQ(idle_ns, figures.program.idle_ns);
}

TEST(LayersTest, EqualLayersOfTwoProcessesAreOneRow) {
  const Summary one =
      Program().Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 20).Sum();
  const Summary both = Merge(one, one);
  const Figures figures = FiguresOf(both);
  ASSERT_EQ(RowsOf(figures).size(), 1u);
  EXPECT_EQ(figures.layers.layers[0].sums.calls, 2u);
}

// Of what was cast in front of the product, as many.
TEST(LayersTest, CastsAfterGradientsAreThoseOfTheirLayer) {
  const std::string cast = "at::native::direct_copy_kernel_cuda";
  const Summary summary =
      Program()
          .Kernel(kMain, "vectorized_elementwise_kernel<MulFunctor>", 3)
          .Kernel(kMain, cast, 1)
          .Gemm(kMain, "m=8 n=32 k=64 A=0x200 B=0xa00 C=0xb0", 10)
          .Gemm(kAutograd, "m=64 n=32 k=8 A=0x300 B=0xd00 C=0xc0", 11)
          .Kernel(kAutograd, cast, 2)
          .Kernel(kAutograd, cast, 4)
          .Kernel(kAutograd, "vectorized_elementwise_kernel<MulFunctor>", 6)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].both_us, 4 + 6);
  EXPECT_EQ(rows[1], (Row{"gemm 32x8x64", 11, 11, 0, 2, 0, 1}));
}

TEST(LayersTest, ARowOfElementwiseGradientsGoesWhereOneOfItGoes) {
  // The second node is that of a view, which launched nothing.
  const Summary summary =
      Program()
          .Operator(kMain, "aten::softmax", 2, "softmax_warp_forward", 20)
          .Operator(kMain, "aten::mul", 3, "vectorized_elementwise_kernel", 10)
          .Operator(kMain, "aten::softmax", 5, "softmax_warp_forward", 20)
          .Operator(kAutograd, "SoftmaxBackward0", 5, "softmax_warp_backward",
                    5)
          .Operator(kAutograd, "SliceBackward0", 4,
                    "vectorized_elementwise_kernel", 7)
          .Operator(kAutograd, "MulBackward0", 3,
                    "vectorized_elementwise_kernel", 6)
          .Operator(kAutograd, "SoftmaxBackward0", 2, "softmax_warp_backward",
                    5)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].both_us, 13);
}

TEST(LayersTest, SumsOfGradientsAreNoCounterpartOfABiasAdd) {
  // A layer used twice: two gradients of its weights are added up.
  const std::string add = "vectorized_elementwise_kernel<CUDAFunctor_add>";
  const Summary summary = Program()
                              .Kernel(kMain, "xmma_fprop_conv", 10)
                              .Kernel(kMain, add, 1)
                              .Kernel(kMain, "gelu", 2)
                              .Kernel(kAutograd, "gelu_backward", 3)
                              .Kernel(kAutograd, "xmma_wgrad_conv", 20)
                              .Kernel(kAutograd, add, 4)
                              .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].weight_us + rows[0].both_us, 24);
  EXPECT_EQ(rows[1].both_us, 0);
}

TEST(LayersTest, TwoActivationsInARowAreTwoLayers) {
  const Summary summary = Program()
                              .Kernel(kMain, "relu_kernel", 3)
                              .Kernel(kMain, "softplus_kernel", 5)
                              .Kernel(kAutograd, "softplus_backward", 7)
                              .Kernel(kAutograd, "threshold_kernel", 11)
                              .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].forward_us, 3);
  EXPECT_EQ(rows[0].both_us, 11);
  EXPECT_EQ(rows[1].both_us, 7);
}

TEST(LayersTest, NumbersInOrderHaveNoGradient) {
  const Summary summary =
      Program()
          .Kernel(kMain, "elementwise_kernel_with_index", 3)
          .Kernel(kMain, "EmbeddingBag_updateOutputKernel_sum_mean", 5)
          .Kernel(kAutograd, "embedding_backward_feature_kernel", 7)
          .Kernel(kAutograd, "vectorized_elementwise_kernel", 11)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].both_us, 0);
  EXPECT_EQ(rows[1].both_us, 18);
}

TEST(LayersTest, GradientsOfRowsByIndexGoTheOtherWay) {
  const std::string read = "at::native::vectorized_gather_kernel<16,long>";
  const std::string add = "at::native::indexFuncLargeIndex<float,long>";
  const Summary summary =
      Program()
          .Kernel(kMain, read, 3)
          .Gemm(kMain, "m=8 n=32 k=64 A=0x200 B=0xa00 C=0xb0", 10)
          .Kernel(kMain, add, 5)
          .Kernel(kMain, "gelu", 2)
          .Kernel(kAutograd, "gelu_backward", 2)
          .Kernel(kAutograd, read, 7)
          .Gemm(kAutograd, "m=64 n=32 k=8 A=0x200 B=0xd00 C=0xc0", 11)
          .Kernel(kAutograd, "indexing_backward_kernel", 13)
          .Sum();
  const std::vector<Row> rows = RowsOf(FiguresOf(summary));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].both_us, 13);
  EXPECT_EQ(rows[2].both_us, 7);
}

TEST(LayersTest, HowManyCallsTellTheirWeightsIsKnown) {
  const Summary summary =
      Program()
          .Gemm(kMain, "m=64 n=32 k=16 A=0x100 B=0x900 C=0xa0", 10)
          .Kernel(kMain, "xmma_fprop_conv", 10)
          .Kernel(kMain, "gelu", 1)
          .Sum();
  const LayerMatching matching = FiguresOf(summary).layers.matching;
  EXPECT_EQ(matching.weight_calls, 2u);
  EXPECT_EQ(matching.known_weight_calls, 1u);
  EXPECT_EQ(matching.known_weight_share, 0.5);
}

}  // namespace
}  // namespace dltap::analyzer
