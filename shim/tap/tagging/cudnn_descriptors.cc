// SPDX-License-Identifier: Apache-2.0
// From the creation of a descriptor to its end.
#include "shim/tap/tagging/cudnn_graphs.h"
#include "shim/tap/tagging/cudnn_words.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {

PlanFacts* CudnnGraphs::FactsOf(const void* descriptor) const {
  const uint64_t word = WordOf(descriptor);
  if (!CarriesFacts(TypeOf(word)) || PayloadOf(word) == 0) return nullptr;
  return &tables_.Find()->facts[PayloadOf(word)];
}

// The payload of a new descriptor of a type that has a pool; 0: it is full.
uint32_t CudnnGraphs::TakeFor(Tables& tables, int32_t type) {
  uint32_t id = 0;
  if (type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    id = tables.tensors.Take();
    if (id != 0) tables.tensors[id] = CudnnTensor{};
  } else if (type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    id = tables.packs.Take();
    if (id != 0) tables.packs[id].Clear();
  } else if (CarriesFacts(type)) {
    id = tables.facts.Take();
    if (id != 0) tables.facts[id] = PlanFacts{};
  } else {
    id = tables.nodes.Take();
    if (id != 0) {
      tables.nodes[id] = CudnnNode{};
      tables.nodes[id].type = static_cast<uint8_t>(type);
    }
  }
  return id;
}

void CudnnGraphs::Created(void* descriptor, int32_t type) {
  if (type < 0) return;
  Tables* tables = tables_.Make();
  if (tables == nullptr) {
    CountLoss(trace::LossKind::kObjectTableFull);
    return;
  }
  const uint32_t payload = HasPool(type) ? TakeFor(*tables, type) : 0;
  const bool is_full = HasPool(type) && payload == 0;
  if (is_full ||
      !tables->descriptors.Insert(Key(descriptor), Word(type, payload))) {
    CountLoss(trace::LossKind::kObjectTableFull);
  }
}

void CudnnGraphs::WillBeDestroyed(void* descriptor) {
  Tables* tables = tables_.Find();
  if (tables == nullptr) return;
  const uint64_t word = tables->descriptors.Erase(Key(descriptor));
  const int32_t type = TypeOf(word);
  const uint32_t payload = PayloadOf(word);
  if (word == 0 || payload == 0 || !HasPool(type)) return;
  if (type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    tables->tensors.Give(payload);
  } else if (type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    tables->packs.Give(payload);
  } else if (CarriesFacts(type)) {
    tables->facts.Give(payload);
  } else {
    tables->nodes.Give(payload);
  }
}

}  // namespace dltap::shim::tagging
