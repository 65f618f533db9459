// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_NODES_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_NODES_H_

#include <array>
#include <cstdint>

#include "opmodel/operation.h"
#include "shim/tap/tagging/cudnn_types.h"

namespace dltap::shim::tagging {

// One tensor descriptor.
struct CudnnTensor {
  TensorShape shape;
  bool is_virtual;   // lies nowhere
  bool is_by_value;  // one element, on the host
  bool has_uid;
  int64_t uid;
};

// One operation descriptor of the cuDNN backend API: the shapes of the tensors
// that matter for its cost, copied when the attribute was set, since clients
// destroy tensor descriptors before the graph runs.
struct CudnnNode {
  enum Slot : uint8_t { kX = 0, kW = 1, kY = 2, kExtra = 3, kSlots = 4 };

  std::array<TensorShape, kSlots> tensors;
  // By which variant packs name these tensors; those that they may name have a
  // bit in `placed`: no virtual one, and no scalar that lies on the host.
  std::array<int64_t, kSlots> uids;
  int32_t mode;  // of pointwise and norm operations
  opmodel::DType compute;
  uint8_t type;             // cudnnBackendDescriptorType_t
  uint8_t placed;           // 1 << Slot
  int64_t concat_elements;  // inputs of a concatenation, summed
};

// Where the tensor attribute `name` of an operation descriptor of `type` is
// kept, or CudnnNode::kSlots when it does not matter. For SDPA the slots are
// Q, K, V, O.
uint8_t SlotOfAttribute(uint8_t type, int32_t name);

// Puts a tensor into a slot of an operation.
void PlaceTensor(const CudnnTensor& tensor, uint8_t slot, CudnnNode& node);

// True for descriptor types from 10 on that compute something; types that no
// header here names are taken for such.
bool IsCudnnOperation(int32_t type);

// The node as an operation of the trace. Unknown types come out as kUnknown
// with their element counts.
opmodel::Operation OperationOf(const CudnnNode& node);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_NODES_H_
