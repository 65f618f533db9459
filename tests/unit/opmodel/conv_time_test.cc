// SPDX-License-Identifier: Apache-2.0
#include "opmodel/conv_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "opmodel/cost.h"
#include "opmodel/device_time.h"
#include "opmodel/grouped_conv_time.h"
#include "opmodel/math_rate.h"
#include "opmodel/modelled_time.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

constexpr SquareConv kResNetBlock{.batch = 64,
                                  .in_channels = 64,
                                  .out_channels = 64,
                                  .size = 56,
                                  .filter = 3,
                                  .padding = 1};

const Alternative* Find(const std::vector<Alternative>& engines,
                        std::string_view name) {
  const auto found =
      std::find_if(engines.begin(), engines.end(),
                   [&](const Alternative& e) { return e.name == name; });
  return found == engines.end() ? nullptr : &*found;
}

std::vector<Alternative> Engines(const SquareConv& conv,
                                 OpKind kind = OpKind::kConvForward,
                                 const char* gpu = "v100-sxm") {
  return ConvAlternatives(MakeConv(kind, conv), *FindGpu(gpu));
}

TEST(ConvTimeTest, OffersAtLeastThreeEnginesThatDiffer) {
  const SquareConv pointwise{.batch = 8,
                             .in_channels = 256,
                             .out_channels = 64,
                             .size = 14,
                             .filter = 1};
  for (const OpKind kind : {OpKind::kConvForward, OpKind::kConvBackwardData,
                            OpKind::kConvBackwardWeight}) {
    for (const SquareConv& conv : {kResNetBlock, pointwise}) {
      const std::vector<Alternative> engines = Engines(conv, kind);
      ASSERT_GE(engines.size(), 3u);
      EXPECT_LT(engines[0].ns, engines[1].ns);
      EXPECT_LT(engines[1].ns, engines[2].ns);
    }
  }
}

TEST(ConvTimeTest, OneEngineNeedsNoWorkspace) {
  const std::vector<Alternative> engines = Engines(kResNetBlock);
  const Alternative* plain = Find(engines, "implicit_gemm");
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->workspace_bytes, 0);
}

TEST(ConvTimeTest, WinogradNeedsThreeByThreeAndUnitStride) {
  EXPECT_NE(Find(Engines(kResNetBlock), "winograd_4x4"), nullptr);
  SquareConv strided = kResNetBlock;
  strided.stride = 2;
  EXPECT_EQ(Find(Engines(strided), "winograd_4x4"), nullptr);
  SquareConv wide = kResNetBlock;
  wide.filter = 5;
  wide.padding = 2;
  EXPECT_EQ(Find(Engines(wide), "winograd_4x4"), nullptr);
  EXPECT_NE(Find(Engines(wide), "fft_tiling"), nullptr);
}

TEST(ConvTimeTest, WinogradExecutesTheReductionOfItsTiles) {
  const std::vector<Alternative> engines = Engines(kResNetBlock);
  const double direct =
      CostOf(MakeConv(OpKind::kConvForward, kResNetBlock))->flops;
  EXPECT_DOUBLE_EQ(Find(engines, "implicit_gemm")->flops, direct);
  EXPECT_DOUBLE_EQ(Find(engines, "winograd_2x2")->flops, direct / 2.25);
  EXPECT_DOUBLE_EQ(Find(engines, "winograd_4x4")->flops, direct / 4);
}

TEST(ConvTimeTest, WinogradWorkspaceHoldsTransformedTiles) {
  // 64 images of 14 x 14 tiles of 36 points, in 64 + out 64 channels, and the
  // 64 x 64 filters.
  const std::vector<Alternative> engines = Engines(kResNetBlock);
  EXPECT_DOUBLE_EQ(Find(engines, "winograd_4x4")->workspace_bytes,
                   4.0 * 36 * (64 * 14 * 14 * (64 + 64) + 64 * 64));
}

TEST(ConvTimeTest, ExplicitGemmPaysForItsColumns) {
  const std::vector<Alternative> engines = Engines(kResNetBlock);
  const Alternative* gemm = Find(engines, "gemm");
  // Of one image: 56 x 56 points by 64 channels and 9 taps.
  EXPECT_DOUBLE_EQ(gemm->workspace_bytes, 4.0 * 56 * 56 * 64 * 9);
  EXPECT_GT(gemm->ns, Find(engines, "implicit_precomp_gemm")->ns);
}

TEST(ConvTimeTest, LargeThreeByThreePrefersWinogradInFp32) {
  SquareConv conv = kResNetBlock;
  conv.in_channels = conv.out_channels = 256;
  EXPECT_EQ(Engines(conv).front().name.substr(0, 8), "winograd");
}

TEST(ConvTimeTest, TensorCoresLeaveOutFftAndFusedWinograd) {
  Operation op = MakeConv(OpKind::kConvForward, kResNetBlock);
  op.storage = op.math = DType::kF16;
  const std::vector<Alternative> engines =
      ConvAlternatives(op, *FindGpu("v100-sxm"));
  EXPECT_EQ(Find(engines, "fft_tiling"), nullptr);
  EXPECT_EQ(Find(engines, "winograd_2x2"), nullptr);
  EXPECT_GE(engines.size(), 3u);
}

TEST(ConvTimeTest, NewTensorCoresAreFedBelowTheirGemmRate) {
  SquareConv conv = kResNetBlock;
  conv.in_channels = conv.out_channels = 512;
  const auto rate = [&](const char* gpu) {
    Operation op = MakeConv(OpKind::kConvForward, conv);
    op.storage = op.math = DType::kF16;
    return CostOf(op)->flops / TimeOf(op, *FindGpu(gpu))->ns * 1e9 /
           MathRateOf(op, *FindGpu(gpu)).sustained_flops_per_s;
  };
  EXPECT_GT(rate("v100-sxm"), rate("a100-80-sxm"));
  EXPECT_GT(rate("a100-80-sxm"), rate("h100-sxm"));
}

// A GPU that computes at no cost shows what a kernel moves.
GpuSpec WithoutComputeTime(const char* name) {
  GpuSpec gpu = *FindGpu(name);
  gpu.bandwidth_bytes_per_s /= 1e4;
  return gpu;
}

TEST(ConvTimeTest, ImplicitGemmReadsEachInputOnceNotOncePerTap) {
  for (const OpKind kind : {OpKind::kConvForward, OpKind::kConvBackwardData,
                            OpKind::kConvBackwardWeight}) {
    for (const DType math : {DType::kF32, DType::kTf32}) {
      const GpuSpec gpu = WithoutComputeTime("l40s");
      Operation op = MakeConv(kind, kResNetBlock);
      op.math = math;
      const double bytes =
          Find(ConvAlternatives(op, gpu), "implicit_precomp_gemm")->ns / 1e9 *
          gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio;
      EXPECT_GE(bytes, CostOf(op)->bytes);
      EXPECT_LT(bytes, 1.5 * CostOf(op)->bytes);
    }
  }
}

// An im2col matrix that lies in a workspace is written and read in full.
TEST(ConvTimeTest, ExplicitGemmMovesTheMatrixOfItsColumns) {
  const GpuSpec gpu = WithoutComputeTime("l40s");
  const auto engines =
      ConvAlternatives(MakeConv(OpKind::kConvForward, kResNetBlock), gpu);
  const Alternative* gemm = Find(engines, "gemm");
  EXPECT_GT(gemm->ns / 1e9 * gpu.bandwidth_bytes_per_s,
            2 * 64 * gemm->workspace_bytes);
}

// 7.4 GFLOP, of which FP32 takes 0.1 ms on an L40S.
TEST(ConvTimeTest, TensorCoresOfAdaAreFedWithFewChannels) {
  SquareConv conv = kResNetBlock;
  conv.batch = 32;
  for (const char* gpu : {"l4", "l40s", "rtx-4090"}) {
    const Operation fp32 = MakeConv(OpKind::kConvForward, conv);
    Operation tf32 = fp32;
    tf32.math = DType::kTf32;
    EXPECT_LT(TimeOf(tf32, *FindGpu(gpu))->ns,
              1.2 * TimeOf(fp32, *FindGpu(gpu))->ns)
        << gpu;
  }
}

// A100's tensor cores outrun the gathering of their operands, bytes a clock
// whatever the type: half as many numbers of TF32.
TEST(ConvTimeTest, TensorCoresWaitForTheBytesThatTheyGather) {
  SquareConv conv = kResNetBlock;
  conv.in_channels = conv.out_channels = 256;
  const auto ns = [&](DType storage, DType math, double clock) {
    GpuSpec gpu = *FindGpu("a100-80-sxm");
    gpu.bandwidth_bytes_per_s *= 100;
    gpu.boost_mhz = static_cast<int>(gpu.boost_mhz * clock);
    Operation op = MakeConv(OpKind::kConvForward, conv);
    op.storage = storage;
    op.math = math;
    return TimeOf(op, gpu)->ns - kEmptyKernelNs;
  };
  const double fp16_ns = ns(DType::kF16, DType::kF16, 1);
  EXPECT_NEAR(ns(DType::kF32, DType::kTf32, 1) / fp16_ns, 2, 0.02);
  EXPECT_NEAR(fp16_ns / ns(DType::kF16, DType::kF16, 1.1), 1.1, 0.01);
}

TEST(ConvTimeTest, Bf16WithoutTensorCoresIsNotFasterThanFp32) {
  SquareConv conv = kResNetBlock;
  for (const int64_t channels : {64, 256}) {
    conv.in_channels = conv.out_channels = channels;
    const Operation fp32 = MakeConv(OpKind::kConvForward, conv);
    Operation bf16 = fp32;
    bf16.storage = bf16.math = DType::kBf16;
    EXPECT_GE(TimeOf(bf16, *FindGpu("v100-sxm"))->ns,
              TimeOf(fp32, *FindGpu("v100-sxm"))->ns);
  }
}

TEST(ConvTimeTest, EnginesThatWaitForMemorySaySo) {
  SquareConv pointwise = kResNetBlock;
  pointwise.filter = 1;
  pointwise.padding = 0;
  Operation op = MakeConv(OpKind::kConvForward, pointwise);
  op.math = DType::kTf32;
  EXPECT_EQ(TimeOf(op, *FindGpu("h100-sxm"))->bound, Bound::kMemory);
}

TEST(ConvTimeTest, StridedBackwardDataSkipsOnlySomeTaps) {
  SquareConv strided = kResNetBlock;
  strided.filter = 1;
  strided.padding = 0;
  strided.stride = 2;
  EXPECT_GT(Engines(strided, OpKind::kConvBackwardData).front().ns,
            Engines(strided, OpKind::kConvForward).front().ns);
}

TEST(ConvTimeTest, PointwiseWeightGradientPaysForItsAtomics) {
  // As many products either way: few points for many filters against many
  // points for few. Each filter value is added up atomically.
  const SquareConv few_points{.batch = 8,
                              .in_channels = 2048,
                              .out_channels = 512,
                              .size = 7,
                              .filter = 1};
  SquareConv many_points = few_points;
  many_points.batch = 8 * 16;
  many_points.in_channels = 512;
  many_points.out_channels = 128;
  const OpKind weight = OpKind::kConvBackwardWeight;
  EXPECT_GT(Engines(few_points, weight, "p100-pcie").front().ns,
            1.3 * Engines(many_points, weight, "p100-pcie").front().ns);
}

TEST(ConvTimeTest, StridedPointwiseGradientsWasteSectors) {
  SquareConv dense{.batch = 8,
                   .in_channels = 1024,
                   .out_channels = 1024,
                   .size = 28,
                   .filter = 1};
  SquareConv strided = dense;
  strided.size = 56;
  strided.stride = 2;
  const auto rate = [](const SquareConv& conv, OpKind kind) {
    return CostOf(MakeConv(kind, conv))->flops /
           Find(Engines(conv, kind), "implicit_gemm")->ns;
  };
  EXPECT_NEAR(rate(strided, OpKind::kConvBackwardWeight) /
                  rate(dense, OpKind::kConvBackwardWeight),
              0.87, 0.01);
  EXPECT_NEAR(
      rate(strided, OpKind::kConvForward) / rate(dense, OpKind::kConvForward),
      1, 0.01);
}

TEST(ConvTimeTest, WinogradOfNewLibrariesIsFasterAtTheSameRate) {
  GpuSpec gpu = *FindGpu("p100-pcie");
  const Operation op = MakeConv(OpKind::kConvForward, kResNetBlock);
  const double old_ns = Find(ConvAlternatives(op, gpu), "winograd_2x2")->ns;
  gpu.compute_major = 7;
  EXPECT_NEAR(old_ns / Find(ConvAlternatives(op, gpu), "winograd_2x2")->ns,
              1.18, 0.03);
}

TEST(ConvTimeTest, BoardsOfSm61OutrunTheirGemmsButInFilterGradients) {
  GpuSpec sm_60 = *FindGpu("p100-pcie");
  sm_60.bandwidth_bytes_per_s *= 100;  // so that memory does not limit
  GpuSpec sm_61 = sm_60;
  sm_61.compute_minor = 1;
  const auto gain = [&](OpKind kind, const char* engine) {
    const Operation op = MakeConv(kind, kResNetBlock);
    return Find(ConvAlternatives(op, sm_60), engine)->ns /
           Find(ConvAlternatives(op, sm_61), engine)->ns;
  };
  for (const char* engine : {"implicit_gemm", "winograd_4x4"}) {
    EXPECT_NEAR(gain(OpKind::kConvForward, engine), 1.12, 0.02) << engine;
    EXPECT_NEAR(gain(OpKind::kConvBackwardData, engine), 1.12, 0.02) << engine;
    EXPECT_EQ(gain(OpKind::kConvBackwardWeight, engine), 1) << engine;
  }
}

TEST(ConvTimeTest, DepthwiseIsBoundByMemory) {
  const SquareConv depthwise{.batch = 64,
                             .in_channels = 128,
                             .out_channels = 128,
                             .size = 56,
                             .filter = 3,
                             .padding = 1,
                             .groups = 128};
  const Operation op = MakeConv(OpKind::kConvForward, depthwise);
  const double ns = TimeOf(op, *FindGpu("h100-sxm"))->ns;
  const double stream_ns =
      CostOf(op)->bytes / FindGpu("h100-sxm")->bandwidth_bytes_per_s * 1e9;
  EXPECT_GT(ns, stream_ns);
  EXPECT_LT(ns, 100 * stream_ns);
}

// MobileNet's and ConvNeXt's: an implicit GEMM would pad one channel to a tile.
TEST(ConvTimeTest, DepthwiseDoesNotPadChannelsToTiles) {
  const SquareConv conv{.batch = 256,
                        .in_channels = 96,
                        .out_channels = 96,
                        .size = 56,
                        .filter = 7,
                        .padding = 3};
  for (const OpKind kind : {OpKind::kConvForward, OpKind::kConvBackwardData,
                            OpKind::kConvBackwardWeight}) {
    Operation op = MakeConv(kind, conv);
    op[Dim::kGroups] = 96;
    op.storage = op.math = DType::kF16;
    const auto engines = ConvAlternatives(op, *FindGpu("rtx-3090"));
    EXPECT_EQ(engines.front().name, "grouped_direct");
    EXPECT_GT(Find(engines, "implicit_precomp_gemm")->ns,
              2 * engines.front().ns);
  }
}

// ResNeXt-50 32x4d takes 1.2 times ResNet-50's step on an RTX 3090 (NHWC), and
// a third more bytes: its 3x3 filters of 4 channels cost little.
TEST(ConvTimeTest, GroupsOfFewChannelsTakeFewTimesTheirTraffic) {
  const SquareConv conv{.batch = 384,
                        .in_channels = 128,
                        .out_channels = 128,
                        .size = 56,
                        .filter = 3,
                        .padding = 1};
  Operation op = MakeConv(OpKind::kConvForward, conv);
  op[Dim::kGroups] = 32;
  op.storage = op.math = DType::kF16;
  const GpuSpec& gpu = *FindGpu("rtx-3090");
  EXPECT_LT(TimeOf(op, gpu)->ns,
            8 * CostOf(op)->bytes / gpu.bandwidth_bytes_per_s * 1e9);
}

std::optional<ModelledTime> GroupedTime(Layout layout, OpKind kind,
                                        int64_t channels, int64_t groups) {
  Operation op = MakeConv(kind, {.batch = 64,
                                 .in_channels = channels,
                                 .out_channels = channels,
                                 .size = 28,
                                 .filter = 3,
                                 .padding = 1,
                                 .groups = groups});
  op.storage = op.math = DType::kF16;
  return GroupedTimeIn(layout, op, *FindGpu("rtx-3090"));
}

// RegNetX-032 (24 channels a group) trains 2.6 times slower in NHWC than in
// NCHW, ResNeXt-50 (4 to 32 of 32 groups) 1.5 times faster.
TEST(ConvTimeTest, GradientsOfFewWidthsAloneUseTensorCores) {
  constexpr OpKind kData = OpKind::kConvBackwardData;
  for (const Layout layout : {Layout::kNchw, Layout::kNhwc}) {
    EXPECT_FALSE(GroupedTime(layout, kData, 128, 32)) << "4 channels a group";
    EXPECT_FALSE(GroupedTime(layout, kData, 416, 52)) << "8 of 416";
    EXPECT_FALSE(GroupedTime(layout, kData, 512, 32)) << "16 of 512";
    EXPECT_FALSE(GroupedTime(layout, kData, 512, 1));
    EXPECT_FALSE(GroupedTime(layout, kData, 512, 512)) << "depthwise";
    for (const OpKind kind : {kData, OpKind::kConvBackwardWeight}) {
      EXPECT_TRUE(GroupedTime(layout, kind, 432, 18)) << "24 channels a group";
      EXPECT_TRUE(GroupedTime(layout, kind, 288, 18)) << "16 of 288";
      EXPECT_TRUE(GroupedTime(layout, kind, 152, 19)) << "8 of 152";
    }
  }
}

// ResNeSt's, which train as fast in NCHW as their products say.
TEST(ConvTimeTest, TwoGroupsInNchwAreTwoProducts) {
  constexpr OpKind kData = OpKind::kConvBackwardData;
  EXPECT_FALSE(GroupedTime(Layout::kNchw, kData, 128, 2));
  EXPECT_TRUE(GroupedTime(Layout::kNhwc, kData, 128, 2));
}

// RegNetX-016 (24 channels a group) infers 1.1 times slower in NHWC than in
// NCHW, RegNetX-008 (16) 1.3 times faster.
TEST(ConvTimeTest, NhwcPadsTheFiltersOfOddGroupsToATile) {
  constexpr OpKind kForward = OpKind::kConvForward;
  EXPECT_FALSE(GroupedTime(Layout::kNhwc, kForward, 288, 18)) << "16 a group";
  EXPECT_FALSE(GroupedTime(Layout::kNchw, kForward, 432, 18));
  const auto narrow = GroupedTime(Layout::kNhwc, kForward, 432, 18);
  const auto whole = GroupedTime(Layout::kNhwc, kForward, 1152, 18);
  ASSERT_TRUE(narrow);
  ASSERT_TRUE(whole) << "64 a group";
  // 24 filters and 64 take as many columns; of the channels that they gather
  // 24 are padded to 32.
  EXPECT_NEAR((whole->ns - kEmptyKernelNs) / (narrow->ns - kEmptyKernelNs), 2,
              0.1);
}

TEST(ConvTimeTest, AFewMoreFiltersThanABlockDoNotTakeTwoBlocks) {
  const auto ns = [](int64_t filters) {
    SquareConv conv = kResNetBlock;
    conv.out_channels = filters;
    return Find(Engines(conv), "winograd_2x2")->ns;
  };
  EXPECT_LT(ns(72) / ns(64), 1.75);
  EXPECT_EQ(ns(72), ns(96));
  EXPECT_LT(ns(32) / ns(64), 0.65);
}

TEST(ConvTimeTest, TensorCoresSinceAmpereLeaveOutWinograd) {
  Operation op = MakeConv(OpKind::kConvForward, kResNetBlock);
  op.storage = op.math = DType::kF16;
  EXPECT_EQ(Find(ConvAlternatives(op, *FindGpu("rtx-3090")), "winograd_4x4"),
            nullptr);
  op.storage = op.math = DType::kF32;
  EXPECT_NE(Find(ConvAlternatives(op, *FindGpu("rtx-3090")), "winograd_4x4"),
            nullptr);
}

TEST(ConvTimeTest, UnknownShapeHasNoEngine) {
  EXPECT_TRUE(
      ConvAlternatives(MakeOperation(OpKind::kConvForward, {}), *FindGpu("t4"))
          .empty());
}

}  // namespace
}  // namespace dltap::opmodel
