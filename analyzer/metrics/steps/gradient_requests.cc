// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/gradient_requests.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

constexpr double kNearlyAll = 0.9;
constexpr size_t kLeastGradients = 2;  // of a request: one is an iteration
constexpr uint64_t kMostOfValue = 16;  // bytes: a loss, an accuracy
// Products backward for one forward, where inputs alone have gradients.
constexpr double kOfInputs = 1.2;

struct Sums {
  size_t gradients = 0;  // passes backward
  size_t forward = 0;    // products
  size_t backward = 0;
  bool is_read = false;  // an array is, by the host

  void operator+=(const Sums& other) {
    gradients += other.gradients;
    forward += other.forward;
    backward += other.backward;
  }
  bool HasOfWeights() const {
    return static_cast<double>(backward) >
           kOfInputs * static_cast<double>(forward);
  }
  bool IsOfRequest() const { return gradients >= kLeastGradients && is_read; }
};

Sums SumsOf(std::span<const CallToken> tokens) {
  Sums work;
  bool forward = true;
  for (const CallToken& token : tokens) {
    work.is_read |= token.d2h_bytes > kMostOfValue;
    if (!token.product) continue;
    if (token.backward && forward) ++work.gradients;
    forward = !token.backward;
    ++(token.backward ? work.backward : work.forward);
  }
  return work;
}

// Where inputs are copied; one that no gradient follows, before the next, is of
// the same request as that.
std::vector<TokenSpan> FromInputToInput(const std::vector<CallToken>& tokens,
                                        size_t end) {
  std::vector<TokenSpan> spans;
  bool has_gradient = true;
  for (size_t i = 0; i < end; ++i) {
    if (tokens[i].h2d && !CopiesAValue(tokens[i]) && has_gradient) {
      if (!spans.empty()) spans.back().end = i;
      spans.push_back({i, end});
      has_gradient = false;
    }
    has_gradient |= tokens[i].product && tokens[i].backward;
  }
  if (!has_gradient) spans.pop_back();
  return spans;
}

}  // namespace

Loop GradientRequests(const std::vector<CallToken>& tokens,
                      const std::vector<TokenSpan>& spans) {
  if (spans.empty() || std::ranges::any_of(tokens, &CallToken::optimizer)) {
    return {};
  }
  Loop loop;
  loop.passes = FromInputToInput(tokens, spans.back().end);
  Sums all;
  size_t requests = 0;
  for (const TokenSpan& span : loop.passes) {
    const Sums work = SumsOf(TokensOf(tokens, span));
    requests += work.IsOfRequest() ? 1 : 0;
    all += work;
  }
  const auto n = static_cast<double>(loop.passes.size());
  if (loop.passes.size() < kMinRepeats || all.HasOfWeights() ||
      static_cast<double>(requests) < kNearlyAll * n) {
    return {};
  }
  loop.other_count = all.gradients;
  return loop;
}

}  // namespace dltap::analyzer
