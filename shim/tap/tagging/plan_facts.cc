// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/plan_facts.h"

#include "vocabulary.h"

namespace dltap::shim::tagging {
namespace {

// The lowest leads.
int RankOf(opmodel::OpKind kind) {
  using specs::LayerClass;
  constexpr LayerClass kLeading[] = {LayerClass::kConv, LayerClass::kAttention,
                                     LayerClass::kGemm, LayerClass::kNorm};
  const LayerClass of_kind =
      specs::Words<specs::OpKind>::kClasses[static_cast<int>(kind)];
  int rank = 0;
  for (const LayerClass leading : kLeading) {
    if (of_kind == leading) return rank;
    ++rank;
  }
  return rank + static_cast<int>(of_kind);
}

bool IsPlaced(const CudnnNode& node, int slot) {
  return (node.placed >> slot & 1) != 0;
}

}  // namespace

void LeadingNode::See(const CudnnNode& node,
                      const opmodel::Operation& operation) {
  if (IsPlaced(node, CudnnNode::kY)) last_ = &node;
  const int rank = RankOf(operation.kind);
  if (node_ != nullptr && rank >= rank_) return;
  node_ = &node;
  rank_ = rank;
  storage_ = operation.storage;
}

PlanFacts LeadingNode::Facts() const {
  PlanFacts facts{};
  facts.is_decoded = true;
  if (node_ == nullptr) return facts;
  const auto take = [&](const CudnnNode& node, int slot) {
    // Readers take all for tensors of the operation's type.
    if (!IsPlaced(node, slot) || node.tensors[slot].type != storage_) return;
    facts.uids[slot] = node.uids[slot];
    facts.placed = static_cast<uint8_t>(facts.placed | 1u << slot);
  };
  for (int slot = 0; slot < CudnnNode::kSlots; ++slot) take(*node_, slot);
  // A result that the graph goes on with, element by element, is there as what
  // comes out at its end.
  const bool is_fused = !IsPlaced(*node_, CudnnNode::kY) && last_ != nullptr &&
                        last_->tensors[CudnnNode::kY].elements() ==
                            node_->tensors[CudnnNode::kY].elements();
  if (is_fused) take(*last_, CudnnNode::kY);
  return facts;
}

}  // namespace dltap::shim::tagging
