// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_TRANSFORMER_LAYER_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_TRANSFORMER_LAYER_H_

#include <memory>

#include "tests/workloads/cuda/attention.h"
#include "tests/workloads/cuda/device_array.h"

namespace workloads {

// y = x W without bias, updated by Adam.
class Linear {
 public:
  Linear(LtContext& context, int rows, int inputs, int outputs);
  const __nv_bfloat16* Forward(const __nv_bfloat16* x);
  const __nv_bfloat16* Backward(const __nv_bfloat16* x,
                                const __nv_bfloat16* dy);
  void Update(float rate, cudaStream_t stream);
  __nv_bfloat16* output() { return y_.data(); }

 private:
  LtGemm forward_, to_x_, to_weights_;
  DeviceArray<__nv_bfloat16> weights_, d_weights_, y_, dx_;
  DeviceArray<float> moments_;
};

class LayerNorm {
 public:
  explicit LayerNorm(Rows rows);
  const __nv_bfloat16* Forward(const __nv_bfloat16* x, cudaStream_t stream);
  // Adds to dx.
  void Backward(const __nv_bfloat16* x, const __nv_bfloat16* dy,
                __nv_bfloat16* dx, cudaStream_t stream);
  void Update(float rate, cudaStream_t stream);

 private:
  Rows rows_;
  DeviceArray<__nv_bfloat16> gain_, y_;
  DeviceArray<float> d_gain_, mean_and_scale_, moments_;
};

// Pre-norm: x + attention(norm(x)), then x + mlp(norm(x)).
class TransformerLayer {
 public:
  TransformerLayer(LtContext& context, Heads heads, bool cudnn_attention);
  const __nv_bfloat16* Forward(const __nv_bfloat16* x);
  // Turns the gradient of the output into that of the input.
  void Backward(__nv_bfloat16* dy);
  void Update(float rate);

 private:
  cudaStream_t stream_;
  Heads heads_;
  int rows_, width_;
  std::unique_ptr<Attention> attention_;
  LayerNorm norm1_, norm2_;
  Linear qkv_, project_, up_, down_;
  DeviceArray<__nv_bfloat16> split_, merged_, gelu_;
  DeviceArray<__nv_bfloat16> d_split_, d_merged_;
  // Of the last Forward().
  const __nv_bfloat16* x_ = nullptr;
  const __nv_bfloat16* normed1_ = nullptr;
  const __nv_bfloat16* normed2_ = nullptr;
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_TRANSFORMER_LAYER_H_
