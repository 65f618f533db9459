// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/line_search_steps.h"

#include <algorithm>
#include <cstdint>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastProducts = 2;  // of a direction

using Tokens = std::vector<CallToken>;

// What is done with a gradient after the backward pass.
enum class Look : uint8_t {
  kNone,      // nothing: a part of a batch, its gradients are added up
  kFirst,     // one largest entry
  kDirected,  // the same, then inner products, then a move
  kSearched,  // an inner product first
  kInside     // otherwise
};

size_t EndOfBackward(const Tokens& tokens, const TokenSpan& span) {
  size_t i = span.end;
  while (i > span.first && !tokens[i - 1].backward) --i;
  return i;
}

Look LookAfter(const Tokens& tokens, const TokenSpan& span) {
  size_t i = EndOfBackward(tokens, span);
  size_t largest = 0;
  for (; i < span.end && !tokens[i].inner_product; ++i) {
    largest += tokens[i].largest_entry ? 1 : 0;
  }
  if (i == span.end) {
    if (largest == 1) return Look::kFirst;
    return largest == 0 ? Look::kNone : Look::kInside;
  }
  if (largest == 0) return Look::kSearched;
  const CallToken& last = tokens[span.end - 1];
  const bool moves = last.computes && !last.inner_product;
  return largest == 1 && moves ? Look::kDirected : Look::kInside;
}

std::vector<Look> LooksAfter(const Tokens& tokens,
                             const std::vector<TokenSpan>& spans) {
  std::vector<Look> looks;
  for (const TokenSpan& span : spans) {
    looks.push_back(span.use == StepUse::kUsed ? LookAfter(tokens, span)
                                               : Look::kNone);
  }
  return looks;
}

// Whether an optimizer that has kernels of its own moves after a look. Such
// kernels before it only limit the gradients.
bool MovesOtherwise(const Tokens& tokens, const TokenSpan& span) {
  bool looked = false;
  for (size_t i = span.first; i < span.end; ++i) {
    const CallToken& token = tokens[i];
    looked |= !token.backward && (token.largest_entry || token.inner_product);
    if (token.backward) looked = false;
    if (looked && token.optimizer) return true;
  }
  return false;
}

bool Any(const std::vector<Look>& looks, Look look) {
  return std::ranges::find(looks, look) != looks.end();
}

// Whether most of what looks like directions is made as they are: of what the
// last move changed and of the slope, both inner products, and the host reads
// the slope before it moves. Programs that watch their gradients do less. The
// first direction of an optimizer has the slope alone.
bool MakesDirections(const Tokens& tokens,
                     const std::vector<TokenSpan>& spans) {
  size_t looks = 0;
  size_t directions = 0;
  for (const TokenSpan& span : spans) {
    size_t i = EndOfBackward(tokens, span);
    while (i < span.end && !tokens[i].largest_entry) ++i;
    size_t products = 0;
    bool is_read = false;
    for (; i < span.end; ++i) {
      products += tokens[i].inner_product ? 1 : 0;
      is_read = tokens[i].d2h || (is_read && !tokens[i].inner_product);
    }
    if (products == 0) continue;
    ++looks;
    directions += products >= kLeastProducts && is_read ? 1 : 0;
  }
  return 2 * directions >= looks;
}

bool ShowsLineSearches(const Tokens& tokens,
                       const std::vector<TokenSpan>& spans,
                       const std::vector<Look>& looks) {
  return Any(looks, Look::kDirected) &&
         (Any(looks, Look::kSearched) || Any(looks, Look::kInside)) &&
         MakesDirections(tokens, spans) &&
         std::ranges::none_of(spans, [&tokens](const TokenSpan& span) {
           return MovesOtherwise(tokens, span);
         });
}

// Joins spans that come in time.
class Joiner {
 public:
  explicit Joiner(bool searches) : searches_(searches) {}

  void Add(const TokenSpan& span, Look look) {
    if (look == Look::kNone) {
      waiting_.push_back(span);
      return;
    }
    // Without searches: the gradient vanishes after a move, which ends the
    // step; the next steps then end where they begin.
    const bool vanished =
        look == Look::kFirst && last_ != Look::kFirst && !searches_;
    if (look == Look::kDirected || (look == Look::kFirst && !vanished)) {
      Begin(span);
    } else {
      Continue(span);
    }
    last_ = look;
  }

  std::vector<TokenSpan> Take() {
    steps_.insert(steps_.end(), waiting_.begin(), waiting_.end());
    return std::move(steps_);
  }

 private:
  // What waits is a part of the batch or, as evaluation, is not of this step.
  void Begin(TokenSpan span) {
    while (!waiting_.empty() && waiting_.back().use == StepUse::kUsed) {
      span.first = waiting_.back().first;
      waiting_.pop_back();
    }
    steps_.insert(steps_.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    steps_.push_back(span);
  }

  void Continue(const TokenSpan& span) {
    if (steps_.empty()) {  // the step had begun before the recording
      const size_t first =
          waiting_.empty() ? span.first : waiting_.front().first;
      steps_.push_back({first, span.end, StepUse::kIncomplete});
    }
    steps_.back().end = span.end;
    waiting_.clear();
  }

  const bool searches_;
  Look last_ = Look::kFirst;
  std::vector<TokenSpan> steps_;
  std::vector<TokenSpan> waiting_;  // for what follows to tell
};

}  // namespace

std::vector<TokenSpan> JoinLineSearches(const Tokens& tokens,
                                        const std::vector<TokenSpan>& spans) {
  const std::vector<Look> looks = LooksAfter(tokens, spans);
  if (!ShowsLineSearches(tokens, spans, looks)) return {};
  Joiner joiner(Any(looks, Look::kSearched));
  for (size_t i = 0; i < spans.size(); ++i) joiner.Add(spans[i], looks[i]);
  return joiner.Take();
}

}  // namespace dltap::analyzer
