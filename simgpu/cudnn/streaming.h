// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_STREAMING_H_
#define DLTAP_SIMGPU_CUDNN_STREAMING_H_

#include <cstdint>
#include <initializer_list>

#include "opmodel/operation.h"
#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {

using Tensors = std::initializer_list<const cudnnTensorStruct*>;

// Whether a normalisation or a softmax goes over its rows before it writes.
enum class Rows : uint8_t { kNone, kGoneOver };

// A call that reads `inputs` and writes `outputs` once; null tensors (optional
// ones) do not count.
cudnnStatus_t RunStreaming(ApiFunction& function, cudnnHandle_t handle,
                           opmodel::OpKind kind, Tensors inputs,
                           Tensors outputs, Rows rows);

// The answer to a query of workspace or reserve space: a bit per element of
// `tensor` and a fixed part.
cudnnStatus_t WriteSize(ApiFunction& function, const cudnnTensorStruct* tensor,
                        size_t* bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_STREAMING_H_
