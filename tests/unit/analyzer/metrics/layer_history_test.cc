// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analyzer/metrics/layer_program.h"

namespace dltap::analyzer {
namespace {

const std::string kAdam =
    "\"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
    "FusedOptimizerTensorListMetadata<3>, FusedAdamMathFunctor<float, 3> >\"";

// Gradients that no address tells apart.
std::string Sizes(int m, int n, int k) {
  return "m=" + std::to_string(m) + " n=" + std::to_string(n) +
         " k=" + std::to_string(k);
}

std::string With(const std::string& weights, const std::string& sizes) {
  return sizes + " A=" + weights;
}

// Two products with an activation between them; the gradients but for the first
// product's.
Program PassAndGradients() {
  Program program;
  program.Gemm(kMain, With("0x100", Sizes(64, 32, 16)), 20)
      .Kernel(kMain, "gelu", 1)
      .Gemm(kMain, With("0x200", Sizes(8, 32, 64)), 30)
      .Gemm(kAutograd, Sizes(64, 32, 8), 31)
      .Kernel(kAutograd, "gelu_backward", 2);
  return program;
}

TEST(LayerHistoryTest, APassThroughAKeptGraphIsOfTheSameLayers) {
  Program program = PassAndGradients();
  program.Gemm(kAutograd, Sizes(16, 64, 32), 21)
      .Gemm(kMain, With("0x300", Sizes(4, 32, 64)), 40)
      .Gemm(kAutograd, Sizes(64, 32, 4), 41)
      .Kernel(kAutograd, "gelu_backward", 3)
      .Gemm(kAutograd, Sizes(16, 64, 32), 22);
  EXPECT_EQ(TimesOf(program), (All{{20, 43}, {1, 5}, {30, 31}, {40, 41}}));
}

TEST(LayerHistoryTest, GradientsOfGradientsAreOfTheirLayers) {
  Program program = PassAndGradients();
  program.Gemm(kAutograd, Sizes(16, 32, 64), 21)
      .Gemm(kMain, With("0x400", Sizes(2, 32, 16)), 4)
      .Gemm(kAutograd, Sizes(16, 32, 2), 5)
      .Gemm(kAutograd, Sizes(64, 32, 16), 22)
      .Kernel(kAutograd, "gelu_backward", 3)
      .Kernel(kAutograd, kTimes, 6)
      .Gemm(kAutograd, Sizes(8, 32, 64), 32)
      .Kernel(kAutograd, "gelu_backward", 7)
      .Gemm(kAutograd, Sizes(16, 64, 32), 23);
  EXPECT_EQ(TimesOf(program), (All{{20, 66}, {1, 18}, {30, 63}, {4, 5}}));
}

TEST(LayerHistoryTest, WorkOfAnUpdateEndsAPass) {
  Program program = PassAndGradients();
  program.Gemm(kAutograd, Sizes(16, 32, 64), 21)
      .Kernel(kMain, kAdam, 50)
      .Gemm(kAutograd, Sizes(64, 32, 16), 22)
      .Kernel(kAutograd, "gelu_backward", 3)
      .Gemm(kAutograd, Sizes(8, 32, 64), 32)
      .Kernel(kAutograd, "gelu_backward", 7)
      .Gemm(kAutograd, Sizes(16, 64, 32), 23);
  EXPECT_EQ(TimesOf(program), (All{{20, 66}, {1, 12}, {30, 63}}));
}

// Gradients of weights wait for no other: their own gradients run first.
TEST(LayerHistoryTest, WhatRunsBeforeItsTurnHasItsLayer) {
  Program program = PassAndGradients();
  program.Gemm(kAutograd, Sizes(16, 32, 64), 21)
      .Gemm(kMain, With("0x400", Sizes(2, 32, 16)), 4)
      .Gemm(kAutograd, Sizes(16, 32, 2), 5)
      .Gemm(kAutograd, Sizes(8, 64, 32), 33)
      .Kernel(kAutograd, kTimes, 6)
      .Gemm(kAutograd, Sizes(64, 32, 16), 22)
      .Kernel(kAutograd, "gelu_backward", 3)
      .Gemm(kAutograd, Sizes(8, 32, 64), 32)
      .Kernel(kAutograd, "gelu_backward", 7)
      .Gemm(kAutograd, Sizes(16, 64, 32), 23);
  const All times = TimesOf(program);
  ASSERT_EQ(times.size(), 4U);
  EXPECT_EQ(times[0], (Times{20, 66}));
  EXPECT_GE(times[2].backward_us, 31 + 32 + 33);
}

}  // namespace
}  // namespace dltap::analyzer
