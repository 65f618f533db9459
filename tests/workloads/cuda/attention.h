// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_ATTENTION_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_ATTENTION_H_

#include <cuda_bf16.h>

#include <memory>

#include "tests/workloads/cuda/kernels.h"
#include "tests/workloads/cuda/lt_gemm.h"

namespace workloads {

// softmax(Q K^T / sqrt(head_size)) V. Q, K, V lie one behind the other, each
// [batch, heads, seq, head_size]; so do their gradients.
class Attention {
 public:
  virtual ~Attention() = default;
  virtual const __nv_bfloat16* Forward(const __nv_bfloat16* qkv) = 0;
  virtual const __nv_bfloat16* Backward(const __nv_bfloat16* qkv,
                                        const __nv_bfloat16* d_out) = 0;
};

// Two products and a softmax; backward four products.
std::unique_ptr<Attention> MakeGemmAttention(LtContext& context, Heads heads);

// One cuDNN operation each way: the unified attention nodes of the graph
// interface (cuDNN 9.13 or newer).
std::unique_ptr<Attention> MakeCudnnAttention(cudaStream_t stream, Heads heads);

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_ATTENTION_H_
