// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/loop_marks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {
namespace {

constexpr double kEvenWithin = 4;      // times the median, and its part
constexpr double kNearlyAll = 0.8;     // of the passes
constexpr double kAlike = 0.7;         // of two neighbouring passes in common
constexpr double kUsualShare = 0.8;    // of passes with the same products
constexpr double kSameProducts = 1.1;  // times the median, where usual
constexpr double kJitter = 3;          // times the median, where none is usual
constexpr size_t kNoAccident = 8;      // parts that differ in the same way
constexpr double kTinyExtra = 0.1;     // of a step
constexpr size_t kPassesLookedAt = 256;  // for pauses
constexpr double kClearPause = 10;       // times the second longest
// Shorter ones are costs of calls that are not recorded.
constexpr int64_t kLeastPauseNs = 1000;

// Of a pass.
constexpr auto kTakesInput = [](const auto& pass) { return pass.takes_input; };
constexpr auto kTakesNewInput = [](const auto& pass) {
  return pass.takes_new_input;
};
constexpr auto kIsRequest = [](const auto& pass) { return pass.is_request; };

// Of two values the smaller one.
int64_t LowerMedian(std::vector<int64_t> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Values, typename Holds>
bool NearlyAll(const Values& values, Holds holds) {
  const auto n = std::count_if(values.begin(), values.end(), holds);
  return static_cast<double>(n) >=
         kNearlyAll * static_cast<double>(values.size());
}

// Whether the rest of `all` is not nearly all.
bool IsMoreThanFew(ptrdiff_t count, size_t all) {
  return static_cast<double>(count) >
         (1 - kNearlyAll) * static_cast<double>(all);
}

// Whether nearly all of one lie above nearly all of the other.
bool AreApart(std::vector<size_t> a, std::vector<size_t> b) {
  const auto at = [](std::vector<size_t>& values, double share) {
    const auto index =
        static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<size_t>(index)];
  };
  return at(a, 1 - kNearlyAll) > at(b, kNearlyAll) ||
         at(b, 1 - kNearlyAll) > at(a, kNearlyAll);
}

// How many parts, between marks of `inner`, each pass of `outer` has.
std::vector<size_t> PartsIn(const Positions& outer, const Positions& inner) {
  std::vector<size_t> parts;
  auto from = std::lower_bound(inner.begin(), inner.end(), outer.front());
  for (size_t p = 1; p < outer.size(); ++p) {
    const auto to = std::lower_bound(from, inner.end(), outer[p]);
    parts.push_back(static_cast<size_t>(to - from));
    from = to;
  }
  return parts;
}

// Whether nearly all are the same.
bool IsRegular(const std::vector<size_t>& values) {
  const size_t usual = Median(values);
  return NearlyAll(values, [usual](size_t value) { return value == usual; });
}

bool IsNear(size_t value, size_t median, double factor) {
  const auto v = static_cast<double>(value);
  const auto m = static_cast<double>(median);
  return v * factor >= m && v <= m * factor;
}

// Whether nearly all passes of `outer` have only parts, between marks of
// `inner`, whose value is near the median.
bool AreAlikeInPasses(const Positions& outer, const Positions& inner,
                      const std::vector<size_t>& values, double factor) {
  const size_t usual = Median(values);
  size_t part = 0;
  size_t odd_passes = 0;
  for (size_t p = 0; p + 1 < outer.size(); ++p) {
    bool odd = false;
    for (; part < values.size() && inner[part] < outer[p + 1]; ++part) {
      const bool inside = inner[part + 1] > outer[p];
      odd |= inside && !IsNear(values[part], usual, factor);
    }
    odd_passes += odd ? 1 : 0;
  }
  return static_cast<double>(odd_passes) <=
         (1 - kNearlyAll) * static_cast<double>(outer.size() - 1);
}

bool IsResult(const CallToken& token) { return token.d2h && !token.computes; }

}  // namespace

LoopMarks::LoopMarks(const std::vector<CallToken>& tokens, AlikeIn alike_in)
    : tokens_(tokens), alike_in_(alike_in) {
  computing_.push_back(0);
  for (const CallToken& token : tokens) {
    n_signatures_ = std::max<size_t>(n_signatures_, token.signature + 1);
    any_product_ |= token.product;
    computing_.push_back(computing_.back() + token.kernels);
  }
  by_count_.resize(n_signatures_);
  for (size_t i = 0; i < tokens.size(); ++i) {
    by_count_[tokens[i].signature].push_back(i);
  }
  requests_ = RequestsOfKinds(tokens);
  std::ranges::stable_sort(by_count_, {}, &Positions::size);
}

std::vector<Positions> LoopMarks::PairsByCount() const {
  std::vector<Positions> pairs;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, size_t> indices;
  for (size_t i = 1; i < tokens_.size(); ++i) {
    const auto [at, is_new] = indices.try_emplace(
        {tokens_[i - 1].signature, tokens_[i].signature}, pairs.size());
    if (is_new) pairs.emplace_back();
    pairs[at->second].push_back(i);
  }
  std::ranges::stable_sort(pairs, {}, &Positions::size);
  return pairs;
}

bool LoopMarks::IsLoop(const Positions& marks, double coverage) const {
  if (marks.size() < kMinRepeats) return false;
  std::vector<size_t> distances;
  for (size_t i = 0; i + 1 < marks.size(); ++i) {
    distances.push_back(computing_[marks[i + 1]] - computing_[marks[i]]);
  }
  const size_t median = Median(distances);
  if (median == 0) return false;  // a row of copies is no loop
  // As if the last pass were as long as the mean one.
  const size_t n = distances.size();
  const size_t marked = computing_[marks.back()] - computing_[marks.front()];
  const double covered = static_cast<double>(marked) *
                         static_cast<double>(n + 1) / static_cast<double>(n);
  if (covered < coverage * static_cast<double>(computing_.back())) {
    return false;
  }
  return NearlyAll(
             distances,
             [median](size_t d) { return IsNear(d, median, kEvenWithin); }) &&
         ShareAlike(marks) >= kNearlyAll;
}

// Of neighbouring passes, those that have most calls in common. Counts weigh
// little: an inner loop may run more often in one pass than in another. Behind
// inputs, one may do only part of what the other does: it was left sooner.
double LoopMarks::ShareAlike(const Positions& marks) const {
  std::vector<uint32_t> last(n_signatures_);
  std::vector<uint32_t> now(n_signatures_);
  std::vector<uint32_t> seen;  // signatures with a count in either
  const bool behind_input = tokens_[marks.front()].h2d;
  size_t alike = 0;
  for (size_t m = 0; m + 1 < marks.size(); ++m) {
    for (size_t i = marks[m]; i < marks[m + 1]; ++i) {
      const uint32_t signature = tokens_[i].signature;
      // What does not compute, as the reading of its loss, a pass may lack.
      const bool counts = alike_in_ == AlikeIn::kProducts ? tokens_[i].product
                                                          : tokens_[i].computes;
      if (!counts) continue;
      if (now[signature]++ == 0) seen.push_back(signature);
    }
    double common = 0;
    double either = 0;
    double of_last = 0;
    double of_now = 0;
    std::vector<uint32_t> kept;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const uint32_t s : seen) {
      common += WeightOfCalls(std::min(last[s], now[s]));
      either += WeightOfCalls(std::max(last[s], now[s]));
      of_last += WeightOfCalls(last[s]);
      of_now += WeightOfCalls(now[s]);
      last[s] = now[s];
      if (now[s] > 0) kept.push_back(s);
      now[s] = 0;
    }
    seen.swap(kept);
    const double all = behind_input ? std::min(of_last, of_now) : either;
    if (m > 0 && common >= kAlike * all) ++alike;
  }
  return static_cast<double>(alike) / static_cast<double>(marks.size() - 2);
}

int64_t LoopMarks::PauseBefore(size_t token) const {
  if (token == 0) return 0;
  return std::max<int64_t>(0,
                           tokens_[token].begin_ns - tokens_[token - 1].end_ns);
}

// Whether of the pauses that nearly all passes make, each before the same call,
// one stands out. What only some passes do, a slow allocation or another
// process on the CPU, is no sign of a loop.
bool LoopMarks::PauseAtOnePlace(const Positions& marks) const {
  const size_t passes = std::min(marks.size() - 1, kPassesLookedAt);
  // By call, and how often it was made before in the pass.
  absl::flat_hash_map<std::pair<uint32_t, size_t>, std::vector<int64_t>> places;
  for (size_t m = 0; m < passes; ++m) {
    absl::flat_hash_map<uint32_t, size_t> times;
    for (size_t i = marks[m] + 1; i <= marks[m + 1]; ++i) {
      const uint32_t signature = tokens_[i].signature;
      places[{signature, times[signature]++}].push_back(PauseBefore(i));
    }
  }
  int64_t longest = 0;
  int64_t second = kLeastPauseNs;
  size_t usual_places = 0;
  for (const auto& [place, pauses] : places) {
    if (static_cast<double>(pauses.size()) <
        kNearlyAll * static_cast<double>(passes)) {
      continue;
    }
    ++usual_places;
    const int64_t pause = LowerMedian(pauses);
    second = std::max(second, std::min(pause, longest));
    longest = std::max(longest, pause);
  }
  return usual_places > 1 && static_cast<double>(longest) >
                                 kClearPause * static_cast<double>(second);
}

std::vector<LoopMarks::Pass> LoopMarks::PassesOf(const Positions& marks) const {
  std::vector<Pass> passes;
  for (size_t m = 0; m + 1 < marks.size(); ++m) {
    Pass& pass = passes.emplace_back();
    pass.computing = computing_[marks[m + 1]] - computing_[marks[m]];
    size_t replays = 0;
    size_t calls = 0;
    for (size_t i = marks[m]; i < marks[m + 1]; ++i) {
      const CallToken& token = tokens_[i];
      if (any_product_ ? token.product : token.computes) {
        ++pass.products;
      }
      pass.has_edge |= token.h2d || token.d2h || token.after_wait;
      pass.takes_input |= token.h2d;
      pass.takes_new_input |= TakesNewInput(tokens_, i);
      pass.reads_rows |= token.reads_rows;
      replays += token.whole ? 1 : 0;
      calls += token.computes ? 1 : 0;
    }
    pass.is_request =
        tokens_[marks[m]].h2d && IsResult(tokens_[marks[m + 1] - 1]);
    // A pass that is one replay holds all that a step does.
    pass.has_edge |= replays == 1 && calls == 1;
  }
  return passes;
}

bool LoopMarks::HaveEdges(const Positions& marks,
                          const std::vector<Pass>& passes) const {
  return NearlyAll(passes, [](const Pass& pass) { return pass.has_edge; }) ||
         PauseAtOnePlace(marks);
}

bool LoopMarks::MarksSomeKinds(const Positions& outer) const {
  if (requests_.by_turns) return outer.size() > requests().size();
  const std::vector<size_t> requests = PartsIn(outer, this->requests());
  const auto alone = std::ranges::count(requests, size_t{1});
  if (!IsRegular(requests) && IsMoreThanFew(alone, requests.size()))
    return true;
  const std::vector<size_t> marks = PartsIn(this->requests(), outer);
  const auto without = std::ranges::count(marks, size_t{0});
  const auto several =
      std::ranges::count_if(marks, [](size_t n) { return n > 1; });
  return several > 1 && IsMoreThanFew(without, marks.size());
}

Nesting LoopMarks::NestingOf(const Positions& outer,
                             const Positions& inner) const {
  const std::vector<Pass> parts = PassesOf(inner);
  const bool splits_most = inner.size() >= 3 * outer.size() / 2;
  if ((splits_most || NearlyAll(parts, kIsRequest)) &&
      IsExtraOfSome(outer, inner, parts)) {
    // Else they are parts of an answer, made of the part before.
    const bool is_step = NearlyAll(parts, kTakesNewInput);
    return {.inner_is_step = is_step, .may_be_other = !is_step};
  }
  if (!splits_most) return {};
  if (!HaveEqualProducts(outer, inner, parts)) return {};
  const std::vector<Pass> passes = PassesOf(outer);
  if (HaveEdges(inner, parts)) {
    if (AreExits(outer, inner, passes, parts)) return {.may_be_other = true};
    return {.inner_is_step = true,
            .may_be_other = NearlyAll(passes, kTakesInput) &&
                            !NearlyAll(parts, kTakesInput)};
  }
  if (HaveEdges(outer, passes)) return {};
  return {.inner_is_step = HaveEqualSizes(outer, inner, parts),
          .may_be_other = true};
}

// Whether `inner` reads what passes that alone take input come to, some sooner
// than others: exits on the way. Tokens of sequences begin with an embedding.
bool LoopMarks::AreExits(const Positions& outer, const Positions& inner,
                         const std::vector<Pass>& passes,
                         const std::vector<Pass>& parts) const {
  return NearlyAll(passes, kTakesInput) && !NearlyAll(parts, kTakesInput) &&
         !NearlyAll(parts, [](const Pass& p) { return p.reads_rows; }) &&
         !IsRegular(PartsIn(outer, inner));
}

// Whether what `outer` marks some passes do beside what all do, now and then,
// each with an input of its own: a large model behind a small one.
bool LoopMarks::IsExtraOfSome(const Positions& outer, const Positions& inner,
                              const std::vector<Pass>& parts) const {
  if (!NearlyAll(parts, kTakesInput) || IsRegular(PartsIn(outer, inner))) {
    return false;
  }
  std::vector<std::vector<uint32_t>> marked;
  std::vector<std::vector<uint32_t>> unmarked;
  for (size_t part = 0; part < parts.size(); ++part) {
    const auto next = std::lower_bound(outer.begin(), outer.end(), inner[part]);
    const bool holds = next != outer.end() && *next < inner[part + 1];
    std::vector<uint32_t> products;
    for (size_t i = inner[part]; i < inner[part + 1]; ++i) {
      if (tokens_[i].product) products.push_back(tokens_[i].signature);
    }
    std::sort(products.begin(), products.end());
    (holds ? marked : unmarked).push_back(std::move(products));
  }
  if (marked.empty() || unmarked.size() < kMinRepeats) return false;
  const std::vector<uint32_t>& usual = unmarked[unmarked.size() / 2];
  return !usual.empty() &&
         NearlyAll(unmarked, [&](const auto& p) { return p == usual; }) &&
         NearlyAll(marked, [&](const auto& p) {
           return std::ranges::includes(p, usual);
         });
}

// Whether the parts have; or, where no number is usual, whether the parts that
// `outer` marks are like the others.
bool LoopMarks::HaveEqualProducts(const Positions& outer,
                                  const Positions& inner,
                                  const std::vector<Pass>& parts) const {
  std::vector<size_t> products;
  products.reserve(parts.size());
  for (const Pass& part : parts) products.push_back(part.products);
  const size_t usual = Median(products);
  const auto usual_ones = static_cast<double>(std::count_if(
      products.begin(), products.end(),
      [usual](size_t n) { return IsNear(n, usual, kSameProducts); }));
  const bool has_usual =
      usual_ones >= kUsualShare * static_cast<double>(products.size());
  std::vector<size_t> marked;    // products of the parts that `outer` marks
  std::vector<size_t> unmarked;  // and of the others
  for (size_t part = 0; part < parts.size(); ++part) {
    if (inner[part] >= outer.back()) break;
    const bool holds =
        std::lower_bound(outer.begin(), outer.end(), inner[part]) !=
        std::lower_bound(outer.begin(), outer.end(), inner[part + 1]);
    (holds ? marked : unmarked).push_back(products[part]);
  }
  if (!has_usual && std::min(marked.size(), unmarked.size()) >= kNoAccident) {
    return !AreApart(marked, unmarked);
  }
  return AreAlikeInPasses(outer, inner, products,
                          has_usual ? kSameProducts : kJitter);
}

// What is larger or smaller in each pass of `outer` is part of it, no extra.
bool LoopMarks::HaveEqualSizes(const Positions& outer, const Positions& inner,
                               const std::vector<Pass>& parts) const {
  std::vector<size_t> sizes;
  sizes.reserve(parts.size());
  for (const Pass& part : parts) sizes.push_back(part.computing);
  return AreAlikeInPasses(outer, inner, sizes, 1 + kTinyExtra);
}

// As far before the marks as the first two passes are alike: before the first
// pass comes something else.
Positions LoopMarks::EvenStartsOf(const Positions& marks) const {
  const size_t most = std::min(marks[0], marks[1] - marks[0] - 1);
  size_t before = 0;
  while (before < most && tokens_[marks[0] - before - 1].signature ==
                              tokens_[marks[1] - before - 1].signature) {
    ++before;
  }
  Positions starts = {marks[0] - before};
  for (size_t m = 1; m < marks.size(); ++m) {
    starts.push_back(marks[m] - std::min(before, marks[m] - marks[m - 1] - 1));
  }
  return starts;
}

Positions LoopMarks::StartsOf(const Positions& marks) const {
  if (marks.size() < kMinRepeats) return {};
  if (marks == requests()) return marks;
  if (!HaveEdges(marks, PassesOf(marks))) return EvenStartsOf(marks);
  return StartsAtEdges(tokens_, by_count_, marks);
}

}  // namespace dltap::analyzer
