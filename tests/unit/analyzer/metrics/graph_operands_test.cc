// SPDX-License-Identifier: Apache-2.0
// Operands of cuDNN's graphs, by the addresses that the tap found in variant
// packs.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kInput = int64_t{4} * 8 * 128 * 64;   // x and dx
constexpr int64_t kFilter = int64_t{4} * 128 * 256;     // w and dw
constexpr int64_t kOutput = int64_t{4} * 8 * 256 * 64;  // y and dy
constexpr int64_t kScratch = 65536;
constexpr char kDims[] =
    " batch=8 channels_in=128 channels_out=256 depth_in=1 height_in=8 "
    "width_in=8 filter_depth=1 filter_height=1 filter_width=1 depth_out=1 "
    "height_out=8 width_out=8 groups=1\n";
constexpr int kForward = 1, kBackwardData = 2, kBackwardWeight = 3;
constexpr uint64_t kX = 0x10000000, kW = 0x10200000, kY = 0x10400000,
                   kDx = 0x10600000, kDw = 0x10800000, kDy = 0x10A00000,
                   kWorkspace = 0x10C00000;

struct Tensors {
  uint64_t x, w, y;
  uint64_t workspace = 0;
};

std::string Graph(int at_us, int thread, int operation, const Tensors& at) {
  return absl::StrCat(
      "call t=", at_us, "..", at_us + 2, "us thread=", thread,
      " cudnnBackendExecute node_x=", at.x, " node_w=", at.w, " node_y=", at.y,
      " node_extra=0 workspace=", at.workspace,
      " workspace_bytes=", at.workspace == 0 ? 0 : kScratch,
      " operation=", operation, "\nlaunchapi t=", at_us, "..", at_us + 1,
      "us thread=", thread, " corr=", at_us, " ext=", at_us,
      "us\nkernel t=", at_us + 3, "..", at_us + 6,
      "us device=0 stream=7 corr=", at_us, " name=conv_kernel\n");
}

// One layer; `w` may lie elsewhere in each step.
std::string StepFrom(int at_us, uint64_t w, uint64_t x = kX) {
  return Graph(at_us + 10, 0, kForward, {x, w, kY}) +
         Graph(at_us + 40, 1, kBackwardData, {kDx, w, kDy, kWorkspace}) +
         Graph(at_us + 50, 1, kBackwardWeight, {x, kDw, kDy});
}

// What is known when memory peaks, `at_us` in the fourth of six steps.
OwnedBytes OwnersAt(int at_us, bool moves = false, uint64_t x = kX,
                    const char* storage = "f32") {
  std::string text =
      "device 0 name=X memory=67108864\n"
      "thread 0 tid=1 name=python\nthread 1 tid=2 name=pt_autograd_0\n";
  for (const char* kind :
       {"1 conv_forward", "2 conv_backward_data", "3 conv_backward_weight"}) {
    absl::StrAppend(&text, "operation ", kind, " storage=", storage, kDims);
  }
  text += "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=33554432\n";
  for (int step = 0; step < 6; ++step) {
    const int begin_us = 100 + 100 * step;
    const uint64_t w = kW + (moves ? 0x100000 * (step % 2) : 0);
    absl::StrAppend(&text, StepFrom(begin_us, w, x), "range t=", begin_us, "..",
                    begin_us + 99, "us thread=0 kind=nvtx name=\"step ", step,
                    "\"\n");
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

TEST(GraphOperandsTest, WeightsLieWhereThePackSaid) {
  const OwnedBytes bytes = OwnersAt(80);
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), kFilter);
  EXPECT_EQ(Of(MemoryOwner::kGradients, bytes), kFilter);
}

// Read forward and again by the gradient of the weights.
TEST(GraphOperandsTest, AnInputThatIsReadAgainIsAFeatureMap) {
  EXPECT_EQ(Of(MemoryOwner::kFeatureMaps, OwnersAt(30)), kInput);
  EXPECT_EQ(Of(MemoryOwner::kFeatureMaps, OwnersAt(60)), 0);
}

// Of the backward pass: the input's gradient and the result's.
TEST(GraphOperandsTest, GradientsOfFeatureMapsAreDynamic) {
  EXPECT_EQ(Of(MemoryOwner::kDynamic, OwnersAt(41)), kInput + kOutput);
  EXPECT_EQ(Of(MemoryOwner::kDynamic, OwnersAt(45)), kOutput);
}

TEST(GraphOperandsTest, AWorkspaceIsTheCallsWhileItRuns) {
  EXPECT_EQ(Of(MemoryOwner::kWorkspace, OwnersAt(41)), kScratch);
  EXPECT_EQ(Of(MemoryOwner::kWorkspace, OwnersAt(45)), 0);
  EXPECT_EQ(Of(MemoryOwner::kWorkspace, OwnersAt(30)), 0);
}

// What a jitted step returns is in one of two buffers, by turns.
TEST(GraphOperandsTest, WeightsThatMoveAreThoseOfTheirStep) {
  EXPECT_EQ(Of(MemoryOwner::kWeights, OwnersAt(30, true)), kFilter);
}

// Casts of weights that are kept elsewhere come to lie anywhere.
TEST(GraphOperandsTest, WeightsOf16BitsThatMoveAreDynamic) {
  const OwnedBytes bytes = OwnersAt(30, true, kX, "bf16");
  EXPECT_EQ(Of(MemoryOwner::kWeights, bytes), 0);
  EXPECT_EQ(Of(MemoryOwner::kDynamic, bytes), kFilter / 2);
}

// An address that no block covers, as that of memory of the host.
TEST(GraphOperandsTest, WhatLiesOutsideOfBlocksIsNotCounted) {
  const OwnedBytes bytes = OwnersAt(30, false, 0x7F0000000000);
  EXPECT_EQ(Of(MemoryOwner::kFeatureMaps, bytes), 0);
}

}  // namespace
}  // namespace dltap::analyzer
