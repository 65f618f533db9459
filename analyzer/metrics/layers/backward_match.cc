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

// Scores of pairs; see Score.
constexpr int kIsKnown = 1000;
constexpr int kOfNode = 100;
constexpr int kSameSizes = 10;
constexpr int kSameClass = 6;
constexpr int kBothPointwise = 3;
constexpr int kOnePointwise = 2;
constexpr int kMayBe = 1;

std::array<int64_t, 3> InAnyOrder(const Operation& op) {
  std::array<int64_t, 3> sizes{op[Dim::kM], op[Dim::kN], op[Dim::kK]};
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// What runs as a convolution's gradient forward is a transposed one, whose own
// gradient runs as a convolution.
bool FitsConv(const Operation& gradient, const Operation& forward) {
  const bool transposed = forward.kind == OpKind::kConvBackwardData;
  if (gradient.kind == OpKind::kConvForward) return transposed;
  return gradient.kind != OpKind::kConvBackwardData || !transposed;
}

bool ShareAName(const LayerUnit& a, const LayerUnit& b) {
  return std::any_of(a.names.begin(), a.names.end(), [&b](size_t name) {
    return std::find(b.names.begin(), b.names.end(), name) != b.names.end();
  });
}

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

const Operation* BackwardMatcher::SizesOf(uint32_t unit) const {
  const WorkId work = attribution_.activities[units_[unit].lead].work;
  return work.known() ? &attribution_.KindOf(work).leading : nullptr;
}

// Products: by their sizes, where both are known.
bool BackwardMatcher::MayBeGradientOf(uint32_t backward,
                                      uint32_t forward) const {
  if (units_[backward].layer_class != units_[forward].layer_class) return false;
  const Operation* const a = SizesOf(backward);
  const Operation* const b = SizesOf(forward);
  if (a == nullptr || b == nullptr) return true;
  // A library's recurrent layer is no row of products.
  if (units_[backward].layer_class == LayerClass::kRnn &&
      (a->kind == OpKind::kGemm) != (b->kind == OpKind::kGemm)) {
    return false;
  }
  if (units_[backward].layer_class == LayerClass::kConv)
    return FitsConv(*a, *b);
  if (units_[backward].layer_class != LayerClass::kGemm) return true;
  return InAnyOrder(*a) == InAnyOrder(*b);
}

// How well a backward operation fits a forward one by class and sizes alone.
int BackwardMatcher::Score(uint32_t backward, uint32_t forward) const {
  const LayerUnit& b = units_[backward];
  const LayerUnit& f = units_[forward];
  if (b.sums_bias || b.moves_gradient || f.only_makes) return 0;
  if (b.reads_rows) return f.adds_rows ? kSameClass : f.pointwise ? kMayBe : 0;
  if ((b.sums_rows || b.adds_rows) && f.reads_rows) return kSameClass;
  if (IsLayerProduct(b.layer_class) || IsLayerProduct(f.layer_class)) {
    if (!MayBeGradientOf(backward, forward)) return 0;
    const Operation* const a = SizesOf(backward);
    const Operation* const of_f = SizesOf(forward);
    const bool same = a != nullptr && of_f != nullptr &&
                      (a->kind == OpKind::kGemm || a->dims == of_f->dims);
    // Where nothing tells, a convolution is no transposed one.
    const bool may_be_transposed = same &&
                                   of_f->kind == OpKind::kConvBackwardData &&
                                   a->kind == OpKind::kConvBackwardWeight;
    return (same ? kSameSizes : kSameClass) - (may_be_transposed ? 2 : 0);
  }
  if (b.pointwise && f.pointwise) {
    if (b.only_sums) return kMayBe;
    return kBothPointwise + (ShareAName(b, f) ? kMayBe : 0);
  }
  if (b.layer_class == f.layer_class) return kSameClass;
  return b.pointwise ? kOnePointwise : kMayBe;
}

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
          if (f.form == again.form) return kSameSizes;
          return f.kind == again.kind ? kMayBe : 0;
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
        if (!MayBeGradientOf(backward[i], f) || !MayBeOfNode(backward[i], f)) {
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

BackwardMatcher::Key BackwardMatcher::KeyOf(
    const std::vector<uint32_t>& forward, const std::vector<uint32_t>& backward,
    const std::vector<size_t>& known) const {
  Key key{forward.size()};
  for (const uint32_t f : forward) {
    key.push_back(units_[f].form);
    key.push_back(absl::HashOf(units_[f].names));
  }
  for (size_t i = 0; i < backward.size(); ++i) {
    const LayerUnit& unit = units_[backward[i]];
    key.push_back(unit.form * 8ULL +
                  (unit.sums_bias || unit.moves_gradient ? 4ULL : 0) +
                  static_cast<uint64_t>(unit.side));
    key.push_back(absl::HashOf(unit.names, unit.only_sums));
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
    it->second =
        Align(forward.size(), backward.size(), [&](size_t a, size_t b) {
          if (units_[backward[b]].side != UnitSide::kBackward) return 0;
          if (known[b] != kNotAligned) return known[b] == a ? kIsKnown : 0;
          if (taken.contains(a)) return 0;
          const uint32_t f = forward[forward.size() - 1 - a];
          const int score = Score(backward[b], f);
          if (!of_node_.contains(backward[b])) return score;
          return MayBeOfNode(backward[b], f) ? kOfNode + score : 0;
        });
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
// forward product: as many.
void BackwardMatcher::AttachMoves(const std::vector<uint32_t>& backward,
                                  std::vector<BackwardMatch>& out) const {
  uint32_t before = kNoUnit;
  for (size_t i = 0; i < backward.size();) {
    if (!units_[backward[i]].moves_gradient) {
      if (!units_[backward[i]].sums_bias) before = out[i].forward;
      ++i;
      continue;
    }
    const size_t first = i;
    size_t known = 0;
    for (; i < backward.size() && units_[backward[i]].moves_gradient; ++i) {
      known += out[i].forward == before ? 1 : 0;
    }
    if (before == kNoUnit || units_[before].moves <= known) continue;
    size_t left = units_[before].moves - known;
    for (size_t m = first; m < i && left > 0; ++m) {
      if (out[m].forward != kNoUnit) continue;
      out[m] = {before, LayerMatch::kOrder};
      --left;
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
                              SizesOf(backward[i]) == nullptr &&
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
  MatchByOrder(forward, backward, out);
  AttachMoves(backward, out);
  AttachRest(backward, out);
  return out;
}

}  // namespace dltap::analyzer
