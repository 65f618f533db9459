// SPDX-License-Identifier: Apache-2.0
#include "opmodel/gpu_table.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace dltap::opmodel {
namespace {

TEST(GpuTableTest, NamesAreFoundAndUnknownIsNull) {
  for (const GpuSpec& gpu : AllGpus()) EXPECT_EQ(FindGpu(gpu.name), &gpu);
  EXPECT_EQ(FindGpu("h100"), nullptr);
  EXPECT_EQ(FindGpu(""), nullptr);
}

TEST(GpuTableTest, NamesOfTheInterfaceExist) {
  for (const char* name :
       {"h100-sxm",     "h100-pcie",    "h200-sxm",    "a100-80-sxm",
        "a100-80-pcie", "a100-40-pcie", "a100-40-sxm", "l4",
        "l40s",         "t4",           "p4",          "p40",
        "p100-pcie",    "p100-sxm",     "v100-pcie",   "v100-sxm",
        "titan-xp",     "titan-v",      "gtx-1080-ti", "rtx-2080-ti",
        "a10",          "a30",          "a6000",       "rtx-4090",
        "b200",         "gb200",        "m40",         "vega-fe",
        "mi300x"}) {
    EXPECT_NE(FindGpu(name), nullptr) << name;
  }
}

TEST(GpuTableTest, ValuesOfOneRowCarryTheirUnits) {
  const GpuSpec& h100 = *FindGpu("h100-sxm");
  EXPECT_EQ(h100.sms, 132);
  EXPECT_EQ(h100.compute_major, 9);
  EXPECT_DOUBLE_EQ(h100.fp16_flops_per_s, 989.4e12);
  EXPECT_DOUBLE_EQ(h100.bandwidth_bytes_per_s, 3352e9);
  EXPECT_DOUBLE_EQ(h100.l2_bytes, 50 * 1048576.0);
  EXPECT_EQ(h100.shared_bytes_per_sm, 228 * 1024);
}

// Public tables get these wrong (see the CSV's source column).
TEST(GpuTableTest, KnownMistakesOfPublicTablesStayFixed) {
  EXPECT_EQ(FindGpu("l4")->sms, 58);
  EXPECT_EQ(FindGpu("p4")->sms, 20);
  EXPECT_DOUBLE_EQ(FindGpu("v100-sxm")->bandwidth_bytes_per_s, 900e9);
  EXPECT_DOUBLE_EQ(FindGpu("a100-80-pcie")->l2_bytes, 40 * 1048576.0);
  EXPECT_DOUBLE_EQ(FindGpu("titan-v")->fp32_flops_per_s, 14.9e12);
  EXPECT_DOUBLE_EQ(FindGpu("mi210")->l2_bytes, 8 * 1048576.0);
}

// FP32 peak = SMs x lanes x 2 x boost clock: catches typing errors in a row.
TEST(GpuTableTest, Fp32PeakFollowsFromLanesAndClock) {
  for (const GpuSpec& gpu : AllGpus()) {
    if (gpu.name == "mi300x") continue;  // counts dual-issued FP32
    const double peak =
        2.0 * gpu.sms * gpu.fp32_lanes_per_sm * gpu.boost_mhz * 1e6;
    EXPECT_NEAR(gpu.fp32_flops_per_s / peak, 1, 0.02) << gpu.name;
  }
}

TEST(GpuTableTest, BoardsOfSeventyWattsArePowerCapped) {
  for (const char* name : {"t4", "l4", "a10"}) {
    EXPECT_TRUE(IsPowerCapped(*FindGpu(name))) << name;
  }
  for (const char* name :
       {"p100-pcie", "v100-sxm", "a100-40-pcie", "h100-sxm", "rtx-2080-ti"}) {
    EXPECT_FALSE(IsPowerCapped(*FindGpu(name))) << name;
  }
}

// Best FP32 torch.matmul of 1024 to 10240, TFLOP/s, that others published
// (zzc0721/torch-performance-test-data).
TEST(GpuTableTest, SustainedRatesAreThoseOfPublishedMatmuls) {
  struct Published {
    const char* gpu;
    double tflops;
  };
  for (const Published& published :
       std::initializer_list<Published>{{"p100-pcie", 8.63},
                                        {"p100-sxm", 9.50},
                                        {"p40", 10.07},
                                        {"v100-sxm", 14.51},
                                        {"t4", 4.30},
                                        {"a100-80-sxm", 19.18},
                                        {"a40", 23.73},
                                        {"a6000", 23.92},
                                        {"rtx-3090", 24.6},
                                        {"rtx-4090", 54.7},
                                        {"l40s", 46.88},
                                        {"h100-pcie", 36.95},
                                        {"h100-sxm", 52.11},
                                        {"h200-sxm", 51.34},
                                        {"b200", 66.24}}) {
    EXPECT_NEAR(
        SustainedFp32(*FindGpu(published.gpu)) / (published.tflops * 1e12), 1,
        0.06)
        << published.gpu;
  }
}

TEST(GpuTableTest, RidgePointOfGtx1080) {
  // 8.87 TFLOP/s over 320 GB/s: the 28 FLOP per byte that DLBench prints.
  const GpuSpec& gpu = *FindGpu("gtx-1080");
  EXPECT_NEAR(gpu.fp32_flops_per_s / gpu.bandwidth_bytes_per_s, 28, 0.5);
}

TEST(GpuTableTest, TensorCoresBeatVectorsWhereTheyExist) {
  for (const GpuSpec& gpu : AllGpus()) {
    if (gpu.fp16_flops_per_s == 0) continue;
    EXPECT_GT(gpu.fp16_flops_per_s, gpu.fp32_flops_per_s) << gpu.name;
    EXPECT_GE(gpu.memory_bytes, 1e9) << gpu.name;
  }
}

TEST(FindGpuByProductTest, AcceptsWhatDriversReport) {
  EXPECT_EQ(FindGpuByProduct("NVIDIA H100 80GB HBM3")->name, "h100-sxm");
  EXPECT_EQ(FindGpuByProduct("Tesla T4")->name, "t4");
  EXPECT_EQ(FindGpuByProduct("GeForce GTX 1080 Ti")->name, "gtx-1080-ti");
  EXPECT_EQ(FindGpuByProduct("NVIDIA A100-SXM4-80GB")->name, "a100-80-sxm");
  EXPECT_EQ(FindGpuByProduct("NVIDIA A100-SXM4-40GB")->name, "a100-40-sxm");
}

TEST(FindGpuByProductTest, OtherMemorySizeFallsBackToTheSameBoard) {
  EXPECT_EQ(FindGpuByProduct("Tesla V100-SXM2-32GB")->name, "v100-sxm");
}

TEST(FindGpuByProductTest, UnknownProductsAreNull) {
  EXPECT_EQ(FindGpuByProduct("GeForce 8800 GTX"), nullptr);
  EXPECT_EQ(FindGpuByProduct(""), nullptr);
  EXPECT_EQ(FindGpuByProduct("NVIDIA"), nullptr);
}

TEST(PeakFlopsTest, TypesWithoutAUnitAreZero) {
  EXPECT_EQ(PeakFlopsPerS(*FindGpu("v100-sxm"), DType::kTf32), 0);
  EXPECT_EQ(PeakFlopsPerS(*FindGpu("t4"), DType::kBf16), 0);
  EXPECT_EQ(PeakFlopsPerS(*FindGpu("a100-80-sxm"), DType::kF8E4M3), 0);
  EXPECT_EQ(PeakFlopsPerS(*FindGpu("h100-sxm"), DType::kF4E2M1), 0);
  EXPECT_EQ(PeakFlopsPerS(*FindGpu("h100-sxm"), DType::kI32), 0);
}

TEST(PeakFlopsTest, PicksTheUnitOfTheType) {
  const GpuSpec& a100 = *FindGpu("a100-80-sxm");
  EXPECT_DOUBLE_EQ(PeakFlopsPerS(a100, DType::kF32), 19.49e12);
  EXPECT_DOUBLE_EQ(PeakFlopsPerS(a100, DType::kTf32), 156e12);
  EXPECT_DOUBLE_EQ(PeakFlopsPerS(a100, DType::kBf16), 312e12);
  EXPECT_DOUBLE_EQ(PeakFlopsPerS(a100, DType::kF64), 19.49e12);
  // P100 has no tensor cores but FP16 at twice the FP32 rate.
  EXPECT_DOUBLE_EQ(PeakFlopsPerS(*FindGpu("p100-sxm"), DType::kF16), 21.2e12);
}

TEST(BitsOfTest, CoversTypesBelowAByte) {
  EXPECT_EQ(BitsOf(DType::kF4E2M1), 4);
  EXPECT_EQ(BitsOf(DType::kTf32), 32);
  EXPECT_EQ(BitsOf(DType::kC128), 128);
  EXPECT_EQ(BitsOf(DType::kUnknown), 0);
}

}  // namespace
}  // namespace dltap::opmodel
