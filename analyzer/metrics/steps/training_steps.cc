// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/training_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/closing_passes.h"
#include "analyzer/metrics/steps/inner_extras.h"
#include "analyzer/metrics/steps/interrupted_steps.h"
#include "analyzer/metrics/steps/rollouts.h"
#include "analyzer/metrics/steps/side_updates.h"
#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/usual_iteration.h"

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;    // of iterations with the same passes
constexpr double kPresentShare = 0.8;  // of iterations with such a call
constexpr size_t kLeastUpdates = 2;
// Iterations in a row that begin with equal passes: these are part of them.
constexpr size_t kOtherLoop = 8;
// Products backward for one forward: it has the gradients of two operands. More
// than that are of passes elsewhere.
constexpr double kMostGradients = 2.5;
constexpr double kRestShare = 0.1;  // of an iteration: too little to be a part
constexpr size_t kLeastSaved = 4;   // copies, of tensors that are saved

using Tokens = std::vector<CallToken>;

bool Any(const Tokens& tokens, bool CallToken::*flag) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [flag](const CallToken& token) { return token.*flag; });
}

size_t Computing(const Tokens& tokens, size_t first, size_t end) {
  return CountOf(tokens, {first, end}, &CallToken::computes);
}

// Behind what the host reads of an iteration from `end` on. A value that the
// host hands over for it to read (TensorFlow's, whether there is another batch)
// is no batch.
size_t EndOfReads(const Tokens& tokens, size_t end) {
  for (size_t i = end; i < tokens.size() && !tokens[i].computes; ++i) {
    const CallToken& token = tokens[i];
    if (token.d2h) {
      end = i + 1;
    } else if (!CopiesAValue(token)) {
      break;
    }
  }
  return end;
}

// Cuts the run behind the last token with `ends` before forward work goes on.
// Reading the loss afterwards is still part of the iteration.
class Cutter {
 public:
  Cutter(const Tokens& tokens, bool CallToken::*ends)
      : tokens_(tokens),
        ends_(ends),
        forward_(Any(tokens, &CallToken::forward) ? &CallToken::forward
                                                  : nullptr),
        needs_backward_(Any(tokens, &CallToken::backward)) {}

  // The last span is what follows the last iteration; it may be empty.
  std::vector<TokenSpan> Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const CallToken& token = tokens_[i];
      if (last_ && IsForward(token)) {
        if (IsPrologue(i)) {
          Join();
        } else {
          Cut(i);
        }
      }
      seen_backward_ |= token.backward;
      if (token.*ends_ && (seen_backward_ || !needs_backward_)) last_ = i;
    }
    if (last_) Cut(tokens_.size());
    spans_.push_back({first_, tokens_.size()});
    return std::move(spans_);
  }

 private:
  bool IsForward(const CallToken& token) const {
    if (forward_ != nullptr) return token.*forward_;
    return token.computes && !token.backward && !token.update;
  }

  // A graph may work out what needs no input, of gradients and of the update,
  // before anything else: where products tell the forward pass, what has none
  // before the first of them is no iteration.
  bool IsPrologue(size_t next) const {
    return forward_ != nullptr && spans_.empty() &&
           std::none_of(tokens_.begin(),
                        tokens_.begin() + static_cast<ptrdiff_t>(next),
                        [](const CallToken& token) { return token.product; });
  }

  void Join() {
    last_.reset();
    seen_backward_ = false;
  }

  // No copy ends the last iteration; all that follows it is its update, if the
  // others had one.
  size_t TailEnd(size_t end, size_t next) {
    const size_t none = next == tokens_.size() && has_tail_ ? next : end;
    const size_t tail = EndOfTail(tokens_, end, next).value_or(none);
    has_tail_ |= tail > end;
    return tail;
  }

  void Cut(size_t next) {
    if (!last_) return;
    size_t end = EndOfReads(tokens_, *last_ + 1);
    if (ends_ == &CallToken::backward) end = std::max(end, TailEnd(end, next));
    spans_.push_back({first_, end});
    first_ = end;
    last_.reset();
    seen_backward_ = false;
  }

  const Tokens& tokens_;
  bool CallToken::*ends_;
  bool CallToken::*forward_;  // null: no product tells the forward pass
  bool needs_backward_;
  std::vector<TokenSpan> spans_;
  size_t first_ = 0;
  std::optional<size_t> last_;
  bool seen_backward_ = false;
  bool has_tail_ = false;  // something followed a backward pass
};

// A call that is made the same number of times in the forward part of nearly
// all iterations: it counts the passes.
struct PassMark {
  uint32_t signature = 0;
  size_t times = 0;   // an iteration
  size_t offset = 0;  // of the first, from the begin of the iteration
};

// Tells passes forward in front of an iteration from the iteration.
class PassCounter {
 public:
  PassCounter(const Tokens& tokens, const std::vector<TokenSpan>& spans)
      : tokens_(tokens), until_backward_(Any(tokens, &CallToken::backward)) {
    mark_ = FindMark(spans);
  }

  bool CanCount() const { return mark_.has_value(); }

  // Where the iteration begins that `span` ends with: `span.first` where there
  // is no sign of more passes than the usual ones.
  size_t BeginOf(const TokenSpan& span, bool is_first) const {
    if (!mark_) return span.first;
    size_t marks = 0;
    size_t begin = span.first;
    for (size_t i = ForwardEnd(span); i > span.first;) {
      if (tokens_[--i].signature != mark_->signature) continue;
      if (++marks == mark_->times) {
        begin = std::max(span.first, i - std::min(i, mark_->offset));
      }
    }
    return is_first || marks > mark_->times ? begin : span.first;
  }

  // Passes forward at the begin of `span`, in calls of the mark.
  bool HasMoreThanOnePass(const TokenSpan& span) const {
    if (!mark_) return false;
    const auto n = std::count_if(
        tokens_.begin() + static_cast<ptrdiff_t>(span.first),
        tokens_.begin() + static_cast<ptrdiff_t>(span.end),
        [this](const CallToken& t) { return t.signature == mark_->signature; });
    return static_cast<size_t>(n) > mark_->times;
  }

 private:
  size_t ForwardEnd(const TokenSpan& span) const {
    size_t i = span.first;
    while (i < span.end &&
           !(until_backward_ ? tokens_[i].backward : tokens_[i].update)) {
      ++i;
    }
    // A replayed graph holds its whole iteration.
    return std::min(span.end, i < span.end && tokens_[i].whole ? i + 1 : i);
  }

  struct Uses {
    std::map<size_t, size_t> iterations_by_count;
    std::vector<size_t> offsets;
  };

  std::optional<PassMark> FindMark(const std::vector<TokenSpan>& spans) const {
    absl::flat_hash_map<uint32_t, Uses> uses;
    for (const TokenSpan& span : spans) AddUses(span, uses);
    std::optional<PassMark> best;
    for (auto& [signature, use] : uses) {
      const auto mark = MarkOf(signature, use, spans.size());
      if (!mark) continue;
      const auto key = [](const PassMark& m) {
        return std::tuple(m.times, m.offset, m.signature);
      };
      if (!best || key(*mark) < key(*best)) best = mark;
    }
    return best;
  }

  void AddUses(const TokenSpan& span,
               absl::flat_hash_map<uint32_t, Uses>& uses) const {
    absl::flat_hash_map<uint32_t, std::pair<size_t, size_t>> seen;
    const size_t end = ForwardEnd(span);
    for (size_t i = span.first; i < end; ++i) {
      auto& [count, offset] = seen[tokens_[i].signature];
      if (count++ == 0) offset = i - span.first;
    }
    for (const auto& [signature, found] : seen) {
      Uses& use = uses[signature];
      ++use.iterations_by_count[found.first];
      use.offsets.push_back(found.second);
    }
  }

  static std::optional<PassMark> MarkOf(uint32_t signature, Uses& use,
                                        size_t n_spans) {
    const auto n = static_cast<double>(n_spans);
    const auto most = std::max_element(
        use.iterations_by_count.begin(), use.iterations_by_count.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (static_cast<double>(use.offsets.size()) < kPresentShare * n ||
        static_cast<double>(most->second) < kUsualShare * n) {
      return std::nullopt;
    }
    const auto middle = use.offsets.begin() +
                        static_cast<ptrdiff_t>((use.offsets.size() - 1) / 2);
    std::nth_element(use.offsets.begin(), middle, use.offsets.end());
    return PassMark{signature, most->first, *middle};
  }

  const Tokens& tokens_;
  bool until_backward_;
  std::optional<PassMark> mark_;
};

size_t Products(const Tokens& tokens, size_t first, size_t end) {
  return CountOf(tokens, {first, end}, &CallToken::product);
}

struct BothWays {
  size_t forward = 0;
  size_t backward = 0;

  bool operator==(const BothWays&) const = default;
  void operator+=(const BothWays& other) {
    forward += other.forward;
    backward += other.backward;
  }
  bool MayHaveAllGradients() const {
    return static_cast<double>(backward) <=
           kMostGradients * static_cast<double>(forward);
  }
};

BothWays ProductsBothWays(const Tokens& tokens, const TokenSpan& span) {
  BothWays products;
  for (size_t i = span.first; i < span.end; ++i) {
    if (!tokens[i].product) continue;
    products.forward += tokens[i].forward ? 1 : 0;
    products.backward += tokens[i].backward ? 1 : 0;
  }
  return products;
}

// Whether the iterations have the gradients of the passes in front of them,
// too: what is behind these has more than its own forward pass can have, unlike
// the iterations with nothing in front, and again and again.
bool HaveGradientsOfPasses(const Tokens& tokens,
                           const std::vector<TokenSpan>& spans,
                           const std::vector<size_t>& begins) {
  std::vector<BothWays> usual;
  for (size_t i = 0; i < spans.size(); ++i) {
    if (begins[i] == spans[i].first)
      usual.push_back(ProductsBothWays(tokens, spans[i]));
  }
  BothWays whole;
  BothWays rests;
  size_t n = 0;
  for (size_t i = 1; i < spans.size(); ++i) {
    if (begins[i] == spans[i].first) continue;
    const BothWays rest = ProductsBothWays(tokens, {begins[i], spans[i].end});
    if (std::ranges::find(usual, rest) != usual.end()) return false;
    whole += ProductsBothWays(tokens, spans[i]);
    rests += rest;
    ++n;
  }
  return n >= kMinRepeats && whole.MayHaveAllGradients() &&
         !rests.MayHaveAllGradients();
}

// How many products an iteration has: half to twice as many as those usually
// have in front of which nothing stands, and as any of them has.
struct ProductRange {
  size_t least;
  size_t most;
};

ProductRange RangeOf(const std::vector<TokenSpan>& spans,
                     const std::vector<size_t>& begins,
                     const std::vector<size_t>& products) {
  std::vector<size_t> alone;
  for (size_t i = 1; i < spans.size(); ++i) {
    if (begins[i] == spans[i].first) alone.push_back(products[i]);
  }
  const size_t usual = Median(alone.size() < kMinRepeats ? products : alone);
  ProductRange range{(usual + 1) / 2, 2 * usual};
  for (const size_t n : alone) {
    range.least = std::min(range.least, n);
    range.most = std::max(range.most, n);
  }
  return range;
}

// Nobody evaluates before each of many iterations in a row: where equal passes
// stand in front of them, a loop of another model begins.
void KeepOtherLoops(const Tokens& tokens, const std::vector<TokenSpan>& spans,
                    std::vector<size_t>& begins) {
  const auto before = [&](size_t i) {
    return Products(tokens, spans[i].first, begins[i]);
  };
  for (size_t i = 1; i < spans.size();) {
    const size_t first = i;
    const size_t products = before(first);
    while (i < spans.size() && before(i) == products) ++i;
    if (products == 0 || i - first < kOtherLoop) continue;
    for (size_t k = first; k < i; ++k) begins[k] = spans[k].first;
  }
}

// Copies of batches to the device; no values, as the means to normalise by.
size_t Inputs(const Tokens& tokens, size_t first, size_t end) {
  size_t count = 0;
  for (size_t i = first; i < end; ++i) {
    count += tokens[i].h2d && !CopiesAValue(tokens[i]) ? 1 : 0;
  }
  return count;
}

// How often an iteration copies from the host that has nothing in front; 0: it
// is not known, or they do not.
size_t UsualInputs(const Tokens& tokens, const std::vector<TokenSpan>& spans,
                   const std::vector<size_t>& begins) {
  std::vector<size_t> inputs;
  for (size_t i = 1; i < spans.size(); ++i) {
    if (begins[i] > spans[i].first) continue;
    inputs.push_back(Inputs(tokens, spans[i].first, spans[i].end));
  }
  return inputs.size() < kMinRepeats ? 0 : Median(inputs);
}

// Whether the passes that end at `begin` have taken what the iteration behind
// them works on: it copies nothing itself, and they copy what it usually does.
bool TakeItsInput(const Tokens& tokens, const TokenSpan& span, size_t begin,
                  size_t usual) {
  size_t behind = begin;
  while (behind > span.first && !tokens[behind - 1].product) --behind;
  return usual > 0 && Inputs(tokens, span.first, behind) == usual &&
         Inputs(tokens, behind, span.end) == 0;
}

// Passes forward in front of iterations, as spans of their own: what is left
// must be an iteration like the others.
Loop SplitOffPasses(const Tokens& tokens, std::vector<TokenSpan> spans,
                    const PassCounter& passes,
                    const UsualIteration& usual_iteration) {
  const size_t before_first = spans[0].first;
  spans[0].first =
      passes.CanCount()
          ? passes.BeginOf(spans[0], true)
          : usual_iteration.BeginOf(spans[0]).value_or(before_first);
  std::vector<size_t> begins;
  std::vector<size_t> products;
  for (const TokenSpan& span : spans) {
    const std::optional<size_t> usual = usual_iteration.BeginOf(span);
    begins.push_back(usual ? *usual : passes.BeginOf(span, false));
    products.push_back(Products(tokens, span.first, span.end));
  }
  KeepOtherLoops(tokens, spans, begins);
  const ProductRange alike = RangeOf(spans, begins, products);
  const bool part_of_them = HaveGradientsOfPasses(tokens, spans, begins);
  const size_t usual_inputs = UsualInputs(tokens, spans, begins);
  const InnerExtras extras(tokens, spans);
  std::vector<TokenSpan> out = {spans[0]};
  for (size_t i = 1; i < spans.size(); ++i) {
    const TokenSpan& span = spans[i];
    size_t begin = begins[i];
    const size_t before = Products(tokens, span.first, begin);
    const size_t rest = products[i] - before;
    if (before == 0 || rest < alike.least || rest > alike.most ||
        part_of_them || TakeItsInput(tokens, span, begin, usual_inputs) ||
        extras.AreIn(span)) {
      begin = span.first;
    }
    if (begin > span.first) {
      out.push_back({span.first, begin, StepUse::kEvaluation});
    }
    out.push_back({begin, span.end});
  }
  return JoinRollouts(tokens, before_first, std::move(out));
}

// Whether `rest` only makes a result of what the iterations computed and reads
// it: their products are missing.
bool ReadsResult(const Tokens& tokens, const TokenSpan& rest,
                 const TokenSpan& last) {
  return rest.first < rest.end && tokens[rest.end - 1].d2h &&
         Products(tokens, rest.first, rest.end) == 0 &&
         Products(tokens, last.first, last.end) > 0;
}

// Whether `rest` computes, call by call, what stood in front of an iteration.
bool IsLikePasses(const Tokens& tokens, const TokenSpan& rest,
                  const std::vector<TokenSpan>& spans) {
  const auto calls_of = [&](const TokenSpan& span) {
    return std::span(tokens).subspan(span.first, span.end - span.first) |
           std::views::filter(&CallToken::computes) |
           std::views::transform(&CallToken::signature);
  };
  return Computing(tokens, rest.first, rest.end) > 0 &&
         std::ranges::any_of(spans, [&](const TokenSpan& span) {
           return span.use == StepUse::kEvaluation &&
                  std::ranges::equal(calls_of(span), calls_of(rest));
         });
}

// How many copies the host reads behind the update, or the gradients, that
// `span` ends with.
size_t ReadsBehind(const Tokens& tokens, const TokenSpan& span,
                   bool CallToken::*ends) {
  size_t reads = 0;
  for (size_t i = span.end; i > span.first && !(tokens[i - 1].*ends); --i) {
    reads += tokens[i - 1].d2h ? 1 : 0;
  }
  return reads;
}

// Behind the loop the program saves what it has learnt: far more than it reads
// behind any other iteration is none of the last one's.
void LeaveWhatIsSaved(const Tokens& tokens, bool CallToken::*ends,
                      std::vector<TokenSpan>& spans, TokenSpan& rest) {
  const size_t reads = ReadsBehind(tokens, spans.back(), ends);
  size_t usual = 0;
  for (size_t i = 0; i + 1 < spans.size(); ++i) {
    usual = std::max(usual, ReadsBehind(tokens, spans[i], ends));
  }
  if (reads < kLeastSaved || reads <= 2 * usual) return;
  size_t end = spans.back().end;
  for (size_t more = reads - usual; more > 0;) {
    more -= tokens[--end].d2h ? 1 : 0;
  }
  spans.back().end = end;
  rest.first = end;
}

// What follows the last iteration: an iteration that breaks off, passes
// forward, or too little to be either.
void AddRest(const Tokens& tokens, const TokenSpan& rest,
             const PassCounter& passes, const UsualIteration& usual_iteration,
             std::vector<TokenSpan>& spans) {
  const size_t computing = Computing(tokens, rest.first, rest.end);
  const TokenSpan& last = spans.back();
  if (ReadsResult(tokens, rest, last)) return;
  const auto usual =
      static_cast<double>(Computing(tokens, last.first, last.end));
  const bool backward = AnyOf(tokens, rest, &CallToken::backward);
  if (IsLikePasses(tokens, rest, spans) ||
      (!backward && (passes.HasMoreThanOnePass(rest) ||
                     !usual_iteration.MayBreakOffIn(rest)))) {
    spans.push_back({rest.first, rest.end, StepUse::kEvaluation});
  } else if (static_cast<double>(computing) > kRestShare * usual) {
    spans.push_back({rest.first, rest.end, StepUse::kIncomplete});
  }
}

}  // namespace

Loop TrainingSteps(const Tokens& tokens) {
  for (bool CallToken::*ends : {&CallToken::update, &CallToken::backward}) {
    std::vector<TokenSpan> spans = Cutter(tokens, ends).Run();
    if (ends == &CallToken::update) {
      spans = JoinSideUpdates(tokens, spans);
    }
    TokenSpan rest = spans.back();
    spans.pop_back();
    // An update tells an iteration better than what repeats.
    const size_t least =
        ends == &CallToken::update ? kLeastUpdates : kMinRepeats;
    if (spans.size() < least) continue;
    LeaveWhatIsSaved(tokens, ends, spans, rest);
    const PassCounter passes(tokens, spans);
    const UsualIteration usual(tokens, spans);
    Loop steps = SplitOffPasses(tokens, spans, passes, usual);
    if (steps.other_count == 0) MarkInterruptedSteps(tokens, steps.passes);
    if (!EndWithPasses(tokens, rest, steps.passes)) {
      AddRest(tokens, rest, passes, usual, steps.passes);
    }
    return steps;
  }
  return {};
}

}  // namespace dltap::analyzer
