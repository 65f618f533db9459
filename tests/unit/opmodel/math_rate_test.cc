// SPDX-License-Identifier: Apache-2.0
#include "opmodel/math_rate.h"

#include <gtest/gtest.h>

#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

MathRate RateOf(DType storage, DType math, const char* gpu) {
  Operation op = MakeGemm(64, 64, 64);
  op.storage = storage;
  op.math = math;
  return MathRateOf(op, *FindGpu(gpu));
}

TEST(MathRateTest, Tf32NeedsTensorCores) {
  EXPECT_TRUE(RateOf(DType::kF32, DType::kTf32, "a100-80-sxm").tensor);
  const MathRate v100 = RateOf(DType::kF32, DType::kTf32, "v100-sxm");
  EXPECT_FALSE(v100.tensor);
  EXPECT_EQ(v100.peak_flops_per_s, FindGpu("v100-sxm")->fp32_flops_per_s);
}

TEST(MathRateTest, Fp32NeverUsesTensorCores) {
  EXPECT_FALSE(RateOf(DType::kF32, DType::kF32, "h100-sxm").tensor);
}

TEST(MathRateTest, UnknownMathFollowsStorage) {
  EXPECT_EQ(RateOf(DType::kF16, DType::kUnknown, "t4").peak_flops_per_s, 65e12);
}

TEST(MathRateTest, Bf16FallsBackToFp32BeforeAmpere) {
  EXPECT_EQ(RateOf(DType::kBf16, DType::kBf16, "t4").peak_flops_per_s,
            FindGpu("t4")->fp32_flops_per_s);
}

TEST(MathRateTest, SlowFp16OfConsumerPascalIsAvoided) {
  EXPECT_EQ(RateOf(DType::kF16, DType::kF16, "gtx-1080-ti").peak_flops_per_s,
            FindGpu("gtx-1080-ti")->fp32_flops_per_s);
}

TEST(MathRateTest, Fp8FallsBackToFp16) {
  EXPECT_EQ(
      RateOf(DType::kF8E4M3, DType::kF8E4M3, "a100-80-sxm").peak_flops_per_s,
      312e12);
}

TEST(MathRateTest, SustainedIsWhatKernelAndPowerLeave) {
  const GpuSpec& t4 = *FindGpu("t4");  // limited by power
  const MathRate capped = RateOf(DType::kF32, DType::kF32, "t4");
  EXPECT_DOUBLE_EQ(capped.sustained_flops_per_s,
                   t4.fp32_flops_per_s * t4.power_fp32_ratio);
  EXPECT_DOUBLE_EQ(capped.unlimited_flops_per_s,
                   t4.fp32_flops_per_s * t4.kernel_fp32_ratio);
  const GpuSpec& p100 = *FindGpu("p100-pcie");  // by its kernels
  const MathRate free = RateOf(DType::kF32, DType::kF32, "p100-pcie");
  EXPECT_DOUBLE_EQ(free.sustained_flops_per_s,
                   p100.fp32_flops_per_s * p100.kernel_fp32_ratio);
  EXPECT_DOUBLE_EQ(free.sustained_flops_per_s, free.unlimited_flops_per_s);
}

// torch.matmul of 10240 on MI210: 33.7 TFLOP/s, half more than its FP32 pipes
// can do.
TEST(MathRateTest, Fp32RunsOnAmdsMatrixCores) {
  const MathRate rate = RateOf(DType::kF32, DType::kF32, "mi210");
  EXPECT_DOUBLE_EQ(rate.peak_flops_per_s, 45.3e12);
  EXPECT_NEAR(rate.sustained_flops_per_s, 33.7e12, 0.7e12);
  EXPECT_DOUBLE_EQ(RateOf(DType::kF32, DType::kF32, "vega-fe").peak_flops_per_s,
                   13.1e12);
}

TEST(MathRateTest, OnlyWideTensorCoresStarveOnTf32) {
  const auto kept = [](DType type, const char* gpu) {
    const MathRate rate = RateOf(type, type, gpu);
    return rate.sustained_flops_per_s / rate.peak_flops_per_s;
  };
  EXPECT_DOUBLE_EQ(kept(DType::kTf32, "a40"), kept(DType::kBf16, "a40"));
  EXPECT_NEAR(kept(DType::kTf32, "h100-sxm") / kept(DType::kBf16, "h100-sxm"),
              0.78, 1e-9);
}

TEST(MathRateTest, OddSizesHalveTensorRates) {
  const MathRate rate = RateOf(DType::kF16, DType::kF16, "a100-80-sxm");
  EXPECT_DOUBLE_EQ(PaddedRate(rate, 35).sustained_flops_per_s,
                   rate.sustained_flops_per_s / 2);
  EXPECT_DOUBLE_EQ(PaddedRate(rate, 35).unlimited_flops_per_s,
                   rate.sustained_flops_per_s / 2);
  EXPECT_DOUBLE_EQ(PaddedRate(rate, 64).sustained_flops_per_s,
                   rate.sustained_flops_per_s);
}

TEST(MathRateTest, ThreeChannelImagesLeaveTensorCoresBeforeAmpere) {
  const GpuSpec& v100 = *FindGpu("v100-sxm");
  const MathRate half = RateOf(DType::kF16, DType::kF16, "v100-sxm");
  EXPECT_FALSE(ChannelRate(half, 3, 64, v100).tensor);
  EXPECT_TRUE(ChannelRate(half, 64, 64, v100).tensor);
  const GpuSpec& a100 = *FindGpu("a100-80-sxm");
  EXPECT_TRUE(
      ChannelRate(RateOf(DType::kF16, DType::kF16, "a100-80-sxm"), 3, 64, a100)
          .tensor);
}

}  // namespace
}  // namespace dltap::opmodel
