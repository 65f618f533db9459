// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simgpu/cudnn/objects.h"

// Convolution, pooling, activation and dropout descriptors.

namespace dltap::simgpu {
namespace {

template <typename T>
void WriteTo(T* out, const T& value) {
  if (out != nullptr) *out = value;
}

template <typename Descriptor, typename Body>
cudnnStatus_t With(ApiFunction& function, Descriptor descriptor, Body&& body) {
  return CudnnEntry(function, [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    body(*descriptor);
    return CUDNN_STATUS_SUCCESS;
  });
}

using Dims = std::array<int, kMaxCudnnDims>;

void Load(Dims& place, const int* values, int rank) {
  std::copy_n(values, std::min(rank, kMaxCudnnDims), place.begin());
}

void Store(int* out, const Dims& values, int rank) {
  if (out != nullptr) std::copy_n(values.begin(), rank, out);
}

}  // namespace

SIMGPU_API cudnnStatus_t cudnnSetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t desc, int rank, const int padding[],
    const int stride[], const int dilation[], cudnnConvolutionMode_t mode,
    cudnnDataType_t compute_type) {
  return With(FunctionOf<"cudnn", "cudnnSetConvolutionNdDescriptor">(), desc,
              [&](cudnnConvolutionStruct& conv) {
                conv.spatial_rank = std::clamp(rank, 0, kMaxCudnnDims);
                Load(conv.padding, padding, rank);
                Load(conv.stride, stride, rank);
                Load(conv.dilation, dilation, rank);
                conv.mode = mode;
                conv.compute_type = compute_type;
              });
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionNdDescriptor(
    const cudnnConvolutionDescriptor_t desc, int requested, int* rank,
    int padding[], int stride[], int dilation[], cudnnConvolutionMode_t* mode,
    cudnnDataType_t* compute_type) {
  return With(FunctionOf<"cudnn", "cudnnGetConvolutionNdDescriptor">(), desc,
              [&](cudnnConvolutionStruct& conv) {
                const int n = std::clamp(requested, 0, conv.spatial_rank);
                WriteTo(rank, conv.spatial_rank);
                Store(padding, conv.padding, n);
                Store(stride, conv.stride, n);
                Store(dilation, conv.dilation, n);
                WriteTo(mode, conv.mode);
                WriteTo(compute_type, conv.compute_type);
              });
}

SIMGPU_API cudnnStatus_t cudnnSetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t desc, int pad_h, int pad_w, int stride_h,
    int stride_w, int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
    cudnnDataType_t compute_type) {
  return With(FunctionOf<"cudnn", "cudnnSetConvolution2dDescriptor">(), desc,
              [&](cudnnConvolutionStruct& conv) {
                conv.spatial_rank = 2;
                conv.padding = {pad_h, pad_w};
                conv.stride = {stride_h, stride_w};
                conv.dilation = {dilation_h, dilation_w};
                conv.mode = mode;
                conv.compute_type = compute_type;
              });
}

SIMGPU_API cudnnStatus_t cudnnGetConvolution2dDescriptor(
    const cudnnConvolutionDescriptor_t desc, int* pad_h, int* pad_w,
    int* stride_h, int* stride_w, int* dilation_h, int* dilation_w,
    cudnnConvolutionMode_t* mode, cudnnDataType_t* compute_type) {
  return With(FunctionOf<"cudnn", "cudnnGetConvolution2dDescriptor">(), desc,
              [&](cudnnConvolutionStruct& conv) {
                WriteTo(pad_h, conv.padding[0]);
                WriteTo(pad_w, conv.padding[1]);
                WriteTo(stride_h, conv.stride[0]);
                WriteTo(stride_w, conv.stride[1]);
                WriteTo(dilation_h, conv.dilation[0]);
                WriteTo(dilation_w, conv.dilation[1]);
                WriteTo(mode, conv.mode);
                WriteTo(compute_type, conv.compute_type);
              });
}

SIMGPU_API cudnnStatus_t cudnnSetConvolutionMathType(
    cudnnConvolutionDescriptor_t desc, cudnnMathType_t type) {
  return With(FunctionOf<"cudnn", "cudnnSetConvolutionMathType">(), desc,
              [&](cudnnConvolutionStruct& conv) { conv.math_type = type; });
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionMathType(
    cudnnConvolutionDescriptor_t desc, cudnnMathType_t* type) {
  return With(
      FunctionOf<"cudnn", "cudnnGetConvolutionMathType">(), desc,
      [&](cudnnConvolutionStruct& conv) { WriteTo(type, conv.math_type); });
}

SIMGPU_API cudnnStatus_t
cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc, int groups) {
  return With(FunctionOf<"cudnn", "cudnnSetConvolutionGroupCount">(), desc,
              [&](cudnnConvolutionStruct& conv) { conv.groups = groups; });
}

SIMGPU_API cudnnStatus_t
cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc, int* groups) {
  return With(
      FunctionOf<"cudnn", "cudnnGetConvolutionGroupCount">(), desc,
      [&](cudnnConvolutionStruct& conv) { WriteTo(groups, conv.groups); });
}

SIMGPU_API cudnnStatus_t cudnnSetPoolingNdDescriptor(
    cudnnPoolingDescriptor_t desc, const cudnnPoolingMode_t mode,
    const cudnnNanPropagation_t nan, int rank, const int window[],
    const int padding[], const int stride[]) {
  return With(FunctionOf<"cudnn", "cudnnSetPoolingNdDescriptor">(), desc,
              [&](cudnnPoolingStruct& pool) {
                pool.mode = mode;
                pool.nan = nan;
                pool.spatial_rank = std::clamp(rank, 0, kMaxCudnnDims);
                Load(pool.window, window, rank);
                Load(pool.padding, padding, rank);
                Load(pool.stride, stride, rank);
              });
}

SIMGPU_API cudnnStatus_t cudnnGetPoolingNdDescriptor(
    const cudnnPoolingDescriptor_t desc, int requested,
    cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* rank,
    int window[], int padding[], int stride[]) {
  return With(FunctionOf<"cudnn", "cudnnGetPoolingNdDescriptor">(), desc,
              [&](cudnnPoolingStruct& pool) {
                const int n = std::clamp(requested, 0, pool.spatial_rank);
                WriteTo(mode, pool.mode);
                WriteTo(nan, pool.nan);
                WriteTo(rank, pool.spatial_rank);
                Store(window, pool.window, n);
                Store(padding, pool.padding, n);
                Store(stride, pool.stride, n);
              });
}

SIMGPU_API cudnnStatus_t cudnnSetPooling2dDescriptor(
    cudnnPoolingDescriptor_t desc, cudnnPoolingMode_t mode,
    cudnnNanPropagation_t nan, int window_h, int window_w, int pad_h, int pad_w,
    int stride_h, int stride_w) {
  return With(FunctionOf<"cudnn", "cudnnSetPooling2dDescriptor">(), desc,
              [&](cudnnPoolingStruct& pool) {
                pool = {.mode = mode,
                        .nan = nan,
                        .spatial_rank = 2,
                        .window = {window_h, window_w},
                        .padding = {pad_h, pad_w},
                        .stride = {stride_h, stride_w}};
              });
}

SIMGPU_API cudnnStatus_t cudnnSetActivationDescriptor(
    cudnnActivationDescriptor_t desc, cudnnActivationMode_t mode,
    cudnnNanPropagation_t nan, double coefficient) {
  return With(FunctionOf<"cudnn", "cudnnSetActivationDescriptor">(), desc,
              [&](cudnnActivationStruct& activation) {
                activation.mode = mode;
                activation.nan = nan;
                activation.coefficient = coefficient;
              });
}

SIMGPU_API cudnnStatus_t cudnnGetActivationDescriptor(
    const cudnnActivationDescriptor_t desc, cudnnActivationMode_t* mode,
    cudnnNanPropagation_t* nan, double* coefficient) {
  return With(FunctionOf<"cudnn", "cudnnGetActivationDescriptor">(), desc,
              [&](cudnnActivationStruct& activation) {
                WriteTo(mode, activation.mode);
                WriteTo(nan, activation.nan);
                WriteTo(coefficient, activation.coefficient);
              });
}

SIMGPU_API cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t,
                                                   size_t* bytes) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnDropoutGetStatesSize">(), [&] {
    WriteTo(bytes, size_t{1} << 20);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t
cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t desc, size_t* bytes) {
  return With(FunctionOf<"cudnn", "cudnnDropoutGetReserveSpaceSize">(), desc,
              [&](cudnnTensorStruct& tensor) {
                WriteTo(bytes, static_cast<size_t>(ElementsOf(tensor) / 8 + 1));
              });
}

SIMGPU_API cudnnStatus_t cudnnSetDropoutDescriptor(
    cudnnDropoutDescriptor_t desc, cudnnHandle_t, float probability,
    void* states, size_t, unsigned long long seed) {
  return With(FunctionOf<"cudnn", "cudnnSetDropoutDescriptor">(), desc,
              [&](cudnnDropoutStruct& dropout) {
                dropout = {probability, states, seed};
              });
}

SIMGPU_API cudnnStatus_t cudnnRestoreDropoutDescriptor(
    cudnnDropoutDescriptor_t desc, cudnnHandle_t, float probability,
    void* states, size_t, unsigned long long seed) {
  return With(FunctionOf<"cudnn", "cudnnRestoreDropoutDescriptor">(), desc,
              [&](cudnnDropoutStruct& dropout) {
                dropout = {probability, states, seed};
              });
}

SIMGPU_API cudnnStatus_t cudnnGetDropoutDescriptor(
    cudnnDropoutDescriptor_t desc, cudnnHandle_t, float* probability,
    void** states, unsigned long long* seed) {
  return With(FunctionOf<"cudnn", "cudnnGetDropoutDescriptor">(), desc,
              [&](cudnnDropoutStruct& dropout) {
                WriteTo(probability, dropout.probability);
                WriteTo(states, dropout.states);
                WriteTo(seed, dropout.seed);
              });
}

}  // namespace dltap::simgpu
