// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_names.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(LayerNamesTest, WeightsAreWithoutBatchImageSizeAndPrecision) {
  EXPECT_EQ(WeightsOf("gemm 4096x1024x512"), "gemm 1024x512");
  EXPECT_EQ(WeightsOf("gemm 4096x1024x512 bf16"), "gemm 1024x512");
  EXPECT_EQ(WeightsOf("conv 3x224x224 -> 64x112x112 k7"), "conv 3 -> 64 k7");
  EXPECT_EQ(WeightsOf("conv 64x8x8x8 -> 64x8x8x8 k3x5 g2 f16"),
            "conv 64 -> 64 k3x5 g2");
  EXPECT_EQ(WeightsOf("lstm 512 -> 256 seq 32"), "lstm 512 -> 256");
  EXPECT_EQ(WeightsOf("gru 8 -> 9 seq 32 2 layers both ways bf16"),
            "gru 8 -> 9 2 layers both ways");
}

TEST(LayerNamesTest, ProductsOfActivationsAndKernelsHaveNone) {
  for (const char* operation :
       {"gemm 16 of 256x256x64 bf16", "attention 8 heads 256x256x64 causal",
        "gemm triton_mm", "elementwise CUDAFunctor_add", "conv xmma_fprop",
        "gemm", "", "update -> to -> x"}) {
    EXPECT_EQ(WeightsOf(operation), "") << operation;
  }
}

}  // namespace
}  // namespace dltap::analyzer
