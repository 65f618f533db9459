// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "analyzer/attribution/call_meaning.h"

namespace dltap::analyzer {
namespace {

using opmodel::OpKind;
using KindWords = specs::Words<OpKind>;

// Lower leads. Classes not named here follow in the order of LayerClass.
int Rank(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv: return 0;
    case LayerClass::kAttention: return 1;
    case LayerClass::kGemm: return 2;
    case LayerClass::kNorm: return 3;
    default: return 4 + static_cast<int>(layer_class);
  }
}

// S = QK', softmax(S), SV: a graph of at least two products with an
// exponential or reduction chain between them.
bool IsCompositeAttention(const OperationNodes& nodes) {
  const auto is_product = [](const opmodel::Operation& op) {
    return op.kind == OpKind::kGemm;
  };
  const auto first = std::find_if(nodes.begin(), nodes.end(), is_product);
  if (first == nodes.end()) return false;
  const auto second = std::find_if(first + 1, nodes.end(), is_product);
  if (second == nodes.end()) return false;
  return std::any_of(first + 1, second, [](const opmodel::Operation& op) {
    return op.kind == OpKind::kReduction || op.kind == OpKind::kSoftmaxForward;
  });
}

}  // namespace

LayerClass ClassOf(OpKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < KindWords::kCount ? KindWords::kClasses[i] : LayerClass::kOther;
}

Direction DirectionOf(OpKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < KindWords::kCount ? KindWords::kDirections[i] : Direction::kNone;
}

CallMeaning MeaningOf(const OperationNodes& nodes) {
  CallMeaning meaning{LayerClass::kOther,
                      Direction::kNone,
                      ClassFrom::kApiArguments,
                      {},
                      std::nullopt,
                      false};
  if (nodes.empty()) return meaning;
  const auto leading = std::min_element(
      nodes.begin(), nodes.end(),
      [](const opmodel::Operation& a, const opmodel::Operation& b) {
        return Rank(ClassOf(a.kind)) < Rank(ClassOf(b.kind));
      });
  meaning.leading = *leading;
  meaning.layer_class = ClassOf(leading->kind);
  meaning.direction = DirectionOf(leading->kind);
  if (meaning.layer_class == LayerClass::kGemm && IsCompositeAttention(nodes)) {
    meaning.layer_class = LayerClass::kAttention;
    const auto products =
        std::count_if(nodes.begin(), nodes.end(),
                      [](const auto& op) { return op.kind == OpKind::kGemm; });
    meaning.direction =
        products >= 4 ? Direction::kBackward : Direction::kForward;
  }
  // A fused graph does the arithmetic of all its nodes but moves only what
  // enters and leaves; the leading node's traffic stands for that.
  double flops = 0;
  for (const opmodel::Operation& node : nodes) {
    if (const auto cost = opmodel::CostOf(node)) flops += cost->flops;
  }
  meaning.cost = opmodel::CostOf(*leading);
  if (meaning.cost) meaning.cost->flops = flops;
  return meaning;
}

}  // namespace dltap::analyzer
