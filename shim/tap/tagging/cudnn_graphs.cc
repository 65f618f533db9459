// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_graphs.h"

#include <cudnn_graph.h>

#include <cstring>

#include "shim/tap/tagging/plan_text.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

uint64_t Key(const void* descriptor) {
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

// Descriptors that only hand on the operation of a graph.
bool CarriesOperation(int32_t type) {
  return type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINE_DESCRIPTOR ||
         type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR ||
         type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
}

// Of POINTWISE, CONVOLUTION, MATMUL, REDUCTION and RESAMPLE descriptors: what
// their operations need. Pointwise keeps mode << 8 | compute type.
bool IsModeAttribute(int32_t name) { return name == CUDNN_ATTR_POINTWISE_MODE; }
bool IsComputeAttribute(int32_t name) {
  return name == CUDNN_ATTR_POINTWISE_MATH_PREC ||
         name == CUDNN_ATTR_CONVOLUTION_COMP_TYPE ||
         name == CUDNN_ATTR_MATMUL_COMP_TYPE ||
         name == CUDNN_ATTR_REDUCTION_COMP_TYPE ||
         name == CUDNN_ATTR_RESAMPLE_COMP_TYPE;
}

// Of a text, which may end with zeros.
uint64_t HashOf(const char* text, int64_t bytes) {
  while (bytes > 0 && text[bytes - 1] == '\0') --bytes;
  uint64_t hash = 0xcbf29ce484222325;
  for (int64_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3;
  }
  return hash;
}

int32_t FirstInt(const void* elements) {
  int32_t value;
  memcpy(&value, elements, sizeof(value));
  return value;
}

}  // namespace

uint64_t CudnnGraphs::WordOf(const void* descriptor) const {
  const Tables* tables = tables_.Find();
  return tables != nullptr ? tables->descriptors.Find(Key(descriptor)) : 0;
}

void CudnnGraphs::Created(void* descriptor, int32_t type) {
  // Variant packs are set and executed all the time and never looked at.
  if (type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR || type < 0) return;
  Tables* tables = tables_.Make();
  if (tables == nullptr) {
    CountLoss(trace::LossKind::kObjectTableFull);
    return;
  }
  uint32_t payload = 0;
  bool stored = true;
  if (type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    payload = tables->tensors.Take();
    stored = payload != 0;
    if (stored) tables->tensors[payload] = TensorShape{};
  } else if (IsCudnnOperation(type)) {
    payload = tables->nodes.Take();
    stored = payload != 0;
    if (stored) {
      tables->nodes[payload] = CudnnNode{};
      tables->nodes[payload].type = static_cast<uint8_t>(type);
    }
  }
  if (!stored ||
      !tables->descriptors.Insert(Key(descriptor), Word(type, payload))) {
    CountLoss(trace::LossKind::kObjectTableFull);
  }
}

void CudnnGraphs::WillBeDestroyed(void* descriptor) {
  Tables* tables = tables_.Find();
  if (tables == nullptr) return;
  const uint64_t word = tables->descriptors.Erase(Key(descriptor));
  if (word == 0 || PayloadOf(word) == 0) return;
  const int32_t type = TypeOf(word);
  if (type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    tables->tensors.Give(PayloadOf(word));
  } else if (IsCudnnOperation(type)) {
    tables->nodes.Give(PayloadOf(word));
  }
}

void CudnnGraphs::SetTensor(uint32_t id, int32_t name, int64_t count,
                            const void* elements) {
  TensorShape& tensor = tables_.Find()->tensors[id];
  if (name == CUDNN_ATTR_TENSOR_DIMENSIONS) {
    const int64_t rank =
        count < TensorShape::kMaxDims ? count : TensorShape::kMaxDims;
    memcpy(tensor.dims.data(), elements, rank * sizeof(int64_t));
    tensor.rank = static_cast<uint8_t>(rank);
  } else if (name == CUDNN_ATTR_TENSOR_DATA_TYPE) {
    tensor.type = DTypeOfCudnn(FirstInt(elements));
  }
}

void CudnnGraphs::NodeTakesDescriptors(uint32_t id, int32_t name, int64_t count,
                                       void* const* descriptors) {
  Tables& tables = *tables_.Find();
  CudnnNode& node = tables.nodes[id];
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = WordOf(descriptors[i]);
    if (word == 0) continue;
    const int32_t type = TypeOf(word);
    const uint32_t payload = PayloadOf(word);
    if (type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
      // The convolution, matmul, pointwise, ... descriptor of the operation.
      node.compute = static_cast<opmodel::DType>(payload & 0xFF);
      node.mode = static_cast<int32_t>(payload >> 8);
      continue;
    }
    if (payload == 0) continue;
    const TensorShape& tensor = tables.tensors[payload];
    const uint8_t slot = SlotOfAttribute(node.type, name);
    if (slot < CudnnNode::kSlots) {
      node.tensors[slot] = tensor;
    } else if (name == CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS) {
      node.concat_elements += tensor.elements();
      node.tensors[CudnnNode::kX].type = tensor.type;
    }
  }
}

void CudnnGraphs::SetNode(uint32_t id, int32_t name, int32_t type,
                          int64_t count, const void* elements) {
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    NodeTakesDescriptors(id, name, count, static_cast<void* const*>(elements));
  } else if (type == CUDNN_TYPE_DATA_TYPE) {
    tables_.Find()->nodes[id].compute = DTypeOfCudnn(FirstInt(elements));
  } else if (type == CUDNN_TYPE_NORM_MODE) {
    tables_.Find()->nodes[id].mode = FirstInt(elements);
  }
}

uint32_t CudnnGraphs::DecodeGraph(int64_t count, void* const* operations) {
  OperationEncoder encoder;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = WordOf(operations[i]);
    if (word != 0 && IsCudnnOperation(TypeOf(word)) && PayloadOf(word) != 0) {
      encoder.Add(OperationOf(tables_.Find()->nodes[PayloadOf(word)]));
    } else {
      encoder.Add(opmodel::Operation{});  // a node we know nothing of
    }
  }
  if (encoder.truncated()) CountLoss(trace::LossKind::kObjectTableFull);
  return g_operations.Intern(encoder);
}

void CudnnGraphs::WasSet(void* descriptor, int32_t name, int32_t type,
                         int64_t count, const void* elements) {
  if (name >= CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS &&
      name <= CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS + 12) {
    return;  // set before every execution
  }
  if (count <= 0 || elements == nullptr) return;
  const uint64_t word = WordOf(descriptor);
  if (word == 0) return;
  const int32_t own = TypeOf(word);
  uint32_t payload = PayloadOf(word);
  if (own == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    if (payload != 0) SetTensor(payload, name, count, elements);
    return;
  }
  if (IsCudnnOperation(own)) {
    if (payload != 0) SetNode(payload, name, type, count, elements);
    return;
  }
  const uint32_t before = payload;
  if (name == CUDNN_ATTR_OPERATIONGRAPH_OPS) {
    payload = DecodeGraph(count, static_cast<void* const*>(elements));
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION &&
             type == CUDNN_TYPE_CHAR) {
    payload = OperationOfText(static_cast<const char*>(elements), count);
  } else if (CarriesOperation(own) && type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const uint64_t source = WordOf(*static_cast<void* const*>(elements));
    if (CarriesOperation(TypeOf(source))) payload = PayloadOf(source);
  } else if (IsModeAttribute(name) && own == 0) {
    payload = (payload & 0xFF) | static_cast<uint32_t>(FirstInt(elements)) << 8;
  } else if (IsComputeAttribute(name)) {
    payload = (payload & ~0xFFu) |
              static_cast<uint32_t>(DTypeOfCudnn(FirstInt(elements)));
  }
  if (payload != before) {
    tables_.Find()->descriptors.Insert(Key(descriptor), Word(own, payload));
  }
}

// A program that keeps compiled plans as text restores the ones it has made.
void CudnnGraphs::RememberText(uint32_t operation, const char* text,
                               int64_t bytes) {
  const uint64_t hash = HashOf(text, bytes);
  auto& texts = tables_.Find()->texts;
  const uint64_t before = texts.Find(hash);
  const bool is_one = before == 0 || before == operation;
  if (!texts.Insert(hash, is_one ? operation : kSeveral)) {
    CountLoss(trace::LossKind::kObjectTableFull);
  }
}

uint32_t CudnnGraphs::OperationOfText(const char* text, int64_t bytes) const {
  const uint64_t known = tables_.Find()->texts.Find(HashOf(text, bytes));
  return known != 0 && known != kSeveral ? static_cast<uint32_t>(known)
                                         : OperationOfPlanText(text, bytes);
}

// Heuristics fill engine configurations, which the caller has created, and a
// configuration gives out its engine: they work for the same graph.
void CudnnGraphs::WasRead(void* descriptor, int32_t type, int64_t count,
                          const void* elements) {
  if (elements == nullptr || count <= 0) return;
  const bool is_text = type == CUDNN_TYPE_CHAR;
  if (!is_text && type != CUDNN_TYPE_BACKEND_DESCRIPTOR) return;
  const uint64_t word = WordOf(descriptor);
  if (!CarriesOperation(TypeOf(word)) || PayloadOf(word) == 0) return;
  if (is_text) {
    RememberText(PayloadOf(word), static_cast<const char*>(elements), count);
    return;
  }
  const auto* results = static_cast<void* const*>(elements);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t result = WordOf(results[i]);
    if (CarriesOperation(TypeOf(result))) {
      tables_.Find()->descriptors.Insert(Key(results[i]),
                                         Word(TypeOf(result), PayloadOf(word)));
    }
  }
}

uint32_t CudnnGraphs::OperationOfPlan(void* plan) const {
  const uint64_t word = WordOf(plan);
  return TypeOf(word) == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR
             ? PayloadOf(word)
             : 0;
}

constinit CudnnGraphs g_cudnn_graphs;

}  // namespace dltap::shim::tagging
