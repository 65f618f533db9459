// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_PLAN_FACTS_H_
#define DLTAP_SHIM_TAP_TAGGING_PLAN_FACTS_H_

#include <array>
#include <cstdint>
#include <cstring>

#include "shim/tap/tagging/cudnn_nodes.h"
#include "shim/tap/tagging/variant_pack.h"

namespace dltap::shim::tagging {

// What is known of an operation graph, and of all that is made for it.
struct PlanFacts {
  std::array<int64_t, CudnnNode::kSlots> uids;  // of its leading node's tensors
  int64_t workspace_bytes;  // of a plan that was asked for it, else 0
  uint32_t operation;       // 0: not known
  uint8_t placed;           // 1 << Slot: a variant pack has it
  bool is_decoded;          // false: of a plan's text, with no tensors
};

// What a record of an execution gets, in this order, 0 where it is not known:
// an address per slot, as vocabulary.toml says, the workspace's, its size.
inline constexpr int kGraphCallBytes = (CudnnNode::kSlots + 2) * 8;

// The node that leads an operation, and which of its tensors packs name. The
// analyzer takes the same one (call_meaning.cc): convolution, attention,
// product, norm, else by the number of its class.
class LeadingNode {
 public:
  // The nodes in the order of the graph.
  void See(const CudnnNode& node, const opmodel::Operation& operation);

  // All but the operation's id.
  PlanFacts Facts() const;

 private:
  const CudnnNode* node_ = nullptr;
  const CudnnNode* last_ = nullptr;  // whose result lies somewhere
  int rank_ = 0;
  opmodel::DType storage_{};
};

// Stores that at `at`, word by word: what is put together elsewhere first
// cannot be loaded before all of it is stored. `pack` may be null: not known.
// True: it has what it should have.
inline bool PackGraphCall(const PlanFacts& facts, const VariantPack* pack,
                          uint8_t* at) {
  const auto store = [&](int word, uint64_t value) {
    memcpy(at + word * 8, &value, sizeof(value));
  };
  // Tensors of other shapes than the operation says would be taken for its.
  const bool is_known = pack != nullptr && !pack->is_overridden();
  const uint32_t wanted = is_known ? facts.placed : 0;
  const int32_t count = is_known ? pack->count() : 0;
  bool has_all = facts.is_decoded && wanted == facts.placed;
#pragma GCC unroll 4
  for (int slot = 0; slot < CudnnNode::kSlots; ++slot) {
    uint64_t address = 0;
    if ((wanted >> slot & 1) != 0) {
      has_all &= pack->Find(facts.uids[slot], count, slot, &address);
    }
    store(slot, address);
  }
  const bool has_workspace =
      is_known && facts.workspace_bytes > 0 && pack->workspace() != 0;
  store(CudnnNode::kSlots, has_workspace ? pack->workspace() : 0);
  store(CudnnNode::kSlots + 1,
        has_workspace ? static_cast<uint64_t>(facts.workspace_bytes) : 0);
  return has_all;
}

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_PLAN_FACTS_H_
