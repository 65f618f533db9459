// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/backward_scores.h"

#include <algorithm>
#include <array>

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

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

}  // namespace

const Operation* BackwardScores::SizesOf(uint32_t unit) const {
  const WorkId work = attribution_.activities[units_[unit].lead].work;
  return work.known() ? &attribution_.KindOf(work).leading : nullptr;
}

// Products: by their sizes, where both are known.
bool BackwardScores::MayBeGradientOf(uint32_t backward,
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
int BackwardScores::OfPair(uint32_t backward, uint32_t forward) const {
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
  if (!b.pointwise) return kMayBe;
  if (f.layer_class == LayerClass::kEmbedding) {
    return b.adds_rows || b.sums_rows ? kOnePointwise : 0;
  }
  return b.only_sums ? 0 : kOnePointwise;
}

// How well one more backward operation fits: of attention that several calls
// compute the gradients may be no row, of other rows a part may be a norm's; of
// rows added up they may be read beside others, and that of a triangular solve
// is one and a product.
int BackwardScores::OfPart(uint32_t backward, uint32_t forward) const {
  const LayerUnit& b = units_[backward];
  const LayerUnit& f = units_[forward];
  const auto is_composite = [this](const LayerUnit& unit) {
    return attribution_.activities[unit.lead].class_from ==
           ClassFrom::kComposite;
  };
  if (b.sums_bias || b.moves_gradient) return 0;
  if (b.reads_rows) return f.adds_rows ? kSameClass : 0;
  if (b.pointwise) return f.adds_rows ? OfPair(backward, forward) : 0;
  if (b.layer_class == LayerClass::kNorm) {
    return f.pointwise && is_composite(b) ? kMayBe : 0;
  }
  if (f.layer_class == LayerClass::kGemm) {
    const Operation* const of_f = SizesOf(forward);
    const bool solves = of_f != nullptr && (*of_f)[Dim::kK] == 0;
    return solves && b.layer_class == LayerClass::kGemm ? kMayBe : 0;
  }
  if (f.layer_class != LayerClass::kAttention || !is_composite(f)) return 0;
  switch (b.layer_class) {
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kSoftmax: return kOnePointwise;
    default: return 0;
  }
}

bool BackwardScores::IsOneProduct(uint32_t unit) const {
  return units_[unit].layer_class == LayerClass::kGemm &&
         units_[unit].works == 1 && SizesOf(unit) != nullptr;
}

}  // namespace dltap::analyzer
