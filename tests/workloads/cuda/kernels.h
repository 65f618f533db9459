// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_KERNELS_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_KERNELS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace workloads {

// The programs' own kernels; each function starts one. T is float or
// __nv_bfloat16; sums are kept in float. Rows are contiguous.

template <typename T>
void ReluForward(const T* x, T* y, int size, cudaStream_t stream);
template <typename T>
void ReluBackward(const T* y, T* dy, int size, cudaStream_t stream);
template <typename T>
void GeluForward(const T* x, T* y, int size, cudaStream_t stream);
template <typename T>
void GeluBackward(const T* x, T* dy, int size, cudaStream_t stream);
// x += y
template <typename T>
void AddTo(T* x, const T* y, int size, cudaStream_t stream);

struct Rows {
  int count;
  int length;
};

// probabilities = softmax(scale * x), in place for x == y.
template <typename T>
void SoftmaxForward(const T* x, T* y, Rows rows, float scale,
                    cudaStream_t stream);
template <typename T>
void SoftmaxBackward(const T* y, T* dy, Rows rows, float scale,
                     cudaStream_t stream);
// Mean loss over the rows, and the gradient in place of the logits.
template <typename T>
void CrossEntropy(T* logits, const int* labels, float* loss, Rows rows,
                  cudaStream_t stream);

template <typename T>
void LayerNormForward(const T* x, const T* gain, T* y, float* mean_and_scale,
                      Rows rows, cudaStream_t stream);
// Adds to dx and to d_gain.
template <typename T>
void LayerNormBackward(const T* x, const T* gain, const float* mean_and_scale,
                       const T* dy, T* dx, float* d_gain, Rows rows,
                       cudaStream_t stream);

template <typename T>
void EmbeddingForward(const T* table, const int* tokens, T* x, Rows rows,
                      cudaStream_t stream);
// Adds to d_table.
template <typename T>
void EmbeddingBackward(const T* dx, const int* tokens, float* d_table,
                       Rows rows, cudaStream_t stream);

struct Heads {
  int batch;
  int seq;
  int heads;
  int head_size;
};
// [batch, seq, parts, heads, head_size] <-> [part, batch, heads, seq,
// head_size]
template <typename T>
void SplitHeads(const T* x, T* y, Heads shape, int parts, cudaStream_t stream);
template <typename T>
void MergeHeads(const T* x, T* y, Heads shape, int parts, cudaStream_t stream);

// G: type of the gradient.
template <typename T, typename G>
void SgdUpdate(T* weights, const G* gradient, int size, float rate,
               cudaStream_t stream);
template <typename T, typename G>
void AdamUpdate(T* weights, const G* gradient, float* moments, int size,
                float rate, cudaStream_t stream);

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_KERNELS_H_
