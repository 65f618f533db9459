// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/streamed_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// A copy of 256 bytes, as the weights of Product() have, at `at` us; `kind` is
// cudaMemcpyKind.
std::string Copy(int at, int to, int from, int kind = 1) {
  return absl::StrFormat(
      "call t=%dus..%dus thread=0 cudaMemcpyAsync dst=%d src=%d count=256 "
      "kind=%d\nlaunchapi t=%dus..%dus thread=0 corr=%d\n"
      "memcpy t=%dus..%dus device=0 corr=%d kind=%s bytes=256\n",
      at, at + 2, to, from, kind, at, at + 1, at + 1, at + 3, at + 5, at + 1,
      kind == 1 ? "htod" : "dtoh");
}

std::string Product(int at, int weights) {
  return absl::StrFormat(
      "call t=%dus..%dus thread=0 cublasSgemm_v2 m=8 n=8 k=8 "
      "A=%d B=%d\nlaunchapi t=%dus..%dus thread=0 corr=%d "
      "ext=%dus\nkernel t=%dus..%dus device=0 corr=%d name=gemm\n",
      at, at + 2, weights, 900 + at, at, at + 1, at + 1, at, at + 3, at + 8,
      at + 1);
}

uint64_t HomeOf(const std::string& text, uint64_t address, int at_us,
                int bytes = 256) {
  const TraceModel model = TraceFromText("device 0 name=gpu\n" + text);
  return StreamedWeights(model, model.processes[0])
      .HomeOf(address, bytes, int64_t{1000} * at_us);
}

TEST(StreamedWeightsTest, WhatTakesTurnsAtAnAddressLivesWhereItCameFrom) {
  std::string text;
  for (int pass = 0; pass < 3; ++pass) {
    text += Copy(100 * pass, 10, 501) + Copy(100 * pass + 20, 10, 502) +
            Copy(100 * pass + 40, pass == 2 ? 12 : 11, 502);
  }
  EXPECT_EQ(HomeOf(text, 10, 110), 501);
  EXPECT_EQ(HomeOf(text, 10, 130), 502);
  EXPECT_EQ(HomeOf(text, 12, 290), 502) << "at an address of its own, too";
  EXPECT_EQ(HomeOf(text, 13, 290), 13) << "never copied";
  EXPECT_EQ(HomeOf(text, 10, 130, 32), 10) << "something else lies there now";
}

TEST(StreamedWeightsTest, BatchesAndStagingBuffersTellNothing) {
  std::string batches;
  std::string staged;
  std::string results;
  for (int i = 0; i < 6; ++i) {
    batches += Copy(20 * i, 10, 500 + i);
    staged += Copy(20 * i, 10 + i % 2, 500);
    results += Copy(20 * i, 10, 500 + i % 2, /*kind=*/2);
  }
  EXPECT_EQ(HomeOf(batches, 10, 110), 10);
  EXPECT_EQ(HomeOf(staged, 10, 110), 10);
  EXPECT_EQ(HomeOf(results, 10, 110), 10);
}

size_t CountSteps(const std::string& text) {
  const TraceModel model = TraceFromText("device 0 name=gpu\n" + text);
  const Process& process = model.processes[0];
  const Attribution attribution = Attribute(model);
  return FindSteps(model, process, attribution.processes[0]).steps.size();
}

// Twenty passes of four equal layers whose weights come from the host, to two
// buffers that take turns.
TEST(StreamedWeightsTest, LayersWhoseWeightsComeFromTheHostAreNoSteps) {
  std::string text;
  for (int i = 0; i < 80; ++i) {
    text += Copy(30 * i, 10 + i % 2, 501 + i % 4) +
            Product(30 * i + 15, 10 + i % 2);
  }
  EXPECT_EQ(CountSteps(text), 20);
}

// Requests to three models of two layers, of which each is copied in before.
TEST(StreamedWeightsTest, ModelsThatAreSwappedInHaveAStepEach) {
  std::string text;
  for (int i = 0; i < 24; ++i) {
    const int at = 100 * i;
    for (int layer = 0; layer < 2; ++layer) {
      text += Copy(at + 10 * layer, 10 + layer, 501 + 10 * (i % 3) + layer);
    }
    text += Product(at + 30, 10) + Product(at + 45, 11) +
            Copy(at + 60, 901, 902, /*kind=*/2);
  }
  EXPECT_EQ(CountSteps(text), 24);
}

}  // namespace
}  // namespace dltap::analyzer
