// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/roofline.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model =
      TraceFromText("device 0 name=\"NVIDIA H100 80GB HBM3\"\n" + text);
  return Summarise(model, Attribute(model), {.whole_run = true});
}

const ClassRow& RowOf(const Figures& figures, LayerClass layer_class) {
  for (const ClassRow& row : figures.classes) {
    if (row.layer_class == layer_class) return row;
  }
  ADD_FAILURE() << "no such class";
  return figures.classes.front();
}

// 8 images of 64 x 56 x 56, 64 filters of 3 x 3: 8 * 56 * 56 * 64 results of
// 64 * 9 products each.
constexpr double kConvFlops = 2.0 * 8 * 56 * 56 * 64 * 64 * 9;

std::string ConvolutionBy(const std::string& kernel) {
  return "operation 1 conv_forward storage=f32 math=tf32 batch=8 "
         "channels_in=64 channels_out=64 height_in=56 width_in=56 "
         "filter_height=3 filter_width=3 height_out=56 width_out=56\n"
         "call t=0..9us thread=0 cudnnConvolutionForward operation=1\n"
         "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
         "kernel t=20..120us device=0 corr=7 name=" +
         kernel + "\n";
}

TEST(RooflineTest, WinogradExecutesFewerFlopsThanItIsWorth) {
  const Summary summary =
      SummaryOf(ConvolutionBy("ampere_scudnn_winograd_128x128_ldg1_ldg4"));
  const Figures figures = FiguresOf(summary);
  const ClassFigures& conv = RowOf(figures, LayerClass::kConv).figures;
  EXPECT_NEAR(*conv.tflops, 18.5, 0.01);
  EXPECT_NEAR(*conv.executed_tflops, 18.5 / 2.25, 0.01);
  // Against 66.9 TFLOP/s of FP32, since no name tells of TF32.
  EXPECT_NEAR(*conv.of_peak, 18.5 / 2.25 / 66.9, 0.001);
}

TEST(RooflineTest, Tf32IsThePeakOnlyWhereTheKernelSaysSo) {
  const auto of_peak = [](const std::string& kernel) {
    const Summary summary = SummaryOf(ConvolutionBy(kernel));
    return *RowOf(FiguresOf(summary), LayerClass::kConv).figures.of_peak;
  };
  const double rate = kConvFlops / 100e-6 / 1e12;
  EXPECT_NEAR(of_peak("implicit_convolve_sgemm"), rate / 66.9, 0.001);
  EXPECT_NEAR(of_peak("some_kernel"), rate / 66.9, 0.001);
  EXPECT_NEAR(of_peak("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32"),
              rate / 494.7, 0.001);
}

// 1000 blocks of 1024 elements, two read and one written, in 5 us.
TEST(RooflineTest, TheGridOfAnElementwiseKernelTellsItsBandwidth) {
  const Summary summary = SummaryOf(
      "library cudart version=13000\n"
      "kernel t=0..5us device=0 corr=1 grid=1000,1,1 block=128,1,1 name=\"void "
      "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add"
      "<float>, std::array<char*, 3ul> >(int)\"\n");
  const Figures figures = FiguresOf(summary);
  const ClassRow& row = RowOf(figures, LayerClass::kElementwise);
  EXPECT_EQ(row.figures.sums.efficiency.flops, 1'024'000);
  EXPECT_EQ(row.figures.sums.efficiency.bytes, 12'288'000);
  EXPECT_EQ(row.figures.sums.efficiency.bytes_least, 12'275'724);
  EXPECT_NEAR(*row.figures.bandwidth_gbs, 2457.6, 0.1);
  EXPECT_NEAR(*row.figures.of_bandwidth, 2457.6 / 3352, 0.001);
  EXPECT_EQ(row.bound, LimitedBy::kMemory);
}

// 4 us of an addition, beside products of which nothing is known.
std::string AdditionAndProduct(const std::string& us) {
  return "library cudart version=13000\n"
         "kernel t=0..4us device=0 corr=1 grid=1000,1,1 block=128,1,1 "
         "name=\"void at::native::vectorized_elementwise_kernel<4, "
         "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >"
         "(int)\"\n"
         "kernel t=10us.." +
         us + " device=0 corr=2 name=ampere_sgemm_128x64_nn\n";
}

TEST(RooflineTest, TheRateOfALittleIsNotThatOfTheWhole) {
  const Summary of_most = SummaryOf(AdditionAndProduct("13us"));
  const Figures most = FiguresOf(of_most);
  EXPECT_NEAR(*most.program.total.tflops, 1'024'000 / 4e-6 / 1e12, 1e-6);
  const Summary of_little = SummaryOf(AdditionAndProduct("15us"));
  const Figures little = FiguresOf(of_little);
  EXPECT_FALSE(little.program.total.tflops);
  EXPECT_FALSE(little.program.total.of_peak);
  EXPECT_TRUE(RowOf(little, LayerClass::kElementwise).figures.tflops);
}

// Read and written; a copy from the host crosses a link, whose peak is unknown.
TEST(RooflineTest, CopiesMoveBytesAndComputeNothing) {
  const Summary summary = SummaryOf(
      "memcpy t=0..10us device=0 corr=1 bytes=1000000 kind=dtod\n"
      "memcpy t=20..40us device=0 corr=2 bytes=1000000 kind=htod\n");
  const Figures figures = FiguresOf(summary);
  const ClassFigures& inside = RowOf(figures, LayerClass::kCopyD2d).figures;
  EXPECT_NEAR(*inside.bandwidth_gbs, 200, 0.1);
  EXPECT_NEAR(*inside.of_bandwidth, 200.0 / 3352, 0.001);
  EXPECT_FALSE(inside.tflops);
  const ClassFigures& link = RowOf(figures, LayerClass::kCopyH2d).figures;
  EXPECT_NEAR(*link.bandwidth_gbs, 50, 0.1);
  EXPECT_FALSE(link.of_bandwidth);
}

TEST(RooflineTest, OfAnFftTheExecutedFlopsAreUnknown) {
  const Summary summary = SummaryOf(ConvolutionBy("fft2d_c2r_32x32"));
  const Figures figures = FiguresOf(summary);
  const ClassFigures& conv = RowOf(figures, LayerClass::kConv).figures;
  EXPECT_TRUE(conv.tflops);
  EXPECT_FALSE(conv.executed_tflops);
  EXPECT_FALSE(conv.of_peak);
}

// 4096^3 in FP32: 2 * 4096^3 FLOPs for three matrices of 4096^2 floats.
TEST(RooflineTest, IntensityGivesWhatIsAttainable) {
  const Summary summary = SummaryOf(
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "kernel t=10us..10010us device=0 stream=7 corr=1 name=anything\n");
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.roofline.size(), 2);  // the class, its kernel
  for (const RooflineRow& row : figures.roofline) {
    EXPECT_NEAR(*row.intensity, 2.0 * 4096 / 12, 0.01);
    EXPECT_NEAR(*row.attainable_tflops, 66.9, 0.05);
    EXPECT_NEAR(*row.achieved_tflops, 13.74, 0.01);
    EXPECT_NEAR(*row.of_attainable, 0.205, 0.001);
    EXPECT_EQ(row.bound, LimitedBy::kCompute);
  }
  EXPECT_EQ(figures.roofline[1].kernel, "anything");
}

TEST(RooflineTest, CommunicationHasNoRoof) {
  const Summary summary = SummaryOf(
      "call t=0..5us thread=0 ncclAllReduce count=1048576 datatype=7\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "kernel t=10..910us device=0 stream=7 corr=1 "
      "name=ncclDevKernel_AllReduce_Sum_f32_RING_LL\n");
  const Figures figures = FiguresOf(summary);
  const ClassRow& comm = RowOf(figures, LayerClass::kComm);
  EXPECT_TRUE(figures.roofline.empty());
  EXPECT_FALSE(comm.figures.tflops);
  EXPECT_EQ(comm.bound, LimitedBy::kUnknown);
}

TEST(RooflineTest, ALongKernelIsNotBoundByLatency) {
  // 64^3 in 0.8 ms: far below both peaks.
  const auto bound = [](const std::string& end) {
    const Summary summary = SummaryOf(
        "call t=0..5us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
        "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
        "kernel t=10us.." +
        end + " device=0 stream=7 corr=1 name=x\n");
    return RowOf(FiguresOf(summary), LayerClass::kGemm).bound;
  };
  EXPECT_EQ(bound("810us"), LimitedBy::kUnknown);
  EXPECT_EQ(bound("13us"), LimitedBy::kLatency);
}

TEST(RooflineTest, WhatMovesLittleForItsTimeIsNotBoundByMemory) {
  const auto bound = [](const std::string& end, const std::string& bytes) {
    const Summary summary =
        SummaryOf("memcpy t=10us.." + end +
                  " device=0 stream=7 corr=1 kind=dtod bytes=" + bytes + "\n");
    return RowOf(FiguresOf(summary), LayerClass::kCopyD2d).bound;
  };
  EXPECT_EQ(bound("18us", "10000000"), LimitedBy::kMemory);
  EXPECT_EQ(bound("18us", "10000"), LimitedBy::kLatency);
  EXPECT_EQ(bound("810us", "10000"), LimitedBy::kUnknown);
  EXPECT_EQ(bound("18us", "0"), LimitedBy::kMemory) << "bytes not known";
}

// Three products of 13.7, 6.9 and 13.7 TFLOP/s. The mean kernel lasts 10.4 ms
// at 14 % of the peak; only the second is longer and lower.
TEST(RooflineTest, LongAndLowKernelsAreBelowTheMeanShareOfPeak) {
  const Summary summary = SummaryOf(
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "call t=6..9us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "call t=10..15us thread=0 cublasSgemm_v2 m=2048 n=2048 k=2048\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "launchapi t=7..8us thread=0 corr=2 ext=6us\n"
      "launchapi t=11..12us thread=0 corr=3 ext=10us\n"
      "kernel t=20us..10020us device=0 stream=7 corr=1 name=quick\n"
      "kernel t=20ms..40ms device=0 stream=7 corr=2 name=slow\n"
      "kernel t=50000us..51250us device=0 stream=7 corr=3 name=small\n");
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.long_and_low.rows.size(), 1);
  EXPECT_EQ(figures.long_and_low.rows[0].kernel, "slow");
  EXPECT_NEAR(*figures.long_and_low.mean_ns, 31.25e6 / 3, 1);
  // Two products of 4096^3 and an eighth of one, in 31.25 ms.
  EXPECT_NEAR(*figures.long_and_low.mean_of_peak,
              2.125 * 2 * 4096.0 * 4096 * 4096 / 31.25e-3 / 66.9e12, 0.001);
}

// The elementwise kernel is bound by memory: neither low, nor in the means.
TEST(RooflineTest, LongAndLowKernelsAreProducts) {
  const Summary summary = SummaryOf(
      "library cudart version=13000\n"
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "kernel t=20us..10020us device=0 stream=7 corr=1 name=product\n"
      "kernel t=20ms..40ms device=0 corr=2 grid=1000,1,1 block=128,1,1 name=\""
      "void at::native::vectorized_elementwise_kernel<4, at::native::"
      "CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)\"\n");
  const Figures figures = FiguresOf(summary);
  EXPECT_TRUE(figures.long_and_low.rows.empty());
  EXPECT_NEAR(*figures.long_and_low.mean_ns, 1e7, 1);
}

// One kernel, launched twice for 10 ms each; of one launch no FLOPs are known.
TEST(RooflineTest, TheMeanOfProductsCountsEachLaunchWithItsTime) {
  const Summary summary = SummaryOf(
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "kernel t=20us..10020us device=0 stream=7 corr=1 name=ampere_sgemm\n"
      "call t=6..9us thread=0 cudaLaunchKernel\n"
      "launchapi t=6..9us thread=0 corr=2\n"
      "kernel t=20ms..30ms device=0 stream=7 corr=2 name=ampere_sgemm\n");
  const Figures figures = FiguresOf(summary);
  EXPECT_NEAR(*figures.long_and_low.mean_ns, 1e7, 1);
}

TEST(RooflineTest, KernelsWhoseNameAndCallDisagreeAreListed) {
  const Summary summary = SummaryOf(
      "call t=0..5us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
      "launchapi t=1..2us thread=0 corr=1 ext=0us\n"
      "launchapi t=3..4us thread=0 corr=2 ext=0us\n"
      "kernel t=10..40us device=0 stream=7 corr=1 name=softmax_warp_forward\n"
      "kernel t=50..60us device=0 stream=7 corr=2 "
      "name=ampere_sgemm_32x32_nn\n");
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.evidence_conflicts.size(), 1);
  const ConflictRow& row = figures.evidence_conflicts[0];
  EXPECT_EQ(row.conflict.kernel, "softmax_warp_forward");
  EXPECT_EQ(row.conflict.by_name, LayerClass::kSoftmax);
  EXPECT_EQ(row.conflict.by_origin, LayerClass::kGemm);
  EXPECT_EQ(row.conflict.origin, "cublasSgemm_v2");
  EXPECT_EQ(row.sums.gpu_ns, 30'000);
  EXPECT_DOUBLE_EQ(*row.share, 0.75);
}

}  // namespace
}  // namespace dltap::analyzer
