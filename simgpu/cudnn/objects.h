// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_OBJECTS_H_
#define DLTAP_SIMGPU_CUDNN_OBJECTS_H_

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cudnn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "opmodel/operation.h"
#include "simgpu/base/error.h"
#include "simgpu/base/library_entry.h"

// What the opaque pointers of cudnn.h point to.

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

constexpr int kMaxCudnnDims = CUDNN_DIM_MAX;

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int rank = 0;
  std::array<int, kMaxCudnnDims> dims{};
  std::array<int, kMaxCudnnDims> strides{};
};

struct cudnnFilterStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  int rank = 0;
  std::array<int, kMaxCudnnDims> dims{};
};

struct cudnnConvolutionStruct {
  int spatial_rank = 0;
  std::array<int, kMaxCudnnDims> padding{};
  std::array<int, kMaxCudnnDims> stride{};
  std::array<int, kMaxCudnnDims> dilation{};
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math_type = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  int groups = 1;
};

struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  int spatial_rank = 0;
  std::array<int, kMaxCudnnDims> window{};
  std::array<int, kMaxCudnnDims> padding{};
  std::array<int, kMaxCudnnDims> stride{};
};

struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0;
  double swish_beta = 1;
};

struct cudnnDropoutStruct {
  float probability = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};

struct cudnnRNNStruct {
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_LSTM;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input_mode = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnDataType_t math_precision = CUDNN_DATA_FLOAT;
  cudnnMathType_t math_type = CUDNN_DEFAULT_MATH;
  int32_t input = 0;
  int32_t hidden = 0;
  int32_t projection = 0;
  int32_t layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  uint32_t flags = 0;
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int max_sequence = 0;
  int batch = 0;
  int vector = 0;
  std::vector<int> lengths;  // of the sequences; empty: all are the longest
  std::array<uint8_t, 16> padding{};  // one element
};

namespace dltap::simgpu {

// The number by which the simulated release knows a status of cuDNN 9.
cudnnStatus_t StatusOfRelease(cudnnStatus_t status);

template <typename Body>
cudnnStatus_t CudnnEntry(ApiFunction& function, Body&& body) {
  return StatusOfRelease(RunEntry<CUDNN_STATUS_NOT_INITIALIZED>(
      function, std::forward<Body>(body)));
}

cudnnStatus_t CudnnStatus(Error error);

opmodel::DType DTypeOf(cudnnDataType_t type);
int64_t BytesOf(cudnnDataType_t type, int64_t elements);

// The arithmetic of a legacy call: tensor cores unless the math type forbids.
opmodel::DType MathOf(opmodel::DType storage, cudnnMathType_t type);

int64_t ElementsOf(const cudnnTensorStruct& tensor);

// Row-major strides of `dims`, as the Ex setters define them.
void SetPackedStrides(cudnnTensorStruct& tensor, cudnnTensorFormat_t format);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_OBJECTS_H_
