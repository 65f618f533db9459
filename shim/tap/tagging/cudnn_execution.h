// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_EXECUTION_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_EXECUTION_H_

#include <cudnn_graph.h>

#include <cstdint>
#include <cstring>

#include "shim/tap/tagging/cudnn_graphs.h"
#include "shim/tap/tagging/cudnn_words.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {

// Hot path: inlined into the hook of cudnnBackendExecute.
inline uint32_t CudnnGraphs::PackCall(void* plan, void* pack,
                                      uint8_t* at) const {
  Tables* tables = tables_.Find();
  // Both at once, so that no load of the one waits for the other's.
  const uint64_t word =
      tables != nullptr ? tables->descriptors.Find(Key(plan)) : 0;
  const uint64_t of_pack =
      tables != nullptr ? tables->descriptors.Find(Key(pack)) : 0;
  if (TypeOf(word) != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
      PayloadOf(word) == 0) {
    memset(at, 0, kGraphCallBytes);
    return 0;
  }
  const PlanFacts& facts = tables->facts[PayloadOf(word)];
  const bool is_known =
      TypeOf(of_pack) == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR &&
      PayloadOf(of_pack) != 0;
  const VariantPack* known =
      is_known ? &tables->packs[PayloadOf(of_pack)] : nullptr;
  if (!PackGraphCall(facts, known, at) && facts.operation != 0) [[unlikely]] {
    CountLoss(trace::LossKind::kOperandUnknown);
  }
  return facts.operation;
}

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_EXECUTION_H_
