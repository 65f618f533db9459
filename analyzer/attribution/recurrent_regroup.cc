// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/recurrent_regroup.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kMaxPeriod = 16;
constexpr size_t kMinRepeats = 8;
constexpr uint16_t kGates = kSigmoid | kTanh | kRelu | kCell;

// What two results that are alike have in common; of the launch where the
// dimensions are not known.
std::pair<int64_t, int64_t> ShapeOfResult(const Product& product) {
  if (product.m != 0) return {product.m, product.n};
  return {0, static_cast<int64_t>(product.signature)};
}

bool IsGated(uint16_t traits) {
  const bool both = (traits & kSigmoid) != 0 && (traits & kTanh) != 0;
  return both || (traits & kCell) != 0;
}

// May stand inside a cell, but is none of it.
bool MayStay(const Unit& unit) {
  return IsCopyOrMemset(unit.layer_class) ||
         unit.layer_class == LayerClass::kNorm;
}

// The pass that a unit belongs to.
Direction PassOf(const Unit& unit) {
  return IsBackward(unit.direction) && unit.direction != Direction::kRecompute
             ? Direction::kBackward
             : unit.direction;
}

}  // namespace

LayerClass RecurrentRegroup::ClassNow(const Unit& unit) const {
  return attribution_.activities[unit.activities.front()].layer_class;
}

// What a cell's steps never have between them.
bool RecurrentRegroup::EndsSequence(const Unit& unit) const {
  switch (ClassNow(unit)) {
    case LayerClass::kConv:
    case LayerClass::kPool:
    case LayerClass::kComm:
    case LayerClass::kOptimizer:
    case LayerClass::kMoe:
    case LayerClass::kCopyH2d: return true;
    default: return false;
  }
}

void RecurrentRegroup::Run(const std::vector<Unit>& units) {
  units_ = &units;
  products_.clear();
  Direction pass = Direction::kNone;
  for (size_t i = 0; i < units.size(); ++i) {
    const Direction own = PassOf(units[i]);
    const bool turns = own != Direction::kNone && own != pass;
    if (turns || EndsSequence(units[i])) {
      end_ = i;
      Search();
      products_.clear();
      if (own != Direction::kNone) pass = own;
    }
    const bool is_open = units[i].product && !IsBatched(units[i]) &&
                         ClassNow(units[i]) == LayerClass::kGemm;
    if (is_open) products_.push_back(i);
  }
  end_ = units.size();
  Search();
}

void RecurrentRegroup::Search() {
  for (size_t i = 0; i + kMinRepeats <= products_.size();) {
    size_t next = i + 1;
    for (size_t period = 1; period <= kMaxPeriod; ++period) {
      const size_t end = EndOfPeriod(i, period);
      if (end - i < kMinRepeats * period) continue;
      const Repeats repeats{i, end, period};
      const Evidence evidence = Weigh(repeats);
      if (IsCell(repeats, evidence)) {
        Move(repeats, evidence);
        next = end;
        break;
      }
      // What repeats with this period and is no cell need not be looked at from
      // each of its products again; longer periods may still fit.
      next = std::max(next, end - (kMinRepeats - 1) * period);
    }
    i = next;
  }
}

// The end of the longest run from `first` on that repeats with `period`.
size_t RecurrentRegroup::EndOfPeriod(size_t first, size_t period) const {
  size_t end = first + period;
  if (end > products_.size()) return first;
  while (end < products_.size() &&
         ProductAt(end).signature == ProductAt(end - period).signature) {
    ++end;
  }
  return end - (end - first) % period;
}

// The end of the units between a product and the next of the sequence; after
// the last of the repeats, as many as one repetition before: what follows is no
// part of them.
size_t RecurrentRegroup::EndOfUnits(size_t product,
                                    const Repeats& repeats) const {
  const bool is_last = product + 1 == products_.size();
  const size_t next = is_last ? end_ : products_[product + 1];
  const size_t period = repeats.period;
  if (product + 1 != repeats.last || product < period) return next;
  const size_t before = product - period;
  return std::min(
      next, products_[product] + products_[before + 1] - products_[before]);
}

RecurrentRegroup::Evidence RecurrentRegroup::Weigh(
    const Repeats& repeats) const {
  Evidence evidence;
  for (size_t i = repeats.first; i < repeats.last; i += repeats.period) {
    uint16_t traits = 0;
    for (size_t j = i; j < i + repeats.period; ++j) {
      const size_t end = EndOfUnits(j, repeats);
      for (size_t u = products_[j] + 1; u < end; ++u) {
        const Unit& unit = (*units_)[u];
        traits |= unit.traits;
        evidence.normalised |= ClassNow(unit) == LayerClass::kNorm;
        evidence.foreign |= !IsPointwise(unit) &&
                            !IsCopyOrMemset(unit.layer_class) &&
                            unit.layer_class != LayerClass::kRnn;
      }
    }
    evidence.traits |= traits;
    evidence.gated += IsGated(traits) ? 1 : 0;
  }
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const uint64_t operand = ProductAt(repeats.first + slot).first;
    evidence.addresses |= operand != 0;
    bool stays = operand != 0;
    for (size_t i = repeats.first + slot; i < repeats.last;
         i += repeats.period) {
      stays &= ProductAt(i).first == operand;
    }
    if (stays) evidence.constant.push_back(slot);
  }
  return evidence;
}

bool RecurrentRegroup::IsCell(const Repeats& repeats,
                              const Evidence& evidence) const {
  const size_t count = (repeats.last - repeats.first) / repeats.period;
  if (evidence.addresses && evidence.constant.empty()) return false;
  if (evidence.gated + 1 >= count) {
    return evidence.addresses || !evidence.normalised;
  }
  if (evidence.foreign) return false;
  const Unit& unit = (*units_)[products_[repeats.first]];
  if (PassOf(unit) != Direction::kBackward) {
    return IsElmanCell(repeats, evidence);
  }
  // Without addresses: as many steps as a cell of the forward pass had.
  if (!evidence.addresses) {
    return repeats.period <= 4 && (evidence.traits & kTanh) != 0 &&
           (steps_.contains(count) || steps_.contains(count + 1));
  }
  return std::any_of(evidence.constant.begin(), evidence.constant.end(),
                     [&](size_t slot) {
                       const Product& product = ProductAt(repeats.first + slot);
                       return weights_.contains(product.first);
                     });
}

// h' = tanh(W x + U h): x may have met its weights before the loop.
bool RecurrentRegroup::IsElmanCell(const Repeats& repeats,
                                   const Evidence& evidence) const {
  if (repeats.period > 2 || (evidence.traits & (kTanh | kRelu)) == 0) {
    return false;
  }
  if ((evidence.traits & kOtherAct) != 0) return false;
  bool square = false;
  const Product& one = ProductAt(repeats.first);
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const Product& product = ProductAt(repeats.first + slot);
    if (product.m != one.m || product.n != one.n) return false;
    square |= product.k == product.m || product.k == product.n;
  }
  if (!square) return false;
  if (evidence.addresses) return evidence.constant.size() == repeats.period;
  return repeats.period == 2 && AddsBeforeTanh(repeats);
}

// Two products, then an addition and tanh: not a layer and another one.
bool RecurrentRegroup::AddsBeforeTanh(const Repeats& repeats) const {
  size_t both = 0;
  size_t neither = 0;
  for (size_t i = repeats.first; i < repeats.first + 2; ++i) {
    uint16_t traits = 0;
    const size_t end = EndOfUnits(i, repeats);
    for (size_t u = products_[i] + 1; u < end; ++u)
      traits |= (*units_)[u].traits;
    both += (traits & kAdd) != 0 && (traits & kTanh) != 0 ? 1 : 0;
    neither += traits == 0 ? 1 : 0;
  }
  return both == 1 && neither == 1;
}

// Whether a gate is the next thing that the product's result goes into.
bool RecurrentRegroup::FeedsGate(size_t product, const Repeats& repeats) const {
  const size_t end = EndOfUnits(product, repeats);
  for (size_t u = products_[product] + 1; u < end; ++u) {
    if (((*units_)[u].traits & kGates) != 0) return true;
  }
  return false;
}

// Whether the units before the product, up to those of other layers, hold the
// gradient of a gate.
bool RecurrentRegroup::FollowsGate(size_t product, size_t period) const {
  const size_t reach = std::min(product, period);
  const size_t first = products_[product - reach];
  for (size_t u = products_[product]; u > first;) {
    const Unit& unit = (*units_)[--u];
    if ((unit.traits & kGates) != 0) return true;
    const bool passes = unit.product || IsPointwise(unit) || MayStay(unit) ||
                        unit.layer_class == LayerClass::kRnn;
    if (!passes || ClassNow(unit) == LayerClass::kAttention) return false;
  }
  // The first of a sequence follows what another sequence ended with.
  return reach < period;
}

void RecurrentRegroup::Move(const Repeats& repeats, const Evidence& evidence) {
  const bool backward =
      PassOf((*units_)[products_[repeats.first]]) == Direction::kBackward;
  std::set<std::pair<int64_t, int64_t>> shapes;  // of what goes into gates
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const size_t i = repeats.first + slot;
    if (backward || !FeedsGate(i, repeats)) continue;
    shapes.insert(ShapeOfResult(ProductAt(i)));
    widths_.insert(ProductAt(i).width);
  }
  const auto belongs = [&](const Product& product) {
    if (!backward) return shapes.contains(ShapeOfResult(product));
    return product.m == 0 || widths_.empty() || widths_.contains(product.m) ||
           widths_.contains(product.n) || widths_.contains(product.k);
  };
  for (const size_t slot : evidence.constant) {
    const Product& product = ProductAt(repeats.first + slot);
    if (!backward && belongs(product)) weights_.insert(product.first);
  }
  if (!backward) {
    steps_.insert((repeats.last - repeats.first) / repeats.period);
  }
  for (size_t i = repeats.first; i < repeats.last; ++i) {
    if (!belongs(ProductAt(i))) continue;
    if (backward && !FollowsGate(i, repeats.period)) continue;
    if (backward) MovePreceding(i);
    MoveUnit(process_, (*units_)[products_[i]], LayerClass::kRnn, attribution_);
    MoveFollowing(products_[i] + 1, EndOfUnits(i, repeats));
  }
}

// What leads from the gradient of a gate to the product.
void RecurrentRegroup::MovePreceding(size_t product) {
  const size_t end = products_[product];
  const size_t stop = product == 0 ? 0 : products_[product - 1] + 1;
  size_t first = end;
  for (size_t u = end; u > stop;) {
    const Unit& unit = (*units_)[--u];
    if (!IsPart(unit) && !MayStay(unit)) break;
    if ((unit.traits & kGates) != 0) first = u;
  }
  MoveFollowing(first, end);
}

void RecurrentRegroup::MoveFollowing(size_t unit, size_t end) {
  for (; unit < end; ++unit) {
    const Unit& at = (*units_)[unit];
    if (MayStay(at)) continue;
    if (!IsPart(at)) return;
    MoveUnit(process_, at, LayerClass::kRnn, attribution_);
  }
}

bool RecurrentRegroup::IsPart(const Unit& unit) const {
  const LayerClass now = ClassNow(unit);
  return now == LayerClass::kRnn ||
         (IsPointwise(unit) && now != LayerClass::kAttention);
}

}  // namespace dltap::analyzer
