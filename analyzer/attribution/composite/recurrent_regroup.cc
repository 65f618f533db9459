// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/recurrent_regroup.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kMaxPeriod = 16;
constexpr size_t kMinRepeats = 8;
constexpr size_t kFusedProducts = 2;  // of the input and of the state
constexpr size_t kFusedReach = 6;     // units before the kernel of a fused cell
constexpr uint32_t kGates = kSigmoid | kTanh | kRelu | kCell;

// What two results that are alike have in common; of the launch where the
// dimensions are not known.
std::pair<int64_t, int64_t> ShapeOfResult(const Product& product) {
  if (product.m != 0) return {product.m, product.n};
  return {0, static_cast<int64_t>(product.signature)};
}

bool IsGated(uint32_t traits) {
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

// A cell whose products are known: what an operator marks as one, and the
// forward pass of a fused one.
bool RecurrentRegroup::IsOfWholeCell(const Unit& unit) const {
  const bool fused =
      (unit.traits & kCell) != 0 && PassOf(unit) != Direction::kBackward;
  return fused || nodes_.IsInWholeCell(unit.activities.front());
}

// Nothing in a whole cell tells of another one.
uint32_t RecurrentRegroup::TraitsOf(const Unit& unit) const {
  return IsOfWholeCell(unit) ? 0 : unit.traits;
}

// What a cell's steps never have between them.
bool RecurrentRegroup::EndsSequence(const Unit& unit) const {
  if ((unit.traits & kCell) != 0 && IsOfWholeCell(unit)) return true;
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
  begin_ = 0;
  for (size_t i = 0; i < units.size(); ++i) MoveFusedCell(i);
  Direction pass = Direction::kNone;
  for (size_t i = 0; i < units.size(); ++i) {
    MoveByNode(units[i]);
    const Direction own = PassOf(units[i]);
    const bool turns = own != Direction::kNone && own != pass;
    if (turns || EndsSequence(units[i])) {
      end_ = i;
      Search();
      products_.clear();
      begin_ = i;
      if (own != Direction::kNone) pass = own;
    }
    const bool is_open = units[i].product && !IsBatched(units[i]) &&
                         ClassNow(units[i]) == LayerClass::kGemm;
    if (!is_open) continue;
    products_.push_back(i);
    if (pass != Direction::kBackward) forward_.insert(units[i].product->first);
  }
  end_ = units.size();
  Search();
}

void RecurrentRegroup::MoveByNode(const Unit& unit) {
  const bool may = PassOf(unit) == Direction::kBackward &&
                   (unit.product || IsPointwise(unit)) &&
                   ClassNow(unit) != LayerClass::kAttention;
  if (may && nodes_.IsOfWholeCell(nodes_.NodeOf(unit.activities.front()))) {
    MoveUnit(process_, unit, LayerClass::kRnn, attribution_);
  }
}

// Forward: the products of the input and of the state, right before it.
void RecurrentRegroup::MoveFusedCell(size_t cell) {
  const Unit& at = (*units_)[cell];
  const bool is_fused = (at.traits & kCell) != 0 && IsOfWholeCell(at) &&
                        !nodes_.IsInWholeCell(at.activities.front());
  if (!is_fused) return;
  std::optional<std::pair<int64_t, int64_t>> shape;
  size_t found = 0;
  for (size_t u = cell; u > 0 && cell - u < kFusedReach;) {
    const Unit& unit = (*units_)[--u];
    const bool is_product =
        unit.product && !IsBatched(unit) && ClassNow(unit) == LayerClass::kGemm;
    if (!is_product && ClassNow(unit) != LayerClass::kLayout) break;
    if (!is_product) continue;
    if (shape && *shape != ShapeOfResult(*unit.product)) break;
    shape = ShapeOfResult(*unit.product);
    widths_.insert(unit.product->width);
    if (unit.product->first != 0) weights_.insert(unit.product->first);
    nodes_.Add(nodes_.NodeOf(unit.activities.front()));
    MoveUnit(process_, unit, LayerClass::kRnn, attribution_);
    if (++found == kFusedProducts) break;
  }
}

bool RecurrentRegroup::FollowsFusedCell(size_t product) const {
  size_t u = product == 0 ? begin_ : products_[product - 1] + 1;
  for (; u < products_[product]; ++u) {
    if ((TraitsOf((*units_)[u]) & kCell) != 0) return true;
  }
  return false;
}

// Backward: between the gradient of one fused cell and that of the next, where
// they do not repeat often enough to be found.
void RecurrentRegroup::MoveLoneGradients() {
  if (products_.empty() ||
      PassOf((*units_)[products_[0]]) != Direction::kBackward) {
    return;
  }
  gates_ = kCell;
  for (size_t i = 0; i < products_.size();) {
    size_t end = i + 1;
    while (end < products_.size() && !FollowsFusedCell(end)) ++end;
    const Repeats repeats{i, end, end - i};
    const bool is_open = ClassNow((*units_)[products_[i]]) == LayerClass::kGemm;
    if (is_open && FollowsFusedCell(i)) {
      const Evidence evidence = Weigh(repeats);
      const bool of_cell =
          std::ranges::any_of(evidence.constant, [&](size_t slot) {
            return weights_.contains(ProductAt(i + slot).first);
          });
      if (of_cell || HasNodeOfCell(repeats)) MoveBackward(repeats, evidence);
    }
    i = end;
  }
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
  MoveLoneGradients();
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
    uint32_t traits = 0;
    for (size_t j = i; j < i + repeats.period; ++j) {
      const size_t end = EndOfUnits(j, repeats);
      for (size_t u = products_[j] + 1; u < end; ++u) {
        const Unit& unit = (*units_)[u];
        traits |= TraitsOf(unit);
        evidence.whole |= IsOfWholeCell(unit);
        evidence.normalised |= ClassNow(unit) == LayerClass::kNorm;
        evidence.foreign |= !IsPointwise(unit) && !MayStay(unit) &&
                            unit.layer_class != LayerClass::kRnn;
      }
    }
    evidence.traits |= traits;
    evidence.gated += IsGated(traits) ? 1 : 0;
    evidence.fused += (traits & kCell) != 0 ? 1 : 0;
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
  if (evidence.whole) return false;  // another cell is in the same loop
  if (evidence.addresses && evidence.constant.empty()) return false;
  const bool gated = evidence.gated + 1 >= count;
  if (gated && (evidence.addresses || !evidence.normalised)) return true;
  const Unit& unit = (*units_)[products_[repeats.first]];
  if (PassOf(unit) != Direction::kBackward) {
    return (gated && HasAllGatesInOne(repeats)) ||
           (!evidence.foreign && IsElmanCell(repeats, evidence)) ||
           HoldsElmanCell(repeats, evidence);
  }
  if (HasNodeOfCell(repeats)) return true;
  if (evidence.foreign) return false;
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

bool RecurrentRegroup::HasNodeOfCell(const Repeats& repeats) const {
  for (size_t i = repeats.first; i < repeats.first + repeats.period; ++i) {
    const Unit& unit = (*units_)[products_[i]];
    if (nodes_.Has(nodes_.NodeOf(unit.activities.front()))) return true;
  }
  return false;
}

// Two products in a row that are alike, one of them three or four times as wide
// as the state that it takes: no layers with gates between norms.
bool RecurrentRegroup::HasAllGatesInOne(const Repeats& repeats) const {
  const auto is_of_state = [](const Product& product) {
    return product.k > 0 &&
           (product.width == 3 * product.k || product.width == 4 * product.k);
  };
  for (size_t i = repeats.first; i + 1 < repeats.first + repeats.period; ++i) {
    const Product& one = ProductAt(i);
    const Product& other = ProductAt(i + 1);
    if (one.m == other.m && one.n == other.n &&
        (is_of_state(one) || is_of_state(other))) {
      return true;
    }
  }
  return false;
}

// h' = tanh(W x + U h): x may have met its weights before the loop.
bool RecurrentRegroup::IsElmanCell(const Repeats& repeats,
                                   const Evidence& evidence) const {
  if (repeats.period > 2 || (evidence.traits & (kTanh | kRelu)) == 0) {
    return false;
  }
  if ((evidence.traits & kOtherAct) != 0) return false;
  // A fixed point is sought like that, with one input and one weight.
  const bool is_one_weight =
      repeats.period == 1 ||
      (evidence.addresses &&
       ProductAt(repeats.first).first == ProductAt(repeats.first + 1).first);
  if (evidence.normalised && is_one_weight) return false;
  bool square = false;
  const Product& one = ProductAt(repeats.first);
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const Product& product = ProductAt(repeats.first + slot);
    if (product.m != one.m || product.n != one.n) return false;
    square |= product.k == product.m || product.k == product.n;
  }
  if (!square || !AddsInput(repeats, evidence)) return false;
  if (evidence.addresses) return evidence.constant.size() == repeats.period;
  return repeats.period == 2 && (AddsBefore(kTanh, repeats.first, repeats) ||
                                 AddsBefore(kTanh, repeats.first + 1, repeats));
}

// Layers that a loop calls for one part after the other have an activation
// behind a product; a cell adds up those of the state and of the input. Where
// the input met its weights before, it is added, or the product does that; of a
// ReLU that may be a layer, too.
bool RecurrentRegroup::AddsInput(const Repeats& repeats,
                                 const Evidence& evidence) const {
  if (repeats.period == 1) return (evidence.traits & (kTanh | kAdd)) != 0;
  const size_t first = repeats.first;
  return AddsBefore(kTanh | kRelu, first, repeats) ||
         AddsBefore(kTanh | kRelu, first + 1, repeats);
}

// Beside other products of the loop.
bool RecurrentRegroup::HoldsElmanCell(const Repeats& repeats,
                                      const Evidence& evidence) const {
  if (repeats.period < 3) return false;
  const auto stays = [&](size_t slot) {
    return !evidence.addresses ||
           std::ranges::binary_search(evidence.constant, slot);
  };
  for (size_t slot = 0; slot + 1 < repeats.period; ++slot) {
    const size_t i = repeats.first + slot;
    if (!stays(slot) || !stays(slot + 1)) continue;
    const Product& one = ProductAt(i);
    const Product& other = ProductAt(i + 1);
    const bool on_itself = one.k == one.width || other.k == other.width;
    if (one.m == other.m && one.n == other.n && on_itself &&
        AddsBefore(kTanh, i, repeats)) {
      return true;
    }
  }
  return false;
}

// The product and the next, then an addition and one of the gates: not a layer
// and another one.
bool RecurrentRegroup::AddsBefore(uint32_t gates, size_t product,
                                  const Repeats& repeats) const {
  uint32_t before = 0;
  uint32_t after = 0;
  const size_t next = product + 1 < products_.size() ? product + 1 : product;
  const size_t middle = EndOfUnits(product, repeats);
  const size_t end = EndOfUnits(next, repeats);
  for (size_t u = products_[product] + 1; u < middle; ++u)
    before |= (*units_)[u].traits;
  for (size_t u = products_[next] + 1; u < end; ++u)
    after |= (*units_)[u].traits;
  return before == 0 && (after & kAdd) != 0 && (after & gates) != 0;
}

bool RecurrentRegroup::AnyGate(size_t first, size_t end) const {
  for (size_t u = first; u < end; ++u) {
    if ((TraitsOf((*units_)[u]) & gates_) != 0) return true;
  }
  return false;
}

// Whether a gate is the next thing that the product's result goes into.
bool RecurrentRegroup::FeedsGate(size_t product, const Repeats& repeats) const {
  return AnyGate(products_[product] + 1, EndOfUnits(product, repeats));
}

// Whether a gate follows in the last of the repeats, or in what goes on like
// them: a head follows the last gate. A fused cell takes two products.
bool RecurrentRegroup::LeadsToGate(size_t slot, const Repeats& repeats) const {
  const size_t period = repeats.period;
  const size_t first = repeats.last - period + slot;
  for (size_t i = first; i < products_.size(); ++i) {
    if (gates_ == kCell && i - first == kFusedProducts) return false;
    const bool goes_on =
        i < repeats.last ||
        ProductAt(i).signature == ProductAt(i - period).signature;
    if (!goes_on) return false;
    if (FeedsGate(i, repeats)) return true;
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
    if ((unit.traits & gates_) != 0) return true;
    const bool passes = unit.product || IsPointwise(unit) || MayStay(unit) ||
                        unit.layer_class == LayerClass::kRnn;
    if (!passes || ClassNow(unit) == LayerClass::kAttention) return false;
  }
  // The first of a sequence follows what another sequence ended with.
  return reach < period;
}

void RecurrentRegroup::Move(const Repeats& repeats, const Evidence& evidence) {
  const size_t count = (repeats.last - repeats.first) / repeats.period;
  const bool gated = evidence.gated + 1 >= count;
  gates_ = gated ? kGates : uint32_t{kTanh | kRelu};
  if (gated && evidence.fused + 1 >= count) gates_ = kCell;
  if (PassOf((*units_)[products_[repeats.first]]) == Direction::kBackward) {
    MoveBackward(repeats, evidence);
  } else {
    MoveForward(repeats, evidence);
    steps_.insert(count);
  }
}

void RecurrentRegroup::MoveForward(const Repeats& repeats,
                                   const Evidence& evidence) {
  std::set<std::pair<int64_t, int64_t>> shapes;  // of what goes into gates
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const size_t i = repeats.first + slot;
    if (!FeedsGate(i, repeats)) continue;
    shapes.insert(ShapeOfResult(ProductAt(i)));
    widths_.insert(ProductAt(i).width);
  }
  for (size_t slot = 0; slot < repeats.period; ++slot) {
    const Product& one = ProductAt(repeats.first + slot);
    if (!shapes.contains(ShapeOfResult(one)) || !LeadsToGate(slot, repeats)) {
      continue;
    }
    if (std::ranges::binary_search(evidence.constant, slot)) {
      weights_.insert(one.first);
    }
    for (size_t i = repeats.first + slot; i < repeats.last;
         i += repeats.period) {
      nodes_.Add(nodes_.NodeOf((*units_)[products_[i]].activities.front()));
      MoveProduct(i, repeats);
    }
  }
}

// Where the weights of some of the products are known, those of a layer that
// is not the cell end what belongs to it, up to the next gate. The first step's
// gradients, the last to be computed, lack those of the state before it.
void RecurrentRegroup::MoveBackward(const Repeats& repeats,
                                    const Evidence& evidence) {
  const auto has_width = [this](const Product& product) {
    return product.m == 0 || widths_.empty() || widths_.contains(product.m) ||
           widths_.contains(product.n) || widths_.contains(product.k);
  };
  std::set<uint64_t> others;  // weights of other layers
  bool by_weights = false;
  for (const size_t slot : evidence.constant) {
    const uint64_t first = ProductAt(repeats.first + slot).first;
    if (weights_.contains(first)) by_weights = true;
    if (!weights_.contains(first) && forward_.contains(first)) {
      others.insert(first);
    }
  }
  std::set<uint64_t> moved;  // signatures
  bool of_cell = true;
  const size_t end = std::min(products_.size(), repeats.last + repeats.period);
  for (size_t i = repeats.first; i < end; ++i) {
    const Product& product = ProductAt(i);
    if (i > 0 && AnyGate(products_[i - 1] + 1, products_[i])) of_cell = true;
    if (by_weights && others.contains(product.first)) of_cell = false;
    if (by_weights && weights_.contains(product.first)) of_cell = true;
    const bool goes_on =
        i < repeats.last || (by_weights && moved.contains(product.signature));
    const int64_t node =
        nodes_.NodeOf((*units_)[products_[i]].activities.front());
    const bool belongs = node >= 0 ? nodes_.Has(node)
                                   : of_cell && goes_on && has_width(product) &&
                                         FollowsGate(i, repeats.period);
    if (!belongs) continue;
    moved.insert(product.signature);
    MovePreceding(i);
    MoveProduct(i, repeats);
  }
}

void RecurrentRegroup::MoveProduct(size_t product, const Repeats& repeats) {
  MoveUnit(process_, (*units_)[products_[product]], LayerClass::kRnn,
           attribution_);
  MoveFollowing(products_[product] + 1, EndOfUnits(product, repeats));
}

// What leads from the gradient of a gate to the product.
void RecurrentRegroup::MovePreceding(size_t product) {
  const size_t end = products_[product];
  const size_t stop = product == 0 ? 0 : products_[product - 1] + 1;
  size_t first = end;
  for (size_t u = end; u > stop;) {
    const Unit& unit = (*units_)[--u];
    if (!IsPart(unit) && !MayStay(unit)) break;
    if ((unit.traits & gates_) != 0) first = u;
  }
  MoveFollowing(first, end);
}

void RecurrentRegroup::MoveFollowing(size_t unit, size_t end) {
  for (; unit < end; ++unit) {
    const Unit& at = (*units_)[unit];
    if (MayStay(at)) continue;
    if (!IsPart(at) || IsOfNextLayer(at)) return;
    if (AddsFromElsewhere(unit)) continue;
    MoveUnit(process_, at, LayerClass::kRnn, attribution_);
  }
}

// A fused cell copies nothing: the gradient that was put in its place right
// before is of what else takes the state.
bool RecurrentRegroup::AddsFromElsewhere(size_t unit) const {
  return gates_ == kCell && unit > 0 && ((*units_)[unit].traits & kAdd) != 0 &&
         ((*units_)[unit - 1].traits & kPlain) != 0;
}

// A fused cell holds its activations; its gradients are only summed up.
bool RecurrentRegroup::IsOfNextLayer(const Unit& unit) const {
  if (gates_ != kCell) return false;
  return ClassNow(unit) == LayerClass::kActivation ||
         (ClassNow(unit) == LayerClass::kElementwise &&
          (unit.traits & (kAdd | kPlain)) == 0);
}

bool RecurrentRegroup::IsPart(const Unit& unit) const {
  const LayerClass now = ClassNow(unit);
  return now == LayerClass::kRnn ||
         (IsPointwise(unit) && now != LayerClass::kAttention);
}

}  // namespace dltap::analyzer
