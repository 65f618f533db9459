// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/clock_alignment.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "analyzer/metrics/base/median.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kEnoughPairs = 3;        // to estimate a clock's offset
constexpr double kLeastPaired = 0.5;      // of the shorter sequence
constexpr int64_t kCloseEndsNs = 20'000;  // however short the kernels are
constexpr double kCloseEnds = 0.25;       // of the kernels' median length
constexpr int64_t kFarShift = 256;        // kernels that one trace has before
constexpr size_t kLongSequence = 1024;    // enough to find the offset
constexpr int64_t kClearlyWorse = 3;
constexpr int64_t kFineNs = 1'000;  // spreads below that say nothing more

template <typename T>
bool MayBeEqual(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

// Whether one is the other's counterpart, where that is known.
bool MayMeet(const CollectiveRun& a, const CollectiveRun& b) {
  return !(a.only_sends() && b.only_sends()) &&
         !(a.only_receives() && b.only_receives());
}

// Whether ranks put in different numbers of elements.
bool MayBeUneven(const CollectiveRun& run) {
  return !run.kind || run.kind == CollectiveKind::kAllToAll ||
         run.kind == CollectiveKind::kSendReceive ||
         run.kind == CollectiveKind::kGather ||
         run.kind == CollectiveKind::kScatter;
}

bool MayBeOne(const CollectiveRun& a, const CollectiveRun& b) {
  if (a.sequence >= 0 && b.sequence >= 0 && a.sequence != b.sequence) {
    return false;
  }
  if (!MayBeEqual(a.kind, b.kind) || !MayMeet(a, b)) return false;
  const bool has_types = a.dtype != opmodel::DType::kUnknown &&
                         b.dtype != opmodel::DType::kUnknown;
  if (has_types && a.dtype != b.dtype) return false;
  return MayBeUneven(a) || (MayBeEqual(a.elements_in, b.elements_in) &&
                            MayBeEqual(a.elements_out, b.elements_out));
}

int64_t EndsApart(const CollectiveRun& a, const CollectiveRun& b,
                  int64_t offset_ns) {
  return a.span.end_ns - b.span.end_ns - offset_ns;
}

bool Overlap(const CollectiveRun& a, const CollectiveRun& b,
             int64_t offset_ns) {
  const Interval moved{b.span.begin_ns + offset_ns, b.span.end_ns + offset_ns};
  return CommonNs(a.span, moved) > 0;
}

int64_t SpreadOf(const RunSequence& a, const RunSequence& b,
                 const Pairing& pairing) {
  std::vector<int64_t> apart;
  for (const auto& [i, j] : pairing.pairs) {
    if (pairing.by_number && !EndsForAll(*a[i])) continue;
    apart.push_back(std::abs(EndsApart(*a[i], *b[j], pairing.offset_ns)));
  }
  return apart.empty() ? 0 : Median(std::move(apart));
}

int64_t MedianOffset(const RunSequence& a, const RunSequence& b,
                     const std::vector<std::pair<size_t, size_t>>& pairs) {
  std::vector<int64_t> apart;
  for (const auto& [i, j] : pairs) {
    apart.push_back(EndsApart(*a[i], *b[j], 0));
  }
  return Median(std::move(apart));
}

// With the offset that the pairs themselves tell.
Pairing Refined(const RunSequence& a, const RunSequence& b, int64_t offset_ns) {
  const Pairing first = PairAt(a, b, offset_ns);
  if (first.pairs.empty()) return first;
  return PairAt(a, b, MedianOffset(a, b, first.pairs));
}

bool EndTogether(const RunSequence& a, const Pairing& pairing) {
  if (pairing.pairs.empty()) return false;
  std::vector<int64_t> lengths;
  for (const auto& [i, j] : pairing.pairs) {
    if (pairing.by_number && !EndsForAll(*a[i])) continue;
    lengths.push_back(a[i]->span.length_ns());
  }
  if (lengths.empty()) return true;  // none that must end together
  const double length = static_cast<double>(Median(std::move(lengths)));
  const auto close = static_cast<int64_t>(kCloseEnds * length);
  return pairing.spread_ns <= std::max(kCloseEndsNs, close);
}

bool IsGood(const RunSequence& a, const RunSequence& b,
            const Pairing& pairing) {
  const auto shorter = static_cast<double>(std::min(a.size(), b.size()));
  return static_cast<double>(pairing.pairs.size()) >= kLeastPaired * shorter &&
         EndTogether(a, pairing);
}

// As if a had begun `shift` kernels before b; too few or unlike ones: empty.
std::vector<std::pair<size_t, size_t>> Shifted(const RunSequence& a,
                                               const RunSequence& b,
                                               int64_t shift) {
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t unlike = 0;
  for (size_t i = shift > 0 ? static_cast<size_t>(shift) : 0; i < a.size();
       ++i) {
    const auto j = static_cast<size_t>(static_cast<int64_t>(i) - shift);
    if (j >= b.size() || pairs.size() + unlike >= kLongSequence) break;
    if (MayBeOne(*a[i], *b[j])) {
      pairs.emplace_back(i, j);
    } else {
      ++unlike;
    }
  }
  if (pairs.size() < kEnoughPairs || unlike * 10 > pairs.size()) return {};
  return pairs;
}

// Where sequence numbers tell.
std::vector<std::pair<size_t, size_t>> BySequence(const RunSequence& a,
                                                  const RunSequence& b) {
  std::map<int64_t, size_t> of_a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i]->sequence >= 0) of_a.emplace(a[i]->sequence, i);
  }
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t j = 0; j < b.size(); ++j) {
    const auto it = of_a.find(b[j]->sequence);
    if (it != of_a.end() && MayBeOne(*a[it->second], *b[j])) {
      pairs.emplace_back(it->second, j);
    }
  }
  return pairs;
}

bool AreAlike(const RunSequence& a, const RunSequence& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!MayBeOne(*a[i], *b[i])) return false;
  }
  return true;
}

RunSequence Head(const RunSequence& runs) {
  constexpr size_t kMost = kLongSequence + static_cast<size_t>(kFarShift);
  const size_t n = std::min(runs.size(), kMost);
  return {runs.begin(), runs.begin() + static_cast<ptrdiff_t>(n)};
}

// The best offset among those that shifts of the sequences suggest.
std::optional<int64_t> SearchOffset(const RunSequence& a,
                                    const RunSequence& b) {
  std::vector<std::pair<int64_t, int64_t>> fits;  // spread, offset
  const auto n = static_cast<int64_t>(std::max(a.size(), b.size()));
  const int64_t most = std::min(n, kFarShift);
  for (int64_t shift = -most; shift <= most; ++shift) {
    const auto pairs = Shifted(a, b, shift);
    if (pairs.empty()) continue;
    const Pairing fit = Refined(a, b, MedianOffset(a, b, pairs));
    if (IsGood(a, b, fit)) fits.emplace_back(fit.spread_ns, fit.offset_ns);
  }
  if (fits.empty()) return std::nullopt;
  const auto [best_ns, offset_ns] = *std::min_element(fits.begin(), fits.end());
  const int64_t alike = kClearlyWorse * best_ns + kFineNs;
  for (const auto& [spread_ns, other_ns] : fits) {
    const bool is_another = std::abs(other_ns - offset_ns) > alike;
    if (is_another && spread_ns <= alike) return std::nullopt;
  }
  return offset_ns;
}

// What it is and its number, as the side that `is_first` sees it.
std::pair<int, int64_t> NumberOf(const CollectiveRun& run, bool is_first) {
  const int direction = run.peers.empty()              ? 0
                        : run.only_sends() == is_first ? 1
                                                       : 2;
  return {direction, run.nth};
}

}  // namespace

bool EndsForAll(const CollectiveRun& run) {
  return run.kind == CollectiveKind::kAllReduce ||
         run.kind == CollectiveKind::kAllGather ||
         run.kind == CollectiveKind::kReduceScatter ||
         run.kind == CollectiveKind::kAllToAll;
}

Pairing PairByNumber(const RunSequence& a, const RunSequence& b) {
  Pairing out;
  out.by_number = true;
  std::map<std::pair<int, int64_t>, size_t> of_a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i]->nth < 0) return {};
    of_a.emplace(NumberOf(*a[i], true), i);
  }
  for (size_t j = 0; j < b.size(); ++j) {
    if (b[j]->nth < 0) return {};
    const auto it = of_a.find(NumberOf(*b[j], false));
    if (it == of_a.end()) continue;
    // One record may be lost, or the numbers be those of something else.
    if (!MayBeOne(*a[it->second], *b[j])) return {};
    out.pairs.emplace_back(it->second, j);
  }
  out.spread_ns = SpreadOf(a, b, out);
  return out;
}

Pairing PairAt(const RunSequence& a, const RunSequence& b, int64_t offset_ns) {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  Pairing out;
  out.offset_ns = offset_ns;
  std::vector<std::pair<int64_t, size_t>> best_of_b(b.size(), {kNone, 0});
  for (size_t i = 0; i < a.size(); ++i) {
    const auto after =
        std::lower_bound(b.begin(), b.end(), a[i]->span.end_ns - offset_ns,
                         [](const CollectiveRun* run, int64_t end_ns) {
                           return run->span.end_ns < end_ns;
                         });
    const auto at = static_cast<size_t>(after - b.begin());
    std::pair<int64_t, size_t> best{kNone, 0};
    for (size_t j = at - std::min<size_t>(at, 2);
         j < std::min(b.size(), at + 2); ++j) {
      if (!MayBeOne(*a[i], *b[j]) || !Overlap(*a[i], *b[j], offset_ns)) {
        continue;
      }
      const int64_t apart = std::abs(EndsApart(*a[i], *b[j], offset_ns));
      best = std::min(best, {apart, j});
    }
    if (best.first >= kNone) continue;
    auto& of_b = best_of_b[best.second];
    of_b = std::min(of_b, {best.first, i});
  }
  for (size_t j = 0; j < b.size(); ++j) {
    if (best_of_b[j].first < kNone) {
      out.pairs.emplace_back(best_of_b[j].second, j);
    }
  }
  out.spread_ns = SpreadOf(a, b, out);
  return out;
}

namespace {

// Several hosts may have one name, and each simulated program a clock of its
// own: how far apart they are show ends that belong together by number. Without
// enough of those no pairs.
Pairing WithOffset(const RunSequence& a, const RunSequence& b,
                   Pairing numbered) {
  std::vector<std::pair<size_t, size_t>> ends;
  for (const auto& pair : numbered.pairs) {
    if (EndsForAll(*a[pair.first])) ends.push_back(pair);
  }
  if (ends.size() < kEnoughPairs) return {};
  numbered.offset_ns = MedianOffset(a, b, ends);
  numbered.spread_ns = SpreadOf(a, b, numbered);
  return numbered;
}

}  // namespace

std::optional<Pairing> PairWith(const RunSequence& a, const RunSequence& b,
                                int64_t offset_ns) {
  Pairing pairing = PairAt(a, b, offset_ns);
  if (!EndTogether(a, pairing)) return std::nullopt;
  return pairing;
}

std::optional<Pairing> Pair(const RunSequence& a, const RunSequence& b,
                            bool one_clock) {
  if (a.empty() || b.empty()) return std::nullopt;
  if (one_clock) {
    const Pairing numbered = PairByNumber(a, b);
    if (IsGood(a, b, numbered)) return numbered;
    const Pairing pairing = PairAt(a, b, 0);
    if (IsGood(a, b, pairing)) return pairing;
    const Pairing apart = WithOffset(a, b, numbered);
    if (IsGood(a, b, apart)) return apart;
    return std::nullopt;
  }
  const auto numbered = BySequence(a, b);
  const bool is_certain = AreAlike(a, b) && a.size() >= kEnoughPairs;
  if (numbered.size() >= kEnoughPairs || is_certain) {
    Pairing pairing = Refined(
        a, b, MedianOffset(a, b, is_certain ? Shifted(a, b, 0) : numbered));
    if (IsGood(a, b, pairing)) return pairing;
  }
  Pairing as_they_are = Refined(a, b, 0);
  if (as_they_are.pairs.size() >= kEnoughPairs && IsGood(a, b, as_they_are)) {
    return as_they_are;
  }
  const auto offset_ns = SearchOffset(Head(a), Head(b));
  if (!offset_ns) return std::nullopt;
  Pairing found = Refined(a, b, *offset_ns);
  if (!IsGood(a, b, found)) return std::nullopt;
  return found;
}

}  // namespace dltap::analyzer
