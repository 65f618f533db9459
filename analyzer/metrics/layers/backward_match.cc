// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/backward_match.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "analyzer/metrics/base/alignment.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// Beside the scores of BackwardScores.
constexpr int kIsKnown = 1000;
constexpr int kOfNode = 100;
constexpr int kSameForm = 10;
constexpr int kSameKind = 1;

// As many experts as a layer may have, and what stands between their parts.
constexpr size_t kMostBetweenGradients = 64;
constexpr size_t kBeside = 8;

// Where so many of a pass have a match for each that has none, the pass is one
// through its forward pass.
constexpr size_t kFewOf = 8;

// Of several operations with one number the last made the node; what is
// elementwise beside others only prepares or finishes it.
void SetOwner(const std::vector<LayerUnit>& units, uint32_t unit,
              uint32_t forward, absl::flat_hash_map<int64_t, uint32_t>& made_by,
              absl::flat_hash_map<int64_t, uint32_t>& of_node) {
  for (const int64_t sequence : units[unit].sequences) {
    const auto [it, is_new] = made_by.try_emplace(sequence, unit);
    if (!units[it->second].pointwise && units[unit].pointwise) continue;
    it->second = unit;
    of_node[sequence] = forward;
  }
}

}  // namespace

// Runs of what is computed again stand in the forward pass as they are; later
// blocks come first.
void BackwardMatcher::MatchRecompute(const std::vector<uint32_t>& forward,
                                     const std::vector<uint32_t>& backward,
                                     std::vector<BackwardMatch>& out) const {
  size_t end = forward.size();
  for (size_t i = 0; i < backward.size();) {
    size_t last = i;
    while (last < backward.size() &&
           units_[backward[last]].side == UnitSide::kRecompute) {
      ++last;
    }
    if (last == i) {
      ++i;
      continue;
    }
    const std::vector<size_t> partner =
        Align(end, last - i, [&](size_t a, size_t b) {
          const LayerUnit& f = units_[forward[end - 1 - a]];
          const LayerUnit& again = units_[backward[last - 1 - b]];
          if (f.form == again.form) return kSameForm;
          return f.kind == again.kind ? kSameKind : 0;
        });
    size_t first_used = end;
    for (size_t b = 0; b < partner.size(); ++b) {
      if (partner[b] == kNotAligned) continue;
      const size_t place = end - 1 - partner[b];
      out[last - 1 - b] = {forward[place], LayerMatch::kOrder, true};
      first_used = std::min(first_used, place);
    }
    end = first_used;
    i = last;
  }
}

// The operator that made its node of autograd.
RangeId BackwardMatcher::NodeOf(const LayerUnit& unit) {
  const Activity& activity = process_.activities[unit.lead];
  const Attributed& at = attribution_.activities[unit.lead];
  const CallId call = activity.graph_node != 0 ? at.owner : at.submitted_by;
  return ranges_.NodeOf(ranges_.InnermostOf(activity, call), false);
}

// One operator may be several units: an autograd function of the program's own,
// products of a group. The number tells no more than that it is one of them.
BackwardMatcher::Units BackwardMatcher::OfOneNode(
    const std::vector<uint32_t>& forward, uint32_t owner) {
  const LayerUnit& known = units_[owner];
  const auto is_like = [&](const LayerUnit& unit) {
    if (IsLayerProduct(known.layer_class)) {
      return unit.layer_class == known.layer_class;
    }
    return unit.pointwise || unit.layer_class == LayerClass::kActivation;
  };
  Units units{owner};
  const RangeId node = NodeOf(known);
  if (!node.known()) return units;
  // The kernels of a framework's own loss or activation are one.
  if (!IsLayerProduct(known.layer_class) &&
      model_.texts[process_.ranges[node.value()].name].starts_with("aten::")) {
    return units;
  }
  const auto at = std::find(forward.begin(), forward.end(), owner);
  for (auto it = at; it != forward.begin();) {
    const LayerUnit& unit = units_[*--it];
    if (NodeOf(unit) != node) break;
    if (is_like(unit)) units.push_back(*it);
  }
  for (auto it = at; it != forward.end() && ++it != forward.end();) {
    const LayerUnit& unit = units_[*it];
    if (NodeOf(unit) != node) break;
    if (is_like(unit)) units.push_back(*it);
  }
  return units;
}

bool BackwardMatcher::MayBeOfNode(uint32_t backward, uint32_t forward) const {
  const auto it = of_node_.find(backward);
  if (it == of_node_.end()) return true;
  const Units& units = it->second;
  return std::find(units.begin(), units.end(), forward) != units.end();
}

void BackwardMatcher::MatchBySequence(const std::vector<uint32_t>& forward,
                                      const std::vector<uint32_t>& backward,
                                      std::vector<BackwardMatch>& out) {
  of_node_.clear();
  absl::flat_hash_map<int64_t, uint32_t> made_by;
  absl::flat_hash_map<int64_t, uint32_t> of_node;
  for (const uint32_t f : forward) SetOwner(units_, f, f, made_by, of_node);
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    if (unit.side == UnitSide::kRecompute) {
      if (out[i].forward == kNoUnit) continue;
      SetOwner(units_, backward[i], out[i].forward, made_by, of_node);
      continue;
    }
    for (const int64_t sequence : unit.sequences) {
      const auto it = of_node.find(sequence);
      if (it == of_node.end()) continue;
      Units units = OfOneNode(forward, it->second);
      if (units.size() > 1) {
        of_node_.emplace(backward[i], std::move(units));
      } else {
        out[i] = {it->second, LayerMatch::kSequence};
      }
      break;
    }
  }
}

// The weights are an operand of the input's gradient, the input one of the
// weights' gradient. The former tells more: several layers may share an input.
// What was computed again has the operands that its gradients take; those of
// the first time are gone, and others' may lie there.
void BackwardMatcher::MatchByAddress(const std::vector<uint32_t>& forward,
                                     const std::vector<uint32_t>& backward,
                                     std::vector<BackwardMatch>& out) const {
  absl::flat_hash_map<uint32_t, uint32_t> again;
  for (size_t i = 0; i < backward.size(); ++i) {
    if (out[i].recomputes) again[out[i].forward] = backward[i];
  }
  const auto used_by = [&](uint32_t f) -> const LayerUnit& {
    const auto it = again.find(f);
    return units_[it == again.end() ? f : it->second];
  };
  absl::flat_hash_map<uint64_t, std::vector<uint32_t>> using_it;
  for (const uint32_t f : forward) {
    const LayerUnit& unit = used_by(f);
    for (size_t a = 0; a < std::min<size_t>(unit.addresses.size(), 2); ++a) {
      if (unit.addresses[a] != 0) using_it[unit.addresses[a]].push_back(f);
    }
  }
  // Which operands' gradients are found, as bits of a score.
  absl::flat_hash_map<uint32_t, int> taken;
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    if (unit.side != UnitSide::kBackward || out[i].forward != kNoUnit) continue;
    uint32_t best = 0;
    int most = 0;
    for (const uint64_t address : unit.addresses) {
      const auto it = using_it.find(address);
      if (address == 0 || it == using_it.end()) continue;
      for (const uint32_t f : it->second) {
        if (!scores_.MayBeGradientOf(backward[i], f) ||
            !MayBeOfNode(backward[i], f)) {
          continue;
        }
        int score = 0;
        for (size_t a = 0; a < 2; ++a) {
          const auto& has = unit.addresses;
          const uint64_t used = used_by(f).addresses[a];
          if (used != 0 && std::find(has.begin(), has.end(), used) != has.end())
            score += a == 0 ? 2 : 1;
        }
        const auto found = taken.find(f);
        if (found != taken.end() && (found->second & score) != 0) continue;
        if (score < most || (score == most && f < best)) continue;
        best = f;
        most = score;
      }
    }
    if (most == 0) continue;
    out[i] = {best, LayerMatch::kWeight};
    taken[best] |= most;
  }
}

// The forward product of which one gradient is known, near to `at`, and the
// other one may be this; kNoUnit if another one beside it has none so far.
uint32_t BackwardMatcher::HalfKnownProduct(
    const std::vector<uint32_t>& forward, uint32_t gradient, size_t at,
    const absl::flat_hash_map<uint32_t, Units>& known) const {
  size_t best = forward.size();
  size_t least = kMostBetweenGradients + 1;
  std::vector<size_t> without;
  for (size_t i = 0; i < forward.size(); ++i) {
    if (!scores_.IsOneProduct(forward[i])) continue;
    if (!scores_.MayBeGradientOf(gradient, forward[i])) continue;
    const auto gradients = known.find(forward[i]);
    if (gradients == known.end()) {
      without.push_back(i);
      continue;
    }
    const size_t other = gradients->second.front();
    const size_t between = other > at ? other - at : at - other;
    if (gradients->second.size() > 1 || between >= least) continue;
    best = i;
    least = between;
  }
  if (best == forward.size()) return kNoUnit;
  const bool is_clear = std::ranges::none_of(without, [best](size_t i) {
    return (i > best ? i - best : best - i) <= kBeside;
  });
  return is_clear ? forward[best] : kNoUnit;
}

// Of experts and other groups all gradients of inputs come before those of
// weights: where an address tells one of a product's two, the other one is the
// nearest of its sizes.
void BackwardMatcher::MatchOtherGradients(
    const std::vector<uint32_t>& forward, const std::vector<uint32_t>& backward,
    std::vector<BackwardMatch>& out) const {
  absl::flat_hash_map<uint32_t, Units> known;  // places in `backward`
  for (size_t i = 0; i < backward.size(); ++i) {
    if (out[i].forward == kNoUnit || out[i].recomputes) continue;
    Units& gradients = known[out[i].forward];
    const size_t works = std::max(units_[backward[i]].works, 1U);
    gradients.insert(gradients.end(), works, static_cast<uint32_t>(i));
  }
  for (size_t i = 0; i < backward.size(); ++i) {
    if (units_[backward[i]].side != UnitSide::kBackward ||
        out[i].forward != kNoUnit || !scores_.IsOneProduct(backward[i]) ||
        of_node_.contains(backward[i])) {
      continue;
    }
    const uint32_t best = HalfKnownProduct(forward, backward[i], i, known);
    if (best == kNoUnit) continue;
    out[i] = {best, LayerMatch::kOrder};
    known[best].push_back(static_cast<uint32_t>(i));
  }
}

BackwardMatcher::Key BackwardMatcher::KeyOf(
    const std::vector<uint32_t>& forward, const std::vector<uint32_t>& backward,
    const std::vector<size_t>& known) const {
  Key key{forward.size()};
  for (const uint32_t f : forward) {
    key.push_back(units_[f].form);
    key.push_back(absl::HashOf(units_[f].names, units_[f].reads_rows,
                               units_[f].adds_rows));
  }
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    key.push_back(unit.form * 8ULL +
                  (unit.sums_bias || unit.moves_gradient ? 4ULL : 0) +
                  static_cast<uint64_t>(unit.side));
    key.push_back(absl::HashOf(unit.names, unit.only_sums, unit.reads_rows,
                               unit.adds_rows, unit.sums_rows));
    key.push_back(known[i]);
    const auto it = of_node_.find(backward[i]);
    if (it == of_node_.end()) continue;
    for (const uint32_t f : it->second) key.push_back(forward.back() - f);
  }
  return key;
}

void BackwardMatcher::MatchByOrder(const std::vector<uint32_t>& forward,
                                   const std::vector<uint32_t>& backward,
                                   std::vector<BackwardMatch>& out) {
  absl::flat_hash_map<uint32_t, size_t> place;  // from the end
  for (size_t i = 0; i < forward.size(); ++i) {
    place[forward[i]] = forward.size() - 1 - i;
  }
  std::vector<size_t> known(backward.size(), kNotAligned);
  absl::flat_hash_set<size_t> taken;
  for (size_t i = 0; i < backward.size(); ++i) {
    const auto it = place.find(out[i].forward);
    if (it != place.end() && !out[i].recomputes) known[i] = it->second;
    if (known[i] != kNotAligned) taken.insert(known[i]);
  }
  const auto [it, is_new] =
      aligned_.try_emplace(KeyOf(forward, backward, known));
  if (is_new) {
    const auto score = [&](size_t a, size_t b, bool is_part) {
      if (known[b] != kNotAligned) return known[b] == a ? kIsKnown : 0;
      if (units_[backward[b]].side != UnitSide::kBackward) return 0;
      const uint32_t f = forward[forward.size() - 1 - a];
      const bool is_of_node = of_node_.contains(backward[b]);
      if (is_of_node && (is_part || !MayBeOfNode(backward[b], f))) return 0;
      if (taken.contains(a)) return 0;
      if (is_part) return scores_.OfPart(backward[b], f);
      return scores_.OfPair(backward[b], f) + (is_of_node ? kOfNode : 0);
    };
    it->second = Align(
        forward.size(), backward.size(),
        [&](size_t a, size_t b) { return score(a, b, false); },
        [&](size_t a, size_t b) { return score(a, b, true); });
  }
  for (size_t i = 0; i < backward.size(); ++i) {
    const size_t partner = it->second[i];
    if (out[i].forward != kNoUnit) continue;
    const auto node = of_node_.find(backward[i]);
    if (partner != kNotAligned) {
      out[i].forward = forward[forward.size() - 1 - partner];
    } else if (node != of_node_.end()) {
      out[i].forward = node->second.front();
    } else {
      continue;
    }
    out[i].by =
        node == of_node_.end() ? LayerMatch::kOrder : LayerMatch::kSequence;
  }
}

// Copies and casts right after gradients are those of the ones in front of the
// forward product: as many. Others in front of the next gradient are its glue.
void BackwardMatcher::AttachMoves(const std::vector<uint32_t>& backward,
                                  std::vector<BackwardMatch>& out) const {
  uint32_t before = kNoUnit;
  size_t known = 0;  // of its moves
  for (size_t i = 0; i < backward.size();) {
    const LayerUnit& unit = units_[backward[i]];
    if (!unit.moves_gradient) {
      if (!unit.sums_bias && !(unit.pointwise && unit.only_sums) &&
          before != out[i].forward) {
        before = out[i].forward;
        known = 0;
      }
      ++i;
      continue;
    }
    const size_t first = i;
    for (; i < backward.size() && units_[backward[i]].moves_gradient; ++i) {
      known += out[i].forward == before ? 1 : 0;
    }
    const size_t own = before == kNoUnit ? 0 : units_[before].moves;
    size_t left = own > known ? own - known : 0;
    known += left;
    for (size_t m = first; m < i && left > 0; ++m) {
      if (out[m].forward != kNoUnit) continue;
      out[m] = {before, LayerMatch::kOrder};
      --left;
    }
    known -= left;
    if (i == backward.size() || out[i].forward == kNoUnit) continue;
    for (size_t m = first; m < i; ++m) {
      if (out[m].forward != kNoUnit || !units_[backward[m]].may_be_glue) {
        continue;
      }
      out[m] = {out[i].forward, out[i].by};
      out[m].is_glue = true;
    }
  }
}

// What is left of a row of elementwise work belongs to the forward row that the
// row has, if there is one, else to what ran before it.
void BackwardMatcher::AttachRest(const std::vector<uint32_t>& backward,
                                 std::vector<BackwardMatch>& out) const {
  const auto is_open = [&](size_t i, uint32_t owner) {
    if (owner == kNoUnit || out[i].forward != kNoUnit) return false;
    const LayerUnit& unit = units_[backward[i]];
    // A part of what several calls compute goes on with what is known of it.
    return unit.pointwise || (unit.layer_class == units_[owner].layer_class &&
                              IsLayerProduct(unit.layer_class) &&
                              scores_.SizesOf(backward[i]) == nullptr &&
                              unit.side == UnitSide::kBackward);
  };
  uint32_t before = kNoUnit;
  const auto first = std::find_if(out.begin(), out.end(), [](const auto& m) {
    return m.forward != kNoUnit;
  });
  if (first != out.end()) before = first->forward;
  for (size_t i = 0; i < backward.size();) {
    const UnitSide side = units_[backward[i]].side;
    uint32_t row = kNoUnit;
    size_t end = i;
    for (; end < backward.size() && units_[backward[end]].pointwise &&
           units_[backward[end]].side == side;
         ++end) {
      const uint32_t forward = out[end].forward;
      if (row == kNoUnit && forward != kNoUnit && units_[forward].pointwise) {
        row = forward;
      }
    }
    end = std::max(end, i + 1);
    for (; i < end; ++i) {
      const uint32_t owner =
          row == kNoUnit || units_[backward[i]].sums_bias ? before : row;
      if (is_open(i, owner)) {
        out[i] = {owner, LayerMatch::kOrder, side == UnitSide::kRecompute};
      }
      if (out[i].forward != kNoUnit) before = out[i].forward;
    }
  }
}

std::vector<BackwardMatch> BackwardMatcher::Match(
    const std::vector<uint32_t>& forward,
    const std::vector<uint32_t>& backward) {
  std::vector<BackwardMatch> out(backward.size());
  MatchRecompute(forward, backward, out);
  MatchBySequence(forward, backward, out);
  MatchByAddress(forward, backward, out);
  MatchOtherGradients(forward, backward, out);
  MatchByOrder(forward, backward, out);
  AttachMoves(backward, out);
  AttachRest(backward, out);
  return out;
}

LeftOpen BackwardMatcher::WhatIsOpen(
    const std::vector<uint32_t>& backward,
    const std::vector<BackwardMatch>& found) const {
  size_t count = 0;
  size_t open = 0;
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    if (unit.side != UnitSide::kBackward || unit.pointwise) continue;
    ++count;
    open += found[i].forward == kNoUnit ? 1 : 0;
  }
  if (open == 0) return LeftOpen::kNothing;
  return open * kFewOf < count ? LeftOpen::kLittle : LeftOpen::kMuch;
}

std::vector<BackwardMatch> BackwardMatcher::MatchInStep(
    const std::vector<uint32_t>& history, const std::vector<uint32_t>& backward,
    const std::vector<uint32_t>& layer_of, LeftOpen open,
    std::vector<BackwardMatch> found) {
  for (BackwardMatch& match : found) {
    if (match.recomputes || open == LeftOpen::kLittle) continue;
    if (match.by == LayerMatch::kOrder || match.is_glue) match = {};
  }
  Units forward;
  for (const uint32_t u : history) {
    if (units_[u].side == UnitSide::kForward) forward.push_back(u);
  }
  MatchBySequence(forward, backward, found);
  std::vector<uint32_t> known(backward.size(), kNoLayer);
  for (size_t i = 0; i < backward.size(); ++i) {
    const auto node = of_node_.find(backward[i]);
    if (node != of_node_.end()) {
      found[i] = {node->second.front(), LayerMatch::kSequence};
    }
    if (found[i].forward != kNoUnit) known[i] = layer_of[found[i].forward];
  }
  const std::vector<uint32_t> from =
      history_.Match(history, backward, layer_of, known);
  for (size_t i = 0; i < backward.size(); ++i) {
    if (found[i].forward != kNoUnit || from[i] == kNoUnit) continue;
    found[i] = {from[i], LayerMatch::kOrder};
  }
  AttachMoves(backward, found);
  AttachRest(backward, found);
  return found;
}

}  // namespace dltap::analyzer
