// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/streaming.h"

#include <algorithm>

#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

int64_t SumOf(Tensors tensors) {
  int64_t sum = 0;
  for (const cudnnTensorStruct* tensor : tensors) {
    if (tensor != nullptr) sum += ElementsOf(*tensor);
  }
  return sum;
}

const cudnnTensorStruct* FirstOf(Tensors tensors) {
  const auto* found = std::find_if(
      tensors.begin(), tensors.end(),
      [](const cudnnTensorStruct* tensor) { return tensor != nullptr; });
  return found == tensors.end() ? nullptr : *found;
}

// Independent rows of a normalisation (per channel) or softmax (per pixel).
int64_t RowsOf(OpKind kind, const cudnnTensorStruct& tensor) {
  const int64_t channels = tensor.rank > 1 ? std::max(1, tensor.dims[1]) : 1;
  switch (kind) {
    case OpKind::kNormForward:
    case OpKind::kNormBackward: return channels;
    case OpKind::kSoftmaxForward:
    case OpKind::kSoftmaxBackward: return ElementsOf(tensor) / channels;
    default: return 0;
  }
}

}  // namespace

cudnnStatus_t RunStreaming(ApiFunction& function, cudnnHandle_t handle,
                           OpKind kind, Tensors inputs, Tensors outputs,
                           Rows rows) {
  return CudnnEntry(function, [&] {
    const cudnnTensorStruct* first = FirstOf(inputs);
    if (handle == nullptr || first == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    Operation op{.kind = kind, .storage = DTypeOf(first->type)};
    op.math = op.storage;
    op[Dim::kElementsIn] = SumOf(inputs);
    op[Dim::kElementsOut] = SumOf(outputs);
    op[Dim::kRows] = rows == Rows::kGoneOver ? RowsOf(kind, *first) : 0;
    return CudnnStatus(LaunchKernels(
        handle->stream, KernelsOf(op, GpuOfStream(handle->stream))));
  });
}

cudnnStatus_t WriteSize(ApiFunction& function, const cudnnTensorStruct* tensor,
                        size_t* bytes) {
  return CudnnEntry(function, [&] {
    if (bytes == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    constexpr int64_t kFixedBytes = 4096;
    const int64_t elements = tensor == nullptr ? 0 : ElementsOf(*tensor);
    *bytes = static_cast<size_t>(elements / 8 + kFixedBytes);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnDeriveBNTensorDescriptor(
    cudnnTensorDescriptor_t derived, const cudnnTensorDescriptor_t x,
    cudnnBatchNormMode_t mode) {
  return CudnnEntry(
      FunctionOf<"cudnn", "cudnnDeriveBNTensorDescriptor">(), [&] {
        if (derived == nullptr || x == nullptr) {
          return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        }
        *derived = *x;
        derived->type =
            x->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
        for (int i = 0; i < derived->rank; ++i) {
          const bool kept =
              i == 1 || (i > 0 && mode == CUDNN_BATCHNORM_PER_ACTIVATION);
          if (!kept) derived->dims[i] = 1;
        }
        SetPackedStrides(*derived, CUDNN_TENSOR_NCHW);
        return CUDNN_STATUS_SUCCESS;
      });
}

}  // namespace dltap::simgpu
