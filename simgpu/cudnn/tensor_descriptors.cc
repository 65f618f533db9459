// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {
namespace {

bool IsRank(int rank) { return rank >= 1 && rank <= kMaxCudnnDims; }

template <typename T>
void WriteTo(T* out, const T& value) {
  if (out != nullptr) *out = value;
}

template <size_t kSize>
void CopyDims(int* out, const std::array<int, kSize>& dims, int rank,
              int requested) {
  if (out != nullptr) {
    std::copy_n(dims.begin(), std::min(rank, requested), out);
  }
}

}  // namespace

SIMGPU_API cudnnStatus_t
cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                           int rank, const int dims[], const int strides[]) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetTensorNdDescriptor">(), [&] {
    if (tensor == nullptr || dims == nullptr || strides == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    if (!IsRank(rank)) return CUDNN_STATUS_NOT_SUPPORTED;
    tensor->type = type;
    tensor->rank = rank;
    std::copy_n(dims, rank, tensor->dims.begin());
    std::copy_n(strides, rank, tensor->strides.begin());
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetTensorNdDescriptorEx(
    cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
    cudnnDataType_t type, int rank, const int dims[]) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetTensorNdDescriptorEx">(), [&] {
    if (tensor == nullptr || dims == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    if (!IsRank(rank)) return CUDNN_STATUS_NOT_SUPPORTED;
    tensor->type = type;
    tensor->rank = rank;
    std::copy_n(dims, rank, tensor->dims.begin());
    SetPackedStrides(*tensor, format);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetTensorNdDescriptor(
    const cudnnTensorDescriptor_t tensor, int requested, cudnnDataType_t* type,
    int* rank, int dims[], int strides[]) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetTensorNdDescriptor">(), [&] {
    if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    WriteTo(type, tensor->type);
    WriteTo(rank, tensor->rank);
    CopyDims(dims, tensor->dims, tensor->rank, requested);
    CopyDims(strides, tensor->strides, tensor->rank, requested);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetTensor4dDescriptor(
    cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
    cudnnDataType_t type, int n, int c, int h, int w) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetTensor4dDescriptor">(), [&] {
    if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *tensor = {.type = type, .rank = 4, .dims = {n, c, h, w}};
    SetPackedStrides(*tensor, format);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetTensor4dDescriptorEx(
    cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int n, int c, int h,
    int w, int n_stride, int c_stride, int h_stride, int w_stride) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetTensor4dDescriptorEx">(), [&] {
    if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *tensor = {.type = type,
               .rank = 4,
               .dims = {n, c, h, w},
               .strides = {n_stride, c_stride, h_stride, w_stride}};
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetTensor4dDescriptor(
    const cudnnTensorDescriptor_t tensor, cudnnDataType_t* type, int* n, int* c,
    int* h, int* w, int* n_stride, int* c_stride, int* h_stride,
    int* w_stride) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetTensor4dDescriptor">(), [&] {
    if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    WriteTo(type, tensor->type);
    int* const dims[] = {n, c, h, w};
    int* const strides[] = {n_stride, c_stride, h_stride, w_stride};
    for (int i = 0; i < 4; ++i) {
      WriteTo(dims[i], tensor->dims[i]);
      WriteTo(strides[i], tensor->strides[i]);
    }
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t
cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensor, size_t* bytes) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetTensorSizeInBytes">(), [&] {
    if (tensor == nullptr || bytes == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    int64_t last = 0;
    for (int i = 0; i < tensor->rank; ++i) {
      last += int64_t{tensor->dims[i] - 1} * tensor->strides[i];
    }
    *bytes = static_cast<size_t>(BytesOf(tensor->type, last + 1));
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetFilterNdDescriptor(
    cudnnFilterDescriptor_t filter, cudnnDataType_t type,
    cudnnTensorFormat_t format, int rank, const int dims[]) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetFilterNdDescriptor">(), [&] {
    if (filter == nullptr || dims == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    if (!IsRank(rank)) return CUDNN_STATUS_NOT_SUPPORTED;
    filter->type = type;
    filter->format = format;
    filter->rank = rank;
    std::copy_n(dims, rank, filter->dims.begin());
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetFilterNdDescriptor(
    const cudnnFilterDescriptor_t filter, int requested, cudnnDataType_t* type,
    cudnnTensorFormat_t* format, int* rank, int dims[]) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetFilterNdDescriptor">(), [&] {
    if (filter == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    WriteTo(type, filter->type);
    WriteTo(format, filter->format);
    WriteTo(rank, filter->rank);
    CopyDims(dims, filter->dims, filter->rank, requested);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetFilter4dDescriptor(
    cudnnFilterDescriptor_t filter, cudnnDataType_t type,
    cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetFilter4dDescriptor">(), [&] {
    if (filter == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *filter = {.type = type, .format = format, .rank = 4, .dims = {k, c, h, w}};
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetFilter4dDescriptor(
    const cudnnFilterDescriptor_t filter, cudnnDataType_t* type,
    cudnnTensorFormat_t* format, int* k, int* c, int* h, int* w) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetFilter4dDescriptor">(), [&] {
    if (filter == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    WriteTo(type, filter->type);
    WriteTo(format, filter->format);
    int* const dims[] = {k, c, h, w};
    for (int i = 0; i < 4; ++i) WriteTo(dims[i], filter->dims[i]);
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace dltap::simgpu
