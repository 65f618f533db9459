// SPDX-License-Identifier: Apache-2.0
// Weights of convolutions that graphs of cuDNN run, and their gradients: the
// trace has their sizes, not their addresses.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kCast[] =
    "at::native::vectorized_elementwise_kernel<8, "
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"
    "::{lambda(float)#1}, std::array<char*, 2ul> >(int)";
constexpr int64_t kElements = 128 * 256;  // of the weights
constexpr char kDims[] =
    " batch=8 channels_in=128 channels_out=256 depth_in=1 height_in=8 "
    "width_in=8 filter_depth=1 filter_height=1 filter_width=1 depth_out=1 "
    "height_out=8 width_out=8 groups=1\n";

std::string Work(int at_us, int thread, const std::string& call,
                 const std::string& kernel) {
  return absl::StrCat("call t=", at_us, "..", at_us + 2, "us thread=", thread,
                      " ", call, "\nlaunchapi t=", at_us, "..", at_us + 1,
                      "us thread=", thread, " corr=", at_us, " ext=", at_us,
                      "us\nkernel t=", at_us + 3, "..", at_us + 6,
                      "us device=0 stream=7 corr=", at_us, " ", kernel, "\n");
}

std::string Convolution(int at_us, int operation) {
  return Work(at_us, operation == 1 ? 0 : 1,
              absl::StrCat("cudnnBackendExecute operation=", operation),
              "name=conv_kernel");
}

std::string Cast(int at_us) {
  return Work(at_us, 0, "cudaLaunchKernel",
              absl::StrCat("name=\"", kCast, "\" grid=32,1,1 block=128,1,1"));
}

// Two layers of equal sizes, forward and backward.
enum class Casts : uint8_t { kNone, kInPasses, kFirstInFront, kInFront };

std::string StepFrom(int at_us, Casts casts) {
  std::string text;
  for (const int layer : {0, 1}) {
    const bool in_front = casts == Casts::kInFront ||
                          (casts == Casts::kFirstInFront && layer == 0);
    if (in_front) text += Cast(at_us - 20 + 9 * layer);
    if (!in_front && casts != Casts::kNone) text += Cast(at_us + 20 * layer);
    text += Convolution(at_us + 20 * layer + 10, 1);
  }
  return text + Convolution(at_us + 40, 2) + Convolution(at_us + 50, 2) +
         Work(at_us + 70, 0, "cudaLaunchKernel",
              "name=multi_tensor_apply_kernel grid=4,1,1 block=128,1,1");
}

// `n` tensors of `bytes`, in front of the steps.
std::string CopiesFromHost(int n, int64_t bytes) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const int at_us = 10 + 10 * i;
    absl::StrAppend(
        &text, "call t=", at_us, "..", at_us + 2,
        "us thread=0 cudaMemcpyAsync dst=", 0x10000000 + i * bytes,
        " count=", bytes, " kind=1\nlaunchapi t=", at_us, "..", at_us + 1,
        "us thread=0 corr=", at_us, "\nmemcpy t=", at_us + 3, "..", at_us + 6,
        "us device=0 stream=7 corr=", at_us, " kind=htod bytes=", bytes, "\n");
  }
  return text;
}

// At the peak, which lies `at_us` in the fourth of six steps.
OwnedBytes OwnersAt(int at_us, const std::string& storage, Casts casts,
                    int copied = 2) {
  const bool is_half =
      storage != "f32" && (casts == Casts::kNone || casts == Casts::kInFront);
  std::string text = absl::StrCat(
      "process framework=\"torch 2.11.0\"\ndevice 0 name=X memory=5242880\n"
      "thread 0 tid=1 name=python\nthread 1 tid=2 name=pt_autograd_0\n"
      "operation 1 conv_forward storage=",
      storage, kDims, "operation 2 conv_backward_weight storage=", storage,
      kDims,
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n",
      CopiesFromHost(copied, (is_half ? 2 : 4) * kElements));
  for (int step = 0; step < 6; ++step) {
    const int begin_us = 100 + 100 * step;
    absl::StrAppend(&text, StepFrom(begin_us, casts), "range t=", begin_us,
                    "..", begin_us + 99, "us thread=0 kind=nvtx name=\"step ",
                    step, "\"\n");
  }
  absl::StrAppend(&text, "call t=", 400 + at_us, "500..", 400 + at_us,
                  "999ns thread=0 cudaMalloc devPtr=0x20000000 size=1048576\n");
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  return summary.memory.devices.at(0).owners->bytes;
}

int64_t Of(MemoryOwner owner, const OwnedBytes& bytes) {
  return bytes[static_cast<size_t>(owner)];
}

TEST(GraphWeightsTest, ConvolutionsMayHaveTheSameWeights) {
  for (const int copied : {0, 1}) {
    const OwnedBytes bytes = OwnersAt(80, "f32", Casts::kNone, copied);
    EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 4 * kElements);
    EXPECT_EQ(Of(MemoryOwner::kGradients, bytes), 4 * kElements);
  }
}

TEST(GraphWeightsTest, ConvolutionsHaveNoMoreWeightsThanCalls) {
  const OwnedBytes bytes = OwnersAt(80, "bf16", Casts::kInPasses, 3);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 4 * kElements);
}

TEST(GraphWeightsTest, EachConvolutionHasWeightsThatTheHostCopied) {
  const OwnedBytes bytes = OwnersAt(35, "f32", Casts::kNone);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 4 * kElements);
  EXPECT_EQ(Of(MemoryOwner::kGradients, bytes), 0);
}

TEST(GraphWeightsTest, GradientsAreThereUntilTheStepEnds) {
  EXPECT_EQ(Of(MemoryOwner::kGradients, OwnersAt(45, "f32", Casts::kNone)),
            4 * kElements);
  EXPECT_EQ(Of(MemoryOwner::kGradients, OwnersAt(80, "f32", Casts::kNone)),
            2 * 4 * kElements);
}

TEST(GraphWeightsTest, WhatIsCastHas32BitsAndSoHaveItsGradients) {
  const OwnedBytes bytes = OwnersAt(80, "bf16", Casts::kInPasses);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 4 * kElements);
  EXPECT_EQ(Of(MemoryOwner::kGradients, bytes), 2 * 4 * kElements);
}

TEST(GraphWeightsTest, WeightsOf16BitsAreNotCast) {
  const OwnedBytes bytes = OwnersAt(80, "bf16", Casts::kNone);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 2 * kElements);
  EXPECT_EQ(Of(MemoryOwner::kGradients, bytes), 2 * 2 * kElements);
}

TEST(GraphWeightsTest, TheFirstCastMayComeRightBeforeTheStep) {
  const OwnedBytes bytes = OwnersAt(80, "bf16", Casts::kFirstInFront);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 4 * kElements);
}

TEST(GraphWeightsTest, WhatAnUpdateCastsMayBeTheWeights) {
  const OwnedBytes bytes = OwnersAt(80, "bf16", Casts::kInFront);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 2 * 2 * kElements);
}

}  // namespace
}  // namespace dltap::analyzer
