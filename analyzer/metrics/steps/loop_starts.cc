// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/loop_starts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "analyzer/metrics/base/median.h"

namespace dltap::analyzer {
namespace {

constexpr double kOncePerPass = 1.25;     // times the passes, and their part
constexpr double kNearlyAll = 0.8;        // of the passes
constexpr double kAsGoodAsLongest = 0.5;  // pause before the copy of an input

// A call that each pass makes once.
struct Candidate {
  Positions starts;
  int64_t pause = -1;  // the usual one before it; -1: there is no such call
};

void KeepLonger(const Candidate& candidate, Candidate& best) {
  if (candidate.pause > best.pause) best = candidate;
}

class StartsSearch {
 public:
  StartsSearch(const std::vector<CallToken>& tokens, const Positions& marks)
      : tokens_(tokens), marks_(marks) {
    std::vector<size_t> lengths;
    for (size_t m = 0; m + 1 < marks.size(); ++m) {
      lengths.push_back(marks[m + 1] - marks[m]);
    }
    usual_ = Median(lengths);
  }

  void Try(const Positions& calls) {
    const auto n = static_cast<double>(CountInLoop(calls));
    const auto passes = static_cast<double>(marks_.size() - 1);
    if (n * kOncePerPass < passes || n > passes * kOncePerPass) return;
    Candidate candidate{.starts = StartsBy(calls)};
    if (candidate.starts.size() + 1 < marks_.size()) return;
    candidate.pause = UsualPause(candidate.starts);
    Keep(candidate);
  }

  Positions Best() const {
    for (const Candidate& edge : {fed_after_result_, FedOrRead(), waited_}) {
      if (edge.pause >= 0) return edge.starts;
    }
    return any_.pause >= 0 ? any_.starts : marks_;
  }

 private:
  // Other loops of the run may make the same calls.
  ptrdiff_t CountInLoop(const Positions& calls) const {
    return std::ranges::lower_bound(calls, marks_.back()) -
           std::ranges::lower_bound(calls, marks_.front());
  }

  // The last of these calls at or before each mark.
  Positions StartsBy(const Positions& calls) const {
    Positions starts;
    size_t next = 0;
    for (size_t m = 0; m < marks_.size(); ++m) {
      while (next < calls.size() && calls[next] <= marks_[m]) ++next;
      const bool any =
          next > 0 && (m == 0 ? calls[next - 1] + 2 * usual_ > marks_[m]
                              : calls[next - 1] > marks_[m - 1]);
      if (any) starts.push_back(calls[next - 1]);
    }
    // A mark in the middle of the passes: the last one begins behind it.
    const bool lacks_one = starts.size() + 1 == marks_.size();
    if (lacks_one && next < calls.size() &&
        calls[next] < marks_.back() + usual_) {
      starts.push_back(calls[next]);
    }
    return starts;
  }

  int64_t UsualPause(const Positions& starts) const {
    std::vector<int64_t> pauses;
    for (const size_t i : starts) {
      pauses.push_back(i == 0
                           ? 0
                           : std::max<int64_t>(0, tokens_[i].begin_ns -
                                                      tokens_[i - 1].end_ns));
    }
    return Median(pauses);
  }

  void Keep(const Candidate& candidate) {
    const CallToken& token = tokens_[candidate.starts[0]];
    const bool fed = token.h2d && !token.computes;
    const bool after_result =
        !token.d2h && NearlyAll(candidate.starts, [this](size_t i) {
          return tokens_[i - 1].d2h && !tokens_[i - 1].computes;
        });
    KeepLonger(candidate, any_);
    if (fed) KeepLonger(candidate, fed_);
    if (after_result) KeepLonger(candidate, after_result_);
    if (fed && after_result) KeepLonger(candidate, fed_after_result_);
    const auto waited = [this](size_t i) { return tokens_[i].after_wait; };
    if (NearlyAll(candidate.starts, waited)) KeepLonger(candidate, waited_);
  }

  // Of all but the first call of the run, which nothing precedes.
  template <typename Holds>
  bool NearlyAll(const Positions& starts, Holds holds) const {
    const auto n =
        std::count_if(starts.begin(), starts.end(),
                      [&holds](size_t i) { return i == 0 || holds(i); });
    return static_cast<double>(n) >=
           kNearlyAll * static_cast<double>(starts.size());
  }

  const Candidate& FedOrRead() const {
    const bool fed =
        fed_.pause >= 0 &&
        static_cast<double>(fed_.pause) >=
            kAsGoodAsLongest * static_cast<double>(after_result_.pause);
    return fed ? fed_ : after_result_;
  }

  const std::vector<CallToken>& tokens_;
  const Positions& marks_;
  size_t usual_ = 0;  // length of a pass
  Candidate any_;
  Candidate fed_;           // begins with the copy of an input
  Candidate after_result_;  // follows the copy of a result
  Candidate fed_after_result_;
  Candidate waited_;  // follows a wait
};

}  // namespace

Positions StartsAtEdges(const std::vector<CallToken>& tokens,
                        const std::vector<Positions>& by_count,
                        const Positions& marks) {
  StartsSearch search(tokens, marks);
  for (const Positions& calls : by_count) search.Try(calls);
  return search.Best();
}

}  // namespace dltap::analyzer
