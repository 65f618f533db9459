// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/rnn.h"

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/kernels.h"

namespace workloads {

Rnn::Rnn(cudaStream_t stream, Shape shape)
    : shape_(shape),
      lengths_(std::vector<int>(shape.batch, shape.seq)),
      y_(size_t{1} * shape.seq * shape.batch * shape.hidden),
      dx_(y_.size()) {
  CHECK(cudnnCreate(&cudnn_));
  CHECK(cudnnSetStream(cudnn_, stream));
  Describe();
  Allocate();
}

Rnn::~Rnn() {
  cudnnDestroyTensorDescriptor(state_desc_);
  cudnnDestroyRNNDataDescriptor(data_desc_);
  cudnnDestroyRNNDescriptor(rnn_desc_);
  cudnnDestroyDropoutDescriptor(dropout_desc_);
  cudnnDestroy(cudnn_);
}

void Rnn::Describe() {
  const auto [seq, batch, hidden, layers] = shape_;
  CHECK(cudnnCreateDropoutDescriptor(&dropout_desc_));
  CHECK(cudnnSetDropoutDescriptor(dropout_desc_, cudnn_, 0, nullptr, 0, 0));
  CHECK(cudnnCreateRNNDescriptor(&rnn_desc_));
  CHECK(cudnnSetRNNDescriptor_v8(
      rnn_desc_, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
      CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
      CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, hidden, hidden, hidden, layers,
      dropout_desc_, CUDNN_RNN_PADDED_IO_DISABLED));
  const std::vector<int> lengths(batch, seq);
  float padding = 0;
  CHECK(cudnnCreateRNNDataDescriptor(&data_desc_));
  CHECK(cudnnSetRNNDataDescriptor(data_desc_, CUDNN_DATA_FLOAT,
                                  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, seq,
                                  batch, hidden, lengths.data(), &padding));
  const int dims[] = {layers, batch, hidden};
  const int strides[] = {batch * hidden, hidden, 1};
  CHECK(cudnnCreateTensorDescriptor(&state_desc_));
  CHECK(cudnnSetTensorNdDescriptor(state_desc_, CUDNN_DATA_FLOAT, 3, dims,
                                   strides));
}

void Rnn::Allocate() {
  size_t weight_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
  CHECK(cudnnGetRNNWeightSpaceSize(cudnn_, rnn_desc_, &weight_bytes));
  CHECK(cudnnGetRNNTempSpaceSizes(cudnn_, rnn_desc_, CUDNN_FWD_MODE_TRAINING,
                                  data_desc_, &workspace_bytes,
                                  &reserve_bytes));
  weights_ = DeviceArray<float>(
      SmallNumbers<float>(weight_bytes / sizeof(float), 0.05f));
  d_weights_ = DeviceArray<float>(weights_.size());
  workspace_ = DeviceArray<char>(workspace_bytes);
  reserve_ = DeviceArray<char>(reserve_bytes);
}

// The initial states are zero, the final ones are not asked for.
const float* Rnn::Forward(const float* x) {
  CHECK(cudnnRNNForward(
      cudnn_, rnn_desc_, CUDNN_FWD_MODE_TRAINING, lengths_.data(), data_desc_,
      x, data_desc_, y_.data(), state_desc_, nullptr, nullptr, state_desc_,
      nullptr, nullptr, weights_.size() * sizeof(float), weights_.data(),
      workspace_.size(), workspace_.data(), reserve_.size(), reserve_.data()));
  return y_.data();
}

const float* Rnn::Backward(const float* x, const float* dy,
                           cudaStream_t stream) {
  const size_t weight_bytes = weights_.size() * sizeof(float);
  CHECK(cudnnRNNBackwardData_v8(
      cudnn_, rnn_desc_, lengths_.data(), data_desc_, y_.data(), dy, data_desc_,
      dx_.data(), state_desc_, nullptr, nullptr, nullptr, state_desc_, nullptr,
      nullptr, nullptr, weight_bytes, weights_.data(), workspace_.size(),
      workspace_.data(), reserve_.size(), reserve_.data()));
  // The weights' gradient can only be added to what is there.
  CHECK(cudaMemsetAsync(d_weights_.data(), 0, weight_bytes, stream));
  CHECK(cudnnRNNBackwardWeights_v8(
      cudnn_, rnn_desc_, CUDNN_WGRAD_MODE_ADD, lengths_.data(), data_desc_, x,
      state_desc_, nullptr, data_desc_, y_.data(), weight_bytes,
      d_weights_.data(), workspace_.size(), workspace_.data(), reserve_.size(),
      reserve_.data()));
  return dx_.data();
}

void Rnn::Update(float rate, cudaStream_t stream) {
  SgdUpdate(weights_.data(), d_weights_.data(),
            static_cast<int>(weights_.size()), rate, stream);
}

}  // namespace workloads
