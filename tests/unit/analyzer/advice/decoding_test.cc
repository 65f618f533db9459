// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/analyzer/advice/training.h"

// Steps that each make one token from a cache of 2048 keys and values.
namespace dltap::analyzer {
namespace {

constexpr char kCat[] =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, "
    "unsigned int, 4, 64, 64>(float*)";
constexpr char kHalfGemm[] =
    "cublasGemmEx m=1024 n=64 k=1000 Atype=14 Btype=14 Ctype=14 "
    "computeType=68";

// 67 MB each of keys and values: 40 us to read and write them.
AdviceList Decoding(const Training& copies, int queries) {
  const std::string attention = absl::StrCat(
      "operation 1 attention_forward storage=bf16 math=bf16 batch=16 heads=16 "
      "kv_heads=16 seq_q=",
      queries, " seq_kv=2048 head_dim=64 head_dim_v=64\n");
  Training step = copies;
  step.Product("cudaLaunchKernel operation=1", 100, "sdpa_flash_fprop");
  return AdviceOf(attention + step.Text());
}

Training Copying(int us) {
  return Training()
      .Product(kHalfGemm, 20, "gemm_bf16")
      .Kernel(kCat, us)
      .Kernel(kCat, us);
}

TEST(GrownCachesTest, KeysAndValuesThatEachTokenCopies) {
  const auto advice = Given(Decoding(Copying(50), 1), "grown_caches");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence.count, 2);
  EXPECT_NEAR(advice->gain_low_ns, 50e3, 1e3);
  EXPECT_NEAR(advice->gain_high_ns, 100e3, 1e3);
  EXPECT_NE(advice->act.find("torch.cat"), std::string::npos);
}

TEST(GrownCachesTest, SmallerTensorsAreNoCaches) {
  EXPECT_TRUE(IsSilent(Decoding(Copying(30), 1)));
}

TEST(GrownCachesTest, APassOverThePromptHasNoCacheYet) {
  EXPECT_TRUE(IsSilent(Decoding(Copying(50), 2048)));
}

TEST(GrownCachesTest, WhatAnotherProductTakesIsNoCache) {
  Training step = Copying(50);
  step.Product(kHalfGemm, 20, "gemm_bf16");
  EXPECT_TRUE(IsSilent(Decoding(step, 1)));
}

TEST(GrownCachesTest, WritingInPlaceIsLeftAlone) {
  Training step;
  step.Product(kHalfGemm, 20, "gemm_bf16");
  step.Kernel(Vectorized("at::native::index_copy", 3), 3);
  EXPECT_TRUE(IsSilent(Decoding(step, 1)));
}

}  // namespace
}  // namespace dltap::analyzer
