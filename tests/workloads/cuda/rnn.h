// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_RNN_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_RNN_H_

#include <cudnn.h>

#include "tests/workloads/cuda/device_array.h"

namespace workloads {

// A stack of LSTM layers by cuDNN's RNN interface of version 8; floats,
// [seq, batch, hidden], input as wide as the hidden state.
class Rnn {
 public:
  struct Shape {
    int seq;
    int batch;
    int hidden;
    int layers;
  };

  Rnn(cudaStream_t stream, Shape shape);
  ~Rnn();
  Rnn(const Rnn&) = delete;
  Rnn& operator=(const Rnn&) = delete;

  const float* Forward(const float* x);
  const float* Backward(const float* x, const float* dy, cudaStream_t stream);
  void Update(float rate, cudaStream_t stream);

 private:
  void Describe();
  void Allocate();

  cudnnHandle_t cudnn_ = nullptr;
  Shape shape_;
  cudnnRNNDescriptor_t rnn_desc_ = nullptr;
  cudnnDropoutDescriptor_t dropout_desc_ = nullptr;
  cudnnRNNDataDescriptor_t data_desc_ = nullptr;  // of x and y
  cudnnTensorDescriptor_t state_desc_ = nullptr;  // of h and c
  DeviceArray<int> lengths_;
  DeviceArray<float> y_, dx_;
  DeviceArray<float> weights_, d_weights_;
  DeviceArray<char> workspace_, reserve_;
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_RNN_H_
