// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_CONV_BLOCK_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_CONV_BLOCK_H_

#include <cudnn.h>

#include "tests/workloads/cuda/device_array.h"

namespace workloads {

// 3 x 3 convolution, batch norm, ReLU, 2 x 2 max pooling, by cuDNN's legacy
// interface; NCHW floats.
class ConvBlock {
 public:
  struct Shape {
    int batch;
    int channels_in;
    int channels_out;
    int side;
  };

  ConvBlock(cudnnHandle_t cudnn, Shape shape);
  ~ConvBlock();
  ConvBlock(const ConvBlock&) = delete;
  ConvBlock& operator=(const ConvBlock&) = delete;

  const float* Forward(const float* x, cudaStream_t stream);
  // The gradient of x, or nullptr when it is not needed.
  const float* Backward(const float* x, const float* dy, bool needs_dx,
                        cudaStream_t stream);
  void Update(float rate, cudaStream_t stream);
  const float* output() const { return pooled_.data(); }

 private:
  void Describe();
  void ChooseAlgorithms();
  int active_size() const {
    return shape_.batch * shape_.channels_out * shape_.side * shape_.side;
  }

  cudnnHandle_t cudnn_;
  Shape shape_;
  cudnnTensorDescriptor_t x_desc_ = nullptr;
  cudnnTensorDescriptor_t y_desc_ = nullptr;
  cudnnTensorDescriptor_t pooled_desc_ = nullptr;
  cudnnTensorDescriptor_t norm_desc_ = nullptr;
  cudnnFilterDescriptor_t filter_desc_ = nullptr;
  cudnnConvolutionDescriptor_t conv_desc_ = nullptr;
  cudnnPoolingDescriptor_t pool_desc_ = nullptr;
  cudnnConvolutionFwdAlgo_t forward_algo_{};
  cudnnConvolutionBwdDataAlgo_t data_algo_{};
  cudnnConvolutionBwdFilterAlgo_t filter_algo_{};
  size_t workspace_bytes_ = 0;

  DeviceArray<float> filter_, d_filter_;
  DeviceArray<float> scale_, bias_, d_scale_, d_bias_;
  DeviceArray<float> running_mean_, running_variance_, mean_, deviation_;
  DeviceArray<float> conv_, normed_, active_, pooled_;  // outputs
  DeviceArray<float> d_active_, d_conv_, d_x_;
  void* workspace_ = nullptr;
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_CONV_BLOCK_H_
