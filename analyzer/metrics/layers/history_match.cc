// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/history_match.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "analyzer/metrics/base/alignment.h"
#include "analyzer/metrics/layers/layer_match.h"
#include "analyzer/metrics/layers/layer_units.h"

namespace dltap::analyzer {
namespace {

// Pairs that are tried for one pass: a longer history begins later.
constexpr size_t kMostPairs = size_t{1} << 20;
constexpr size_t kMostRemembered = 64;

constexpr int kPerPoint = 2;
constexpr int kOfForward = 1;
constexpr int kSharesAddress = 10;
constexpr int kOfGradient = 8;  // elementwise work of one that is none
constexpr int kMoreOfGradient = 3;
constexpr int kMostRounds = 3;

bool HasGradient(const LayerUnit& unit) {
  return unit.side != UnitSide::kRecompute && !unit.only_makes &&
         !unit.sums_bias && !unit.moves_gradient;
}

bool ShareAnAddress(const LayerUnit& a, const LayerUnit& b) {
  return std::ranges::any_of(a.addresses, [&b](uint64_t address) {
    return address != 0 &&
           std::ranges::find(b.addresses, address) != b.addresses.end();
  });
}

}  // namespace

int HistoryMatcher::ScoreOf(uint32_t backward, uint32_t from) const {
  const LayerUnit& unit = units_[backward];
  if (unit.side != UnitSide::kBackward) return 0;
  const int fit = scores_.OfPair(backward, from);
  if (fit == 0) return 0;
  if (IsOfGradient(backward, from)) return kOfGradient;
  return kPerPoint * fit +
         (units_[from].side == UnitSide::kForward ? kOfForward : 0) +
         (ShareAnAddress(unit, units_[from]) ? kSharesAddress : 0);
}

HistoryMatcher::Key HistoryMatcher::KeyOf(
    const std::vector<uint32_t>& from, const std::vector<uint32_t>& backward,
    const std::vector<uint32_t>& layer_of,
    const std::vector<uint32_t>& known) const {
  Key key{from.size()};
  for (const uint32_t u : from) {
    const LayerUnit& unit = units_[u];
    key.push_back(absl::HashOf(unit.form, unit.names, unit.side, layer_of[u],
                               unit.reads_rows, unit.adds_rows));
  }
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    key.push_back(absl::HashOf(unit.form, unit.names, unit.side, known[i],
                               unit.sums_bias, unit.moves_gradient,
                               unit.only_sums, unit.reads_rows, unit.adds_rows,
                               unit.sums_rows));
  }
  return key;
}

// Of a gradient that is no elementwise work itself, elementwise work is the
// gradient: several kernels, some of them beside others.
bool HistoryMatcher::IsOfGradient(uint32_t backward, uint32_t from) const {
  const LayerUnit& unit = units_[backward];
  const LayerUnit& of = units_[from];
  if (of.side != UnitSide::kBackward || of.pointwise) return false;
  if (IsLayerProduct(of.layer_class)) return false;
  return unit.side == UnitSide::kBackward && unit.pointwise &&
         !unit.only_sums && !unit.sums_bias && !unit.moves_gradient;
}

std::vector<uint32_t> HistoryMatcher::Sources(
    const std::vector<uint32_t>& history, size_t most,
    const std::vector<uint32_t>& layer_of) const {
  std::vector<uint32_t> from;
  for (auto it = history.rbegin(); it != history.rend(); ++it) {
    if (from.size() == most) break;
    if (HasGradient(units_[*it]) && layer_of[*it] != kNoLayer) {
      from.push_back(*it);
    }
  }
  return from;
}

// What nodes that wait for nothing run first breaks the order of the others: it
// is aligned once more, alone.
std::vector<size_t> HistoryMatcher::AlignAll(
    const std::vector<uint32_t>& from, const std::vector<uint32_t>& backward,
    const std::vector<uint32_t>& layer_of,
    const std::vector<uint32_t>& known) const {
  std::vector<size_t> out(backward.size(), kNotAligned);
  std::vector<size_t> open(backward.size());
  std::iota(open.begin(), open.end(), size_t{0});
  for (int round = 0; round < kMostRounds && !open.empty(); ++round) {
    const auto fits = [&](size_t a, size_t b) {
      const uint32_t layer = known[open[b]];
      return layer == kNoLayer || layer == layer_of[from[a]];
    };
    const std::vector<size_t> partner = Align(
        from.size(), open.size(),
        [&](size_t a, size_t b) {
          return fits(a, b) ? ScoreOf(backward[open[b]], from[a]) : 0;
        },
        [&](size_t a, size_t b) {
          return fits(a, b) && IsOfGradient(backward[open[b]], from[a])
                     ? kMoreOfGradient
                     : 0;
        });
    std::vector<size_t> left;
    for (size_t b = 0; b < open.size(); ++b) {
      out[open[b]] = partner[b];
      const LayerUnit& unit = units_[backward[open[b]]];
      if (partner[b] == kNotAligned && !unit.pointwise &&
          unit.side == UnitSide::kBackward) {
        left.push_back(open[b]);
      }
    }
    open = std::move(left);
  }
  return out;
}

std::vector<uint32_t> HistoryMatcher::Match(
    const std::vector<uint32_t>& history, const std::vector<uint32_t>& backward,
    const std::vector<uint32_t>& layer_of, const std::vector<uint32_t>& known) {
  const std::vector<uint32_t> from = Sources(
      history, kMostPairs / std::max<size_t>(backward.size(), 1), layer_of);
  if (aligned_.size() >= kMostRemembered) aligned_.clear();
  const auto [it, is_new] =
      aligned_.try_emplace(KeyOf(from, backward, layer_of, known));
  if (is_new) it->second = AlignAll(from, backward, layer_of, known);
  std::vector<uint32_t> out(backward.size(), kNoUnit);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t partner = it->second[i];
    if (partner != kNotAligned) out[i] = from[partner];
  }
  return out;
}

}  // namespace dltap::analyzer
