// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/rollouts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/step_parts.h"
#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

constexpr double kNearlyAll = 0.8;     // of the rollouts
constexpr double kLeastOfKind = 0.15;  // of the iterations

using Tokens = std::vector<CallToken>;

size_t Products(const Tokens& tokens, const TokenSpan& span) {
  return CountOf(tokens, span, &CallToken::product);
}

// Passes in front of iterations, and these.
class RolloutJoiner {
 public:
  RolloutJoiner(const Tokens& tokens, size_t from, std::vector<TokenSpan> spans)
      : tokens_(tokens), from_(from), spans_(std::move(spans)) {
    for (const TokenSpan& span : spans_) {
      (span.use == StepUse::kEvaluation ? passes_ : iterations_)
          .push_back(span);
    }
  }

  Loop Run() && {
    if (passes_.empty() || !AreRollouts()) return {std::move(spans_)};
    LeaveSmallPasses();
    Steps steps = Joined(/*all=*/true);
    const auto with_loop = std::ranges::count_if(
        steps.iterations, [](size_t iterations) { return iterations > 1; });
    // Single passes in front of some iterations are those in which a policy
    // was asked, in place of chance.
    if (static_cast<double>(with_loop) <
        kNearlyAll * static_cast<double>(steps.spans.size())) {
      steps = Joined(/*all=*/false);
    }
    steps.spans.front().first = BeginOfFirst(steps.spans.front().first);
    if (BreaksOff(steps.iterations)) {
      steps.spans.back().use = StepUse::kIncomplete;
    }
    const bool has_loop = steps.spans.size() < iterations_.size();
    return {std::move(steps.spans), has_loop ? iterations_.size() : 0};
  }

 private:
  struct Steps {
    std::vector<TokenSpan> spans;
    std::vector<size_t> iterations;  // of each
  };

  // What takes no input, where longer passes do, works out anew, before each
  // epoch, what these have played: it is part of the iteration behind it.
  void LeaveSmallPasses() {
    const auto takes_none = [&](const TokenSpan& span) {
      return !AnyOf(tokens_, span, &CallToken::h2d);
    };
    const auto small = std::stable_partition(
        passes_.begin(), passes_.end(),
        [&](const TokenSpan& span) { return !takes_none(span); });
    if (small == passes_.end() || small - passes_.begin() < 2) return;
    size_t most = 0;
    for (auto it = small; it != passes_.end(); ++it) {
      most = std::max(most, Products(tokens_, *it));
    }
    const bool are_small = std::all_of(
        passes_.begin(), small,
        [&](const TokenSpan& span) { return Products(tokens_, span) > most; });
    if (!are_small) return;
    passes_.erase(small, passes_.end());
    for (size_t i = 0; i + 1 < spans_.size(); ++i) {
      if (spans_[i].use == StepUse::kEvaluation && takes_none(spans_[i])) {
        spans_[i + 1].first = spans_[i].first;
      }
    }
    std::erase_if(spans_, [&](const TokenSpan& span) {
      return span.use == StepUse::kEvaluation && takes_none(span);
    });
  }

  bool AreRollouts() const {
    std::vector<size_t> products;
    size_t in_front = 0;
    for (const TokenSpan& span : passes_) {
      products.push_back(Products(tokens_, span));
      in_front += products.back();
    }
    size_t inside = 0;
    for (const TokenSpan& span : iterations_) {
      inside += Products(tokens_, span);
    }
    const size_t before_first =
        ProductsOfPasses(from_, iterations_.front().first);
    // What is learned from comes first. An evaluation may come first, too.
    const bool begin = 2 * before_first >= Median(products);
    const size_t behind_last =
        Products(tokens_, {iterations_.back().end, tokens_.size()});
    const bool end = behind_last >= *std::ranges::min_element(products);
    // The first ones count as much as the others, set-up aside, lest the length
    // of the run decide.
    in_front += std::min(in_front / products.size(), before_first);
    if (in_front > inside) return begin || !end;
    return begin && products.size() + 1 >= kMinRepeats &&
           (AloneTakeInput() || AloneSample() ||
            (!end && AreAllAlike(products, before_first) && AllDraw() &&
             NoneTakesInput()));
  }

  // Whether as many products stand in front of the first iteration as in front
  // of others, and these of as many iterations each: nobody evaluates a model
  // that has learnt nothing, or not what it knows at last.
  bool AreAllAlike(const std::vector<size_t>& products,
                   size_t before_first) const {
    const auto is_usual = [usual = Median(products)](size_t n) {
      return n == usual;
    };
    const std::vector<size_t> behind = Joined(/*all=*/true).iterations;
    return is_usual(before_first) && std::ranges::all_of(products, is_usual) &&
           behind.front() > 1 &&
           std::all_of(behind.begin(), behind.end() - 1,
                       [&](size_t n) { return n == behind.front(); });
  }

  // Whether each pass samples from what it computes.
  bool AllDraw() const {
    return std::ranges::all_of(passes_, [&](const TokenSpan& span) {
      return CountOf(tokens_, span, &CallToken::draws) > 1;
    });
  }

  // Whether the iterations have what they work on from the passes: none copies
  // a batch.
  bool NoneTakesInput() const {
    return std::ranges::none_of(iterations_, [&](const TokenSpan& span) {
      return std::ranges::any_of(TokensOf(tokens_, span),
                                 [](const CallToken& token) {
                                   return token.h2d && !CopiesAValue(token);
                                 });
    });
  }

  // Products of [first, end) that passes have, too: weights may be made by
  // others.
  size_t ProductsOfPasses(size_t first, size_t end) const {
    absl::flat_hash_set<uint32_t> known;
    for (const TokenSpan& span : passes_) {
      for (size_t i = span.first; i < span.end; ++i) {
        if (tokens_[i].product) known.insert(tokens_[i].signature);
      }
    }
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
      count +=
          tokens_[i].product && known.contains(tokens_[i].signature) ? 1 : 0;
    }
    return count;
  }

  // Rollouts with all iterations that follow them, or with the next one alone.
  Steps Joined(bool all) const {
    Steps steps;
    bool begins = true;
    for (const TokenSpan& span : spans_) {
      const bool is_rollout = span.use == StepUse::kEvaluation;
      if (begins || is_rollout) {
        steps.spans.push_back({span.first, span.end});
        steps.iterations.push_back(0);
      }
      steps.spans.back().end = span.end;
      steps.iterations.back() += is_rollout ? 0 : 1;
      begins = !all && !is_rollout;
    }
    return steps;
  }

  // Whether nearly all passes take an input and most iterations do not, nor
  // nearly all of one kind, which the others share it with: these work on what
  // the passes made.
  bool AloneTakeInput() const {
    const auto takes = [&](const TokenSpan& span) {
      return AnyOf(tokens_, span, &CallToken::h2d);
    };
    return AloneDo(takes, takes);
  }

  // Or draw of what they compute: numbers that are drawn before any product are
  // an input.
  bool AloneSample() const {
    return AloneDo(
        [&](const TokenSpan& span) {
          const auto pass = TokensOf(tokens_, span);
          const auto product = std::ranges::find_if(pass, &CallToken::product);
          return std::any_of(product, pass.end(),
                             [](const CallToken& t) { return t.draws; });
        },
        [&](const TokenSpan& span) {
          return AnyOf(tokens_, span, &CallToken::draws);
        });
  }

  bool AloneDo(const auto& pass_does, const auto& iteration_does) const {
    const auto passes = std::ranges::count_if(passes_, pass_does);
    return static_cast<double>(passes) >=
               kNearlyAll * static_cast<double>(passes_.size()) &&
           !DoIterations(iteration_does);
  }

  bool DoIterations(const auto& does) const {
    struct Kind {
      size_t all = 0;
      size_t doing = 0;
    };
    std::map<uint32_t, Kind> kinds;
    size_t doing = 0;
    const std::vector<uint32_t> kind_of =
        KindsByGradients(tokens_, iterations_);
    for (size_t i = 0; i < iterations_.size(); ++i) {
      const size_t n = does(iterations_[i]) ? 1 : 0;
      Kind& kind = kinds[kind_of.empty() ? 0 : kind_of[i]];
      ++kind.all;
      kind.doing += n;
      doing += n;
    }
    return 2 * doing >= iterations_.size() ||
           std::ranges::any_of(kinds, [&](const auto& entry) {
             const auto& [all, doing_of_kind] = entry.second;
             return static_cast<double>(doing_of_kind) >=
                        kNearlyAll * static_cast<double>(all) &&
                    static_cast<double>(all) >=
                        kLeastOfKind * static_cast<double>(iterations_.size());
           });
  }

  // The first rollout has no iteration in front that shows where it begins: it
  // has at most as many products as the second one, and as much before them.
  size_t BeginOfFirst(size_t iteration) const {
    const TokenSpan& second = passes_.front();
    size_t missing = Products(tokens_, second);
    size_t begin = iteration;
    for (size_t i = iteration; i > from_ && missing > 0; --i) {
      if (!tokens_[i - 1].product) continue;
      begin = i - 1;
      --missing;
    }
    if (begin == iteration) return begin;
    for (size_t i = second.first; !tokens_[i].product && begin > from_; ++i) {
      if (tokens_[begin - 1].product) break;
      --begin;
    }
    return begin;
  }

  // Whether the last step has fewer iterations than all others, which are
  // alike.
  static bool BreaksOff(const std::vector<size_t>& iterations) {
    const size_t usual = iterations.front();
    return iterations.back() < usual &&
           std::all_of(iterations.begin(), iterations.end() - 1,
                       [usual](size_t n) { return n == usual; });
  }

  const Tokens& tokens_;
  const size_t from_;
  std::vector<TokenSpan> spans_;
  std::vector<TokenSpan> passes_;
  std::vector<TokenSpan> iterations_;
};

}  // namespace

Loop JoinRollouts(const Tokens& tokens, size_t from,
                  std::vector<TokenSpan> spans) {
  return RolloutJoiner(tokens, from, std::move(spans)).Run();
}

}  // namespace dltap::analyzer
