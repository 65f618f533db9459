// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_graphs.h"

#include <cudnn_graph.h>

#include <cstring>

#include "shim/tap/tagging/cudnn_words.h"
#include "shim/tap/tagging/plan_text.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

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

void CudnnGraphs::SetTensor(uint32_t id, int32_t name, int64_t count,
                            const void* elements) {
  CudnnTensor& tensor = tables_.Find()->tensors[id];
  if (name == CUDNN_ATTR_TENSOR_DIMENSIONS) {
    const int64_t rank =
        count < TensorShape::kMaxDims ? count : TensorShape::kMaxDims;
    memcpy(tensor.shape.dims.data(), elements, rank * sizeof(int64_t));
    tensor.shape.rank = static_cast<uint8_t>(rank);
    tensor.shape.RuleOutNonsense();
  } else if (name == CUDNN_ATTR_TENSOR_DATA_TYPE) {
    tensor.shape.type = DTypeOfCudnn(FirstInt(elements));
  } else if (name == CUDNN_ATTR_TENSOR_UNIQUE_ID) {
    memcpy(&tensor.uid, elements, sizeof(tensor.uid));
    tensor.has_uid = true;
  } else if (name == CUDNN_ATTR_TENSOR_IS_VIRTUAL) {
    tensor.is_virtual = *static_cast<const uint8_t*>(elements) != 0;
  } else if (name == CUDNN_ATTR_TENSOR_IS_BY_VALUE) {
    tensor.is_by_value = *static_cast<const uint8_t*>(elements) != 0;
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
    const CudnnTensor& tensor = tables.tensors[payload];
    const uint8_t slot = SlotOfAttribute(node.type, name);
    if (slot < CudnnNode::kSlots) {
      PlaceTensor(tensor, slot, node);
    } else if (name == CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS) {
      node.concat_elements += tensor.shape.elements();
      node.tensors[CudnnNode::kX].type = tensor.shape.type;
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

PlanFacts CudnnGraphs::DecodeGraph(int64_t count, void* const* operations) {
  OperationEncoder encoder;
  LeadingNode leading;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = WordOf(operations[i]);
    if (word != 0 && IsCudnnOperation(TypeOf(word)) && PayloadOf(word) != 0) {
      const CudnnNode& node = tables_.Find()->nodes[PayloadOf(word)];
      const opmodel::Operation operation = OperationOf(node);
      encoder.Add(operation);
      leading.See(node, operation);
    } else {
      encoder.Add(opmodel::Operation{});  // a node we know nothing of
    }
  }
  if (encoder.truncated()) CountLoss(trace::LossKind::kObjectTableFull);
  PlanFacts facts = leading.Facts();
  facts.operation = g_operations.Intern(encoder);
  return facts;
}

void CudnnGraphs::SetCarrier(PlanFacts& facts, int32_t name, int32_t type,
                             int64_t count, const void* elements) {
  if (name == CUDNN_ATTR_OPERATIONGRAPH_OPS) {
    facts = DecodeGraph(count, static_cast<void* const*>(elements));
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION &&
             type == CUDNN_TYPE_CHAR) {
    facts = PlanFacts{};
    facts.operation =
        OperationOfText(static_cast<const char*>(elements), count);
  } else if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const PlanFacts* source = FactsOf(*static_cast<void* const*>(elements));
    if (source != nullptr) facts = *source;
  }
}

void CudnnGraphs::WasSet(void* descriptor, int32_t name, int32_t type,
                         int64_t count, const void* elements) {
  if (count <= 0 || elements == nullptr) return;
  const uint64_t word = WordOf(descriptor);
  if (word == 0) return;
  const int32_t own = TypeOf(word);
  uint32_t payload = PayloadOf(word);
  if (HasPool(own)) {
    if (payload == 0) return;
    Tables& tables = *tables_.Find();
    if (own == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
      tables.packs[payload].Set(name, type, count, elements);
    } else if (own == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
      SetTensor(payload, name, count, elements);
    } else if (CarriesFacts(own)) {
      SetCarrier(tables.facts[payload], name, type, count, elements);
    } else {
      SetNode(payload, name, type, count, elements);
    }
    return;
  }
  const uint32_t before = payload;
  if (IsModeAttribute(name) && own == 0) {
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
// configuration gives out its engine: they work for the same graph. A plan says
// how large a workspace it needs.
void CudnnGraphs::WasRead(void* descriptor, int32_t name, int32_t type,
                          int64_t count, const void* elements) {
  if (elements == nullptr || count <= 0) return;
  const bool is_size = name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE &&
                       type == CUDNN_TYPE_INT64;
  const bool is_text = type == CUDNN_TYPE_CHAR;
  if (!is_size && !is_text && type != CUDNN_TYPE_BACKEND_DESCRIPTOR) return;
  PlanFacts* facts = FactsOf(descriptor);
  if (facts == nullptr) return;
  if (is_size) {
    memcpy(&facts->workspace_bytes, elements, sizeof(facts->workspace_bytes));
    return;
  }
  if (facts->operation == 0) return;
  if (is_text) {
    RememberText(facts->operation, static_cast<const char*>(elements), count);
    return;
  }
  const auto* results = static_cast<void* const*>(elements);
  for (int64_t i = 0; i < count; ++i) {
    PlanFacts* result = FactsOf(results[i]);
    if (result != nullptr && result != facts) *result = *facts;
  }
}

uint32_t CudnnGraphs::OperationOfPlan(void* plan) const {
  const bool is_plan =
      TypeOf(WordOf(plan)) == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
  const PlanFacts* facts = is_plan ? FactsOf(plan) : nullptr;
  return facts != nullptr ? facts->operation : 0;
}

constinit CudnnGraphs g_cudnn_graphs;

}  // namespace dltap::shim::tagging
