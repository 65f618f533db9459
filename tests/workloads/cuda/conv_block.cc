// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/conv_block.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/kernels.h"

namespace workloads {
namespace {

constexpr int kFilter = 3;
constexpr double kEpsilon = 1e-5;
const float kOne = 1;
const float kZero = 0;

cudnnTensorDescriptor_t Tensor(int n, int c, int h, int w) {
  cudnnTensorDescriptor_t desc;
  CHECK(cudnnCreateTensorDescriptor(&desc));
  CHECK(cudnnSetTensor4dDescriptor(desc, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n,
                                   c, h, w));
  return desc;
}

std::vector<float> Ones(size_t size) { return std::vector<float>(size, 1.0f); }

// The heuristics give their answers best first.
template <typename Perf>
void MustHave(int count, const Perf& perf) {
  if (count > 0 && perf.status == CUDNN_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cnn: cuDNN knows no algorithm for a convolution\n");
  std::exit(1);
}

}  // namespace

ConvBlock::ConvBlock(cudnnHandle_t cudnn, Shape shape)
    : cudnn_(cudnn),
      shape_(shape),
      filter_(SmallNumbers<float>(
          size_t{kFilter * kFilter} * shape.channels_in * shape.channels_out,
          0.1f)),
      d_filter_(filter_.size()),
      scale_(Ones(shape.channels_out)),
      bias_(shape.channels_out),
      d_scale_(shape.channels_out),
      d_bias_(shape.channels_out),
      running_mean_(shape.channels_out),
      running_variance_(shape.channels_out),
      mean_(shape.channels_out),
      deviation_(shape.channels_out),
      conv_(active_size()),
      normed_(active_size()),
      active_(active_size()),
      pooled_(active_size() / 4),
      d_active_(active_size()),
      d_conv_(active_size()),
      d_x_(size_t{1} * shape.batch * shape.channels_in * shape.side *
           shape.side) {
  Describe();
  ChooseAlgorithms();
}

ConvBlock::~ConvBlock() {
  cudaFree(workspace_);
  cudnnDestroyPoolingDescriptor(pool_desc_);
  cudnnDestroyConvolutionDescriptor(conv_desc_);
  cudnnDestroyFilterDescriptor(filter_desc_);
  for (auto desc : {x_desc_, y_desc_, pooled_desc_, norm_desc_}) {
    cudnnDestroyTensorDescriptor(desc);
  }
}

void ConvBlock::Describe() {
  const auto [n, c, k, side] = shape_;
  x_desc_ = Tensor(n, c, side, side);
  y_desc_ = Tensor(n, k, side, side);
  pooled_desc_ = Tensor(n, k, side / 2, side / 2);
  norm_desc_ = Tensor(1, k, 1, 1);
  CHECK(cudnnCreateFilterDescriptor(&filter_desc_));
  CHECK(cudnnSetFilter4dDescriptor(filter_desc_, CUDNN_DATA_FLOAT,
                                   CUDNN_TENSOR_NCHW, k, c, kFilter, kFilter));
  CHECK(cudnnCreateConvolutionDescriptor(&conv_desc_));
  CHECK(cudnnSetConvolution2dDescriptor(
      conv_desc_, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  CHECK(cudnnCreatePoolingDescriptor(&pool_desc_));
  CHECK(cudnnSetPooling2dDescriptor(pool_desc_, CUDNN_POOLING_MAX,
                                    CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
}

void ConvBlock::ChooseAlgorithms() {
  int count = 0;
  cudnnConvolutionFwdAlgoPerf_t forward = {};
  CHECK(cudnnGetConvolutionForwardAlgorithm_v7(
      cudnn_, x_desc_, filter_desc_, conv_desc_, y_desc_, 1, &count, &forward));
  MustHave(count, forward);
  cudnnConvolutionBwdDataAlgoPerf_t data = {};
  CHECK(cudnnGetConvolutionBackwardDataAlgorithm_v7(
      cudnn_, filter_desc_, y_desc_, conv_desc_, x_desc_, 1, &count, &data));
  MustHave(count, data);
  cudnnConvolutionBwdFilterAlgoPerf_t filter = {};
  CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      cudnn_, x_desc_, y_desc_, conv_desc_, filter_desc_, 1, &count, &filter));
  MustHave(count, filter);
  forward_algo_ = forward.algo;
  data_algo_ = data.algo;
  filter_algo_ = filter.algo;
  workspace_bytes_ = std::max({forward.memory, data.memory, filter.memory});
  if (workspace_bytes_ > 0) CHECK(cudaMalloc(&workspace_, workspace_bytes_));
}

const float* ConvBlock::Forward(const float* x, cudaStream_t stream) {
  CHECK(cudnnConvolutionForward(cudnn_, &kOne, x_desc_, x, filter_desc_,
                                filter_.data(), conv_desc_, forward_algo_,
                                workspace_, workspace_bytes_, &kZero, y_desc_,
                                conv_.data()));
  CHECK(cudnnBatchNormalizationForwardTraining(
      cudnn_, CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, y_desc_, conv_.data(),
      y_desc_, normed_.data(), norm_desc_, scale_.data(), bias_.data(), 0.1,
      running_mean_.data(), running_variance_.data(), kEpsilon, mean_.data(),
      deviation_.data()));
  ReluForward(normed_.data(), active_.data(), active_size(), stream);
  CHECK(cudnnPoolingForward(cudnn_, pool_desc_, &kOne, y_desc_, active_.data(),
                            &kZero, pooled_desc_, pooled_.data()));
  return pooled_.data();
}

const float* ConvBlock::Backward(const float* x, const float* dy, bool needs_dx,
                                 cudaStream_t stream) {
  CHECK(cudnnPoolingBackward(
      cudnn_, pool_desc_, &kOne, pooled_desc_, pooled_.data(), pooled_desc_, dy,
      y_desc_, active_.data(), &kZero, y_desc_, d_active_.data()));
  ReluBackward(active_.data(), d_active_.data(), active_size(), stream);
  CHECK(cudnnBatchNormalizationBackward(
      cudnn_, CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, &kOne, &kZero, y_desc_,
      conv_.data(), y_desc_, d_active_.data(), y_desc_, d_conv_.data(),
      norm_desc_, scale_.data(), d_scale_.data(), d_bias_.data(), kEpsilon,
      mean_.data(), deviation_.data()));
  CHECK(cudnnConvolutionBackwardFilter(cudnn_, &kOne, x_desc_, x, y_desc_,
                                       d_conv_.data(), conv_desc_, filter_algo_,
                                       workspace_, workspace_bytes_, &kZero,
                                       filter_desc_, d_filter_.data()));
  if (!needs_dx) return nullptr;
  CHECK(cudnnConvolutionBackwardData(
      cudnn_, &kOne, filter_desc_, filter_.data(), y_desc_, d_conv_.data(),
      conv_desc_, data_algo_, workspace_, workspace_bytes_, &kZero, x_desc_,
      d_x_.data()));
  return d_x_.data();
}

void ConvBlock::Update(float rate, cudaStream_t stream) {
  const int channels = shape_.channels_out;
  SgdUpdate(filter_.data(), d_filter_.data(), static_cast<int>(filter_.size()),
            rate, stream);
  SgdUpdate(scale_.data(), d_scale_.data(), channels, rate, stream);
  SgdUpdate(bias_.data(), d_bias_.data(), channels, rate, stream);
}

}  // namespace workloads
