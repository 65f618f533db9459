// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/period_finder.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace dltap::analyzer {
namespace {

constexpr double kEvenShare = 0.7;    // of distances near the median
constexpr double kEvenWithin = 0.1;   // of the median
constexpr double kCoverage = 0.25;    // of all tokens inside the repetition
constexpr double kAlike = 0.8;        // of two neighbouring steps in common
constexpr size_t kTriesPerCount = 4;  // signatures that occur equally often

size_t Median(std::vector<size_t> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The distance at which `positions` recur, if they do so evenly: most of the
// distances, and most of the way from the first to the last.
std::optional<size_t> EvenDistance(const std::vector<size_t>& positions) {
  if (positions.size() < kMinRepeats) return std::nullopt;
  std::vector<size_t> distances(positions.size() - 1);
  for (size_t i = 0; i + 1 < positions.size(); ++i) {
    distances[i] = positions[i + 1] - positions[i];
  }
  const size_t median = Median(distances);
  const auto slack = static_cast<size_t>(kEvenWithin * median);
  size_t even = 0;
  size_t way = 0;
  for (const size_t distance : distances) {
    if (distance + slack < median || distance > median + slack) continue;
    ++even;
    way += distance;
  }
  const size_t whole_way = positions.back() - positions.front();
  const bool is_even =
      even >= kEvenShare * distances.size() && way >= kEvenShare * whole_way;
  return is_even ? std::optional(median) : std::nullopt;
}

using Positions = std::vector<size_t>;

std::vector<Positions> PositionsBySignature(
    const std::vector<CallToken>& tokens) {
  uint32_t n_signatures = 0;
  for (const CallToken& token : tokens) {
    n_signatures = std::max(n_signatures, token.signature + 1);
  }
  std::vector<Positions> positions(n_signatures);
  for (size_t i = 0; i < tokens.size(); ++i) {
    positions[tokens[i].signature].push_back(i);
  }
  return positions;
}

// How much of what lies between neighbouring anchors is the same: over all
// pairs of neighbouring segments, tokens in common by tokens in either. Layers
// of a model fail this: the rest of the step lies between the last and the
// first of them.
double Similarity(const std::vector<CallToken>& tokens,
                  const Positions& anchors, size_t n_signatures) {
  std::vector<int> last(n_signatures);  // count in the last segment
  std::vector<int> now(n_signatures);
  double common = 0;
  double either = 0;
  for (size_t a = 0; a + 1 < anchors.size(); ++a) {
    for (size_t i = anchors[a]; i < anchors[a + 1]; ++i) {
      ++now[tokens[i].signature];
    }
    if (a > 0) {
      for (size_t s = 0; s < n_signatures; ++s) {
        common += std::min(last[s], now[s]);
        either += std::max(last[s], now[s]);
      }
    }
    last.swap(now);
    std::fill(now.begin(), now.end(), 0);
  }
  return either > 0 ? common / either : 0;
}

bool CoversALoop(const std::vector<CallToken>& tokens,
                 const Positions& anchors) {
  // What repeats only in a corner of the run is no training loop, nor is a row
  // of copies: weights on their way to the device.
  const size_t span = anchors.back() - anchors.front();
  if (span < kCoverage * tokens.size()) return false;
  const auto first = tokens.begin() + anchors.front();
  return std::any_of(first, first + span,
                     [](const CallToken& t) { return t.computes; });
}

// The positions of a signature that occurs once a step: of all that recur
// evenly and have alike segments between them, one of the most frequent. (A
// loss printed every ten steps recurs evenly too.)
Positions FindAnchors(const std::vector<CallToken>& tokens) {
  std::vector<Positions> candidates = PositionsBySignature(tokens);
  const size_t n_signatures = candidates.size();
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Positions& a, const Positions& b) {
                     return a.size() > b.size();
                   });
  size_t tried = 0;  // of this number of positions
  size_t of_count = 0;
  for (Positions& candidate : candidates) {
    if (candidate.size() != of_count) tried = 0;
    of_count = candidate.size();
    if (tried == kTriesPerCount || !EvenDistance(candidate)) continue;
    ++tried;
    if (!CoversALoop(tokens, candidate)) continue;
    if (Similarity(tokens, candidate, n_signatures) >= kAlike) {
      return std::move(candidate);
    }
  }
  return {};
}

// How often, over the steps, a property holds at each offset from the anchor.
template <typename Value>
std::vector<double> MeanAtOffset(const std::vector<size_t>& anchors,
                                 size_t period, Value value) {
  std::vector<double> sums(period);
  for (size_t i = 0; i + 1 < anchors.size(); ++i) {
    for (size_t offset = 0; offset < period; ++offset) {
      sums[offset] += value(anchors[i] + offset);
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(anchors.size() - 1);
  return sums;
}

// The offset after the last update of the period that starts at the anchor,
// going around: the end of the longest run without update is no guess.
std::optional<size_t> OffsetAfterUpdate(const std::vector<double>& updates) {
  const size_t period = updates.size();
  std::optional<size_t> best;
  size_t longest = 0;
  for (size_t offset = 0; offset < period; ++offset) {
    const size_t before = (offset + period - 1) % period;
    if (updates[before] < 0.5 || updates[offset] >= 0.5) continue;
    size_t run = 0;  // tokens without update from here on
    while (run < period && updates[(offset + run) % period] < 0.5) ++run;
    if (run > longest) {
      longest = run;
      best = offset;
    }
  }
  return best;
}

size_t OffsetOfStart(const std::vector<CallToken>& tokens,
                     const std::vector<size_t>& anchors, size_t period) {
  const auto clamp = [&](size_t i) { return std::min(i, tokens.size() - 1); };
  const auto updates = MeanAtOffset(anchors, period, [&](size_t i) {
    return tokens[clamp(i)].update ? 1.0 : 0.0;
  });
  if (const auto offset = OffsetAfterUpdate(updates)) return *offset;
  const auto pauses = MeanAtOffset(anchors, period, [&](size_t i) {
    const size_t at = clamp(i);
    if (at == 0) return 0.0;
    return static_cast<double>(tokens[at].begin_ns - tokens[at - 1].end_ns);
  });
  return std::max_element(pauses.begin(), pauses.end()) - pauses.begin();
}

}  // namespace

std::vector<size_t> FindStepStarts(const std::vector<CallToken>& tokens) {
  const std::vector<size_t> anchors = FindAnchors(tokens);
  const std::optional<size_t> period = EvenDistance(anchors);
  if (!period) return {};
  const size_t offset = OffsetOfStart(tokens, anchors, *period);
  std::vector<size_t> starts;
  // The step that holds the first anchor may begin before it.
  if (anchors.front() + offset >= *period && offset != 0) {
    starts.push_back(anchors.front() + offset - *period);
  }
  for (const size_t anchor : anchors) {
    if (anchor + offset < tokens.size()) starts.push_back(anchor + offset);
  }
  return starts;
}

}  // namespace dltap::analyzer
