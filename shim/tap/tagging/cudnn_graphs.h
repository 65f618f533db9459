// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_GRAPHS_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_GRAPHS_H_

#include <cstdint>

#include "shim/tap/tagging/cudnn_nodes.h"
#include "shim/tap/tagging/late_table.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/plan_facts.h"
#include "shim/tap/tagging/pointer_map.h"
#include "shim/tap/tagging/pool.h"
#include "shim/tap/tagging/variant_pack.h"

namespace dltap::shim::tagging {

// Shadows cuDNN backend descriptors from their creation, so that an execution
// plan knows the operations it runs:
//   TENSOR -> operation nodes -> OPERATIONGRAPH = an interned operation id and
//   the ids of its tensors, which ENGINEHEUR, ENGINE, ENGINECFG and
//   EXECUTION_PLAN hand on; VARIANT_PACK says where tensors of these ids lie.
// A graph is decoded when its operations are set: they are finalized by then
// and cannot change. Fixed memory; what does not fit is unknown and counted.
// Threads: any; one descriptor is used by one thread at a time (cuDNN's rule).
class CudnnGraphs {
 public:
  // The tables are there from now on.
  void Prepare() { tables_.Make(); }

  void Created(void* descriptor, int32_t type);
  void WasSet(void* descriptor, int32_t name, int32_t type, int64_t count,
              const void* elements);
  void WasRead(void* descriptor, int32_t name, int32_t type, int64_t count,
               const void* elements);
  // Before the real destruction: the address may be in use again right after.
  void WillBeDestroyed(void* descriptor);

  // What `plan` runs; 0 when unknown. No lock.
  uint32_t OperationOfPlan(void* plan) const;
  // Stores what an execution of `plan` with `pack` works on, kGraphCallBytes,
  // and returns what it computes. What could not be found is counted. No lock.
  // (cudnn_execution.h)
  uint32_t PackCall(void* plan, void* pack, uint8_t* at) const;

 private:
  static constexpr uint32_t kMaxTensors = 1u << 15;
  static constexpr uint32_t kMaxNodes = 1u << 13;
  static constexpr uint32_t kMaxFacts = 1u << 16;
  static constexpr uint32_t kMaxPacks = 1u << 12;
  static constexpr uint64_t kSeveral = uint64_t{1} << 32;

  struct Tables {
    // Address -> (1 + type) << 32 | payload. The payload: number in a pool for
    // tensors, operations, packs, and what carries PlanFacts: graphs,
    // heuristics, engines, configurations and plans; mode or compute type for
    // the small descriptors.
    PointerMap<4, 13> descriptors;
    // Hash of a plan's JSON that was read -> its operation; kSeveral.
    PointerMap<2, 8> texts;
    Pool<CudnnTensor, kMaxTensors> tensors;
    Pool<CudnnNode, kMaxNodes> nodes;
    Pool<PlanFacts, kMaxFacts> facts;
    Pool<VariantPack, kMaxPacks> packs;
  };

  // 0: no such descriptor.
  uint64_t WordOf(const void* descriptor) const;
  // nullptr: `descriptor` does not carry any.
  PlanFacts* FactsOf(const void* descriptor) const;

  static uint32_t TakeFor(Tables& tables, int32_t type);
  void SetTensor(uint32_t id, int32_t name, int64_t count,
                 const void* elements);
  void SetNode(uint32_t id, int32_t name, int32_t type, int64_t count,
               const void* elements);
  void NodeTakesDescriptors(uint32_t id, int32_t name, int64_t count,
                            void* const* descriptors);
  void SetCarrier(PlanFacts& facts, int32_t name, int32_t type, int64_t count,
                  const void* elements);
  PlanFacts DecodeGraph(int64_t count, void* const* operations);
  void RememberText(uint32_t operation, const char* text, int64_t bytes);
  uint32_t OperationOfText(const char* text, int64_t bytes) const;

  LateTable<Tables> tables_;  // there before the first descriptor is known
};

extern constinit CudnnGraphs g_cudnn_graphs;

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_GRAPHS_H_
