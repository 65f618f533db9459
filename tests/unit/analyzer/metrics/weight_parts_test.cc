// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/weight_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr int kIterations = 24;
constexpr size_t kProducts = 4;  // of an iteration

struct Update {
  bool of_optimizer = true;
  bool casts = false;          // the weights, right before each product
  bool reads_weights = false;  // backward, too: for gradients of its input
  bool squares = false;        // the products are of a matrix and itself
  bool by_turns = false;       // backward go all layers, then half of them
  bool convolves = false;      // the layers, forward and for their input
};

constexpr char kConvolutions[] =
    " storage=f16 batch=8 channels_in=8 channels_out=8 depth_in=1 height_in=8 "
    "width_in=8 filter_depth=1 filter_height=1 filter_width=1 depth_out=1 "
    "height_out=8 width_out=8 groups=1\n";

std::string ProductBy(int weights, bool forward, const Update& update) {
  const std::string at = std::to_string(weights);
  if (update.convolves) {
    return "cudnnBackendExecute node_x=1 node_w=" + at +
           " node_y=2 operation=" + (forward ? "1" : "2") + "\n";
  }
  return "cublasGemmEx m=8 n=8 k=8 Atype=14 Btype=14 Ctype=14 A=" + at +
         (update.squares ? " B=" + at : "") + "\n";
}

std::string CastAt(size_t us) {
  const std::string at = std::to_string(us);
  const std::string times = at + ".." + std::to_string(us + 1) + "us ";
  const std::string corr = " corr=" + std::to_string(us + 1);
  return "call t=" + times + "thread=0 cudaLaunchKernel\nlaunchapi t=" + times +
         "thread=0" + corr + "\nkernel t=" + std::to_string(us + 2) + ".." +
         std::to_string(us + 3) + "us device=0" + corr +
         " grid=1,1,1 block=128,1,1 name=\"at::native::"
         "vectorized_elementwise_kernel<8, "
         "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"
         "::{lambda(float)#1}, std::array<char*, 2ul> >(int)\"\n";
}

struct Run {
  TraceModel model;
  std::vector<CallToken> tokens;
  std::vector<TokenSpan> iterations;
};

// Each iteration multiplies by its weights, `weight(i, product)`, forward and
// by their gradients backward, which lie elsewhere each time.
template <typename Weight>
Run RunOf(Weight weight, Update update = {}) {
  std::string text =
      "process framework=\"torch 2.11.0\"\ndevice 0 name=gpu\n"
      "thread 0 tid=1 name=python\n";
  text += std::string("operation 1 conv_forward") + kConvolutions +
          "operation 2 conv_backward_data" + kConvolutions;
  std::vector<CallToken> tokens;
  std::vector<TokenSpan> iterations;
  uint32_t calls = 0;
  const auto product = [&](int a, bool forward) {
    const size_t us = tokens.size() * 10 + 5;
    const std::string at = std::to_string(us);
    const std::string end = std::to_string(us + 4);
    if (update.casts) {
      text += CastAt(us - 5);
      ++calls;
    }
    text += "call t=" + at + ".." + end + "us thread=0 " +
            ProductBy(a, forward, update);
    CallToken token{.signature = 1,
                    .begin_ns = static_cast<int64_t>(us) * 1000,
                    .end_ns = static_cast<int64_t>(us + 4) * 1000};
    token.call = CallId(calls++);
    token.product = true;
    token.forward = forward;
    token.backward = !forward;
    tokens.push_back(token);
  };
  for (int i = 0; i < kIterations; ++i) {
    const size_t first = tokens.size();
    for (size_t p = 0; p < kProducts; ++p) product(weight(i, p), true);
    for (size_t p = 0; p < kProducts; ++p) {
      const bool reads = update.by_turns ? i % 2 == 0 || p < kProducts / 2
                                         : update.reads_weights;
      product(reads ? weight(i, p) : 100'000 + first, false);
    }
    tokens.back().update = true;
    tokens.back().optimizer = update.of_optimizer;
    iterations.push_back({.first = first, .end = tokens.size()});
  }
  return {TraceFromText(text), tokens, iterations};
}

template <typename Weight>
size_t PartsOf(Weight weight, Update update = {}) {
  const Run run = RunOf(weight, update);
  const Attribution attribution = Attribute(run.model);
  return PartsByWeights(run.model, run.model.processes[0],
                        attribution.processes[0], run.tokens, run.iterations);
}

template <typename Weight>
bool IsOneModel(Weight weight, Update update) {
  const Run run = RunOf(weight, update);
  return TrainOneModel(run.model, run.model.processes[0], run.tokens,
                       run.iterations);
}

int OneOf(int models, int i, size_t p) {
  return 0x1000 * (1 + i % models) + static_cast<int>(p);
}

TEST(WeightPartsTest, EqualModelsThatTakeTurnsAreParts) {
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(2, i, p); }), 2);
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(3, i, p); }), 3);
}

TEST(WeightPartsTest, OneModelIsWhole) {
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(1, i, p); }), 1);
}

TEST(WeightPartsTest, WeightsThatMoveOnAreOfOneModel) {
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(1'000, i, p); }), 1);
}

TEST(WeightPartsTest, ModelsThatShareALayerAreNotTold) {
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(p ? 2 : 1, i, p); }), 1);
}

TEST(WeightPartsTest, AModelThatIsTrainedThroughAnotherIsAPart) {
  // What judges, twice; then what makes, judged.
  constexpr int kJudge = 0x1000;
  constexpr int kMaker = 0x2000;
  EXPECT_EQ(PartsOf([](int i, size_t p) {
              const bool makes = i % 2 == 1 && p < kProducts / 2;
              return (makes ? kMaker : kJudge) + static_cast<int>(p % 2);
            }),
            2);
}

TEST(WeightPartsTest, WhatOnlyGoesBackwardByTurnsIsAPart) {
  // What makes goes forward for its judge, too, but learns in its turn alone.
  const auto both = [](int i, size_t p) { return OneOf(1, i, p); };
  EXPECT_EQ(PartsOf(both, {.by_turns = true}), 2);
  EXPECT_EQ(PartsOf(both, {.by_turns = true, .convolves = true}), 2);
  EXPECT_EQ(PartsOf(both, {.reads_weights = true, .convolves = true}), 1);
}

TEST(WeightPartsTest, ResultsThatTakeTurnsInTwoBuffersAreNoPart) {
  // One of four products is of results.
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(p ? 1 : 2, i, p); }), 1);
}

TEST(WeightPartsTest, WeightsThatTakeTurnsInTwoBuffersAreOfOneModel) {
  // p = p - rate * gradient, without an optimizer.
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(2, i, p); },
                    {.of_optimizer = false}),
            1);
}

TEST(WeightPartsTest, WhatCastsAreMadeToMayTakeTurnsInTwoBuffers) {
  EXPECT_EQ(
      PartsOf([](int i, size_t p) { return OneOf(2, i, p); }, {.casts = true}),
      1);
}

TEST(WeightPartsTest, WhatIsMultipliedByItselfIsNoWeight) {
  // Gram matrices, in buffers that take turns.
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(4, i, p); },
                    {.squares = true}),
            1);
}

TEST(WeightPartsTest, TheSameWeightsBothWaysAreOneModel) {
  const auto same = [](int i, size_t p) { return OneOf(1, i, p); };
  EXPECT_TRUE(IsOneModel(same, {.reads_weights = true}));
  EXPECT_FALSE(IsOneModel(same, {.reads_weights = false}));
  EXPECT_FALSE(IsOneModel([](int i, size_t p) { return OneOf(2, i, p); },
                          {.reads_weights = true}));
  EXPECT_FALSE(
      IsOneModel([](int, size_t) { return 0; }, {.reads_weights = true}));
}

TEST(WeightPartsTest, WithoutAddressesNothingIsKnown) {
  EXPECT_EQ(PartsOf([](int, size_t) { return 0; }), 1);
}

}  // namespace
}  // namespace dltap::analyzer
