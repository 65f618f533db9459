// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/weight_parts.h"

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
};

// Each iteration multiplies by its weights, `weight(i, product)`, forward and
// by their gradients backward, which lie elsewhere each time.
template <typename Weight>
size_t PartsOf(Weight weight, Update update = {}) {
  std::string text = "device 0 name=gpu\n";
  std::vector<CallToken> tokens;
  std::vector<TokenSpan> iterations;
  const auto product = [&](int a, bool forward) {
    const std::string at = std::to_string(tokens.size() * 10);
    const std::string end = std::to_string(tokens.size() * 10 + 5);
    text += "call t=" + at + ".." + end +
            "us thread=0 cublasSgemm_v2 m=8 n=8 k=8 A=" + std::to_string(a) +
            "\n";
    CallToken token{.signature = 1, .begin_ns = 0, .end_ns = 0};
    token.call = CallId(static_cast<uint32_t>(tokens.size()));
    token.product = true;
    token.forward = forward;
    token.backward = !forward;
    tokens.push_back(token);
  };
  for (int i = 0; i < kIterations; ++i) {
    const size_t first = tokens.size();
    for (size_t p = 0; p < kProducts; ++p) product(weight(i, p), true);
    for (size_t p = 0; p < kProducts; ++p) product(100'000 + first, false);
    tokens.back().update = true;
    tokens.back().optimizer = update.of_optimizer;
    iterations.push_back({.first = first, .end = tokens.size()});
  }
  const TraceModel model = TraceFromText(text);
  return PartsByWeights(model, model.processes[0], tokens, iterations);
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

TEST(WeightPartsTest, WeightsThatTakeTurnsInTwoBuffersAreOfOneModel) {
  // p = p - rate * gradient, without an optimizer.
  EXPECT_EQ(PartsOf([](int i, size_t p) { return OneOf(2, i, p); },
                    {.of_optimizer = false}),
            1);
}

TEST(WeightPartsTest, WithoutAddressesNothingIsKnown) {
  EXPECT_EQ(PartsOf([](int, size_t) { return 0; }), 1);
}

}  // namespace
}  // namespace dltap::analyzer
