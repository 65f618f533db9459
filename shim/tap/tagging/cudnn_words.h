// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_WORDS_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_WORDS_H_

#include <cudnn_graph.h>

#include <cstdint>

#include "shim/tap/tagging/cudnn_nodes.h"

// What CudnnGraphs keeps of a descriptor: its type and a payload.
namespace dltap::shim::tagging {

inline uint64_t Key(const void* descriptor) {
  return reinterpret_cast<uint64_t>(descriptor);
}
constexpr uint64_t Word(int32_t type, uint32_t payload) {
  return (static_cast<uint64_t>(type) + 1) << 32 | payload;
}
constexpr int32_t TypeOf(uint64_t word) {
  return static_cast<int32_t>(word >> 32) - 1;
}
constexpr uint32_t PayloadOf(uint64_t word) {
  return static_cast<uint32_t>(word);
}

// Descriptors that only hand on what is known of a graph.
inline bool CarriesFacts(int32_t type) {
  return type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINE_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR ||
         type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
}

inline bool HasPool(int32_t type) {
  return type == CUDNN_BACKEND_TENSOR_DESCRIPTOR ||
         type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR || CarriesFacts(type) ||
         IsCudnnOperation(type);
}

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_WORDS_H_
