// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/kernels.h"

namespace workloads {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kThreads = 256;

__device__ float Load(float x) { return x; }
__device__ float Load(Bf16 x) { return __bfloat162float(x); }
__device__ void Store(float* to, float x) { *to = x; }
__device__ void Store(Bf16* to, float x) { *to = __float2bfloat16(x); }
__device__ int Index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Sum over the block, known to all its threads.
__device__ float BlockSum(float value) {
  __shared__ float parts[kThreads];
  parts[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  __syncthreads();
  const float sum = parts[0];
  __syncthreads();
  return sum;
}

__device__ float BlockMax(float value) {
  __shared__ float parts[kThreads];
  parts[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
  }
  __syncthreads();
  const float max = parts[0];
  __syncthreads();
  return max;
}

template <typename T>
__global__ void relu_forward(const T* x, T* y, int size) {
  const int i = Index();
  if (i < size) Store(y + i, fmaxf(Load(x[i]), 0.0f));
}

template <typename T>
__global__ void relu_backward(const T* y, T* dy, int size) {
  const int i = Index();
  if (i < size && Load(y[i]) <= 0.0f) Store(dy + i, 0.0f);
}

// After the tanh approximation of Hendrycks and Gimpel 2016.
__device__ float GeluInner(float x) {
  return tanhf(0.79788456f * (x + 0.044715f * x * x * x));
}

template <typename T>
__global__ void gelu_forward(const T* x, T* y, int size) {
  const int i = Index();
  if (i >= size) return;
  const float v = Load(x[i]);
  Store(y + i, 0.5f * v * (1.0f + GeluInner(v)));
}

template <typename T>
__global__ void gelu_backward(const T* x, T* dy, int size) {
  const int i = Index();
  if (i >= size) return;
  const float v = Load(x[i]);
  const float t = GeluInner(v);
  const float slope = 0.79788456f * (1.0f + 3.0f * 0.044715f * v * v);
  const float d = 0.5f * (1.0f + t) + 0.5f * v * (1.0f - t * t) * slope;
  Store(dy + i, Load(dy[i]) * d);
}

template <typename T>
__global__ void add_elementwise(T* x, const T* y, int size) {
  const int i = Index();
  if (i < size) Store(x + i, Load(x[i]) + Load(y[i]));
}

template <typename T>
__global__ void softmax_forward(const T* x, T* y, int length, float scale) {
  const size_t row = static_cast<size_t>(blockIdx.x) * length;
  float max = -1e30f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    max = fmaxf(max, scale * Load(x[row + i]));
  }
  max = BlockMax(max);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    sum += expf(scale * Load(x[row + i]) - max);
  }
  sum = BlockSum(sum);
  for (int i = threadIdx.x; i < length; i += kThreads) {
    Store(y + row + i, expf(scale * Load(x[row + i]) - max) / sum);
  }
}

template <typename T>
__global__ void softmax_backward(const T* y, T* dy, int length, float scale) {
  const size_t row = static_cast<size_t>(blockIdx.x) * length;
  float dot = 0.0f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    dot += Load(y[row + i]) * Load(dy[row + i]);
  }
  dot = BlockSum(dot);
  for (int i = threadIdx.x; i < length; i += kThreads) {
    const float d = Load(dy[row + i]);
    Store(dy + row + i, scale * Load(y[row + i]) * (d - dot));
  }
}

template <typename T>
__global__ void cross_entropy(T* logits, const int* labels, float* loss,
                              int length) {
  const size_t row = static_cast<size_t>(blockIdx.x) * length;
  float max = -1e30f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    max = fmaxf(max, Load(logits[row + i]));
  }
  max = BlockMax(max);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    sum += expf(Load(logits[row + i]) - max);
  }
  sum = BlockSum(sum);
  const int label = labels[blockIdx.x];
  const float share = 1.0f / gridDim.x;
  if (threadIdx.x == 0) {
    atomicAdd(loss, share * (logf(sum) + max - Load(logits[row + label])));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += kThreads) {
    const float p = expf(Load(logits[row + i]) - max) / sum;
    Store(logits + row + i, share * (p - (i == label ? 1.0f : 0.0f)));
  }
}

template <typename T>
__global__ void layer_norm_forward(const T* x, const T* gain, T* y,
                                   float* mean_and_scale, int length) {
  const size_t row = static_cast<size_t>(blockIdx.x) * length;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    const float v = Load(x[row + i]);
    sum += v;
    squares += v * v;
  }
  const float mean = BlockSum(sum) / length;
  const float variance = BlockSum(squares) / length - mean * mean;
  const float scale = rsqrtf(fmaxf(variance, 0.0f) + 1e-5f);
  for (int i = threadIdx.x; i < length; i += kThreads) {
    Store(y + row + i, (Load(x[row + i]) - mean) * scale * Load(gain[i]));
  }
  if (threadIdx.x == 0) {
    mean_and_scale[2 * blockIdx.x] = mean;
    mean_and_scale[2 * blockIdx.x + 1] = scale;
  }
}

template <typename T>
__global__ void layer_norm_backward(const T* x, const T* gain,
                                    const float* mean_and_scale, const T* dy,
                                    T* dx, float* d_gain, int length) {
  const size_t row = static_cast<size_t>(blockIdx.x) * length;
  const float mean = mean_and_scale[2 * blockIdx.x];
  const float scale = mean_and_scale[2 * blockIdx.x + 1];
  float sum = 0.0f, dot = 0.0f;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    const float normed = (Load(x[row + i]) - mean) * scale;
    const float d = Load(dy[row + i]) * Load(gain[i]);
    sum += d;
    dot += d * normed;
    atomicAdd(d_gain + i, Load(dy[row + i]) * normed);
  }
  sum = BlockSum(sum) / length;
  dot = BlockSum(dot) / length;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    const float normed = (Load(x[row + i]) - mean) * scale;
    const float d = Load(dy[row + i]) * Load(gain[i]);
    Store(dx + row + i, Load(dx[row + i]) + scale * (d - sum - normed * dot));
  }
}

template <typename T>
__global__ void embedding_forward(const T* table, const int* tokens, T* x,
                                  int length) {
  const size_t from = static_cast<size_t>(tokens[blockIdx.x]) * length;
  const size_t to = static_cast<size_t>(blockIdx.x) * length;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    x[to + i] = table[from + i];
  }
}

template <typename T>
__global__ void embedding_backward(const T* dx, const int* tokens,
                                   float* d_table, int length) {
  const size_t to = static_cast<size_t>(tokens[blockIdx.x]) * length;
  const size_t from = static_cast<size_t>(blockIdx.x) * length;
  for (int i = threadIdx.x; i < length; i += kThreads) {
    atomicAdd(d_table + to + i, Load(dx[from + i]));
  }
}

// Where element `i` of [part, batch, heads, seq, head_size] lies in [batch,
// seq, parts, heads, head_size].
__device__ int MergedIndex(int i, Heads shape, int parts) {
  const int column = i % shape.head_size;
  i /= shape.head_size;
  const int token = i % shape.seq;
  i /= shape.seq;
  const int head = i % shape.heads;
  i /= shape.heads;
  const int sequence = i % shape.batch;
  const int part = i / shape.batch;
  const int row = sequence * shape.seq + token;
  return ((row * parts + part) * shape.heads + head) * shape.head_size + column;
}

template <typename T>
__global__ void transpose_split_heads(const T* x, T* y, Heads shape, int parts,
                                      int size) {
  const int i = Index();
  if (i < size) y[i] = x[MergedIndex(i, shape, parts)];
}

template <typename T>
__global__ void transpose_merge_heads(const T* x, T* y, Heads shape, int parts,
                                      int size) {
  const int i = Index();
  if (i < size) y[MergedIndex(i, shape, parts)] = x[i];
}

template <typename T, typename G>
__global__ void fused_sgd_update(T* weights, const G* gradient, int size,
                                 float rate) {
  const int i = Index();
  if (i < size) Store(weights + i, Load(weights[i]) - rate * Load(gradient[i]));
}

// Without bias correction: nobody judges how well these programs learn.
template <typename T, typename G>
__global__ void fused_adam_update(T* weights, const G* gradient, float* moments,
                                  int size, float rate) {
  const int i = Index();
  if (i >= size) return;
  const float g = Load(gradient[i]);
  const float first = 0.9f * moments[2 * i] + 0.1f * g;
  const float second = 0.999f * moments[2 * i + 1] + 0.001f * g * g;
  moments[2 * i] = first;
  moments[2 * i + 1] = second;
  Store(weights + i, Load(weights[i]) - rate * first / (sqrtf(second) + 1e-8f));
}

int Blocks(int size) { return (size + kThreads - 1) / kThreads; }

int SizeOf(const Heads& shape, int parts) {
  return shape.batch * shape.seq * shape.heads * shape.head_size * parts;
}

}  // namespace

template <typename T>
void ReluForward(const T* x, T* y, int size, cudaStream_t stream) {
  relu_forward<<<Blocks(size), kThreads, 0, stream>>>(x, y, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void ReluBackward(const T* y, T* dy, int size, cudaStream_t stream) {
  relu_backward<<<Blocks(size), kThreads, 0, stream>>>(y, dy, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void GeluForward(const T* x, T* y, int size, cudaStream_t stream) {
  gelu_forward<<<Blocks(size), kThreads, 0, stream>>>(x, y, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void GeluBackward(const T* x, T* dy, int size, cudaStream_t stream) {
  gelu_backward<<<Blocks(size), kThreads, 0, stream>>>(x, dy, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void AddTo(T* x, const T* y, int size, cudaStream_t stream) {
  add_elementwise<<<Blocks(size), kThreads, 0, stream>>>(x, y, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void SoftmaxForward(const T* x, T* y, Rows rows, float scale,
                    cudaStream_t stream) {
  softmax_forward<<<rows.count, kThreads, 0, stream>>>(x, y, rows.length,
                                                       scale);
  CHECK(cudaGetLastError());
}

template <typename T>
void SoftmaxBackward(const T* y, T* dy, Rows rows, float scale,
                     cudaStream_t stream) {
  softmax_backward<<<rows.count, kThreads, 0, stream>>>(y, dy, rows.length,
                                                        scale);
  CHECK(cudaGetLastError());
}

template <typename T>
void CrossEntropy(T* logits, const int* labels, float* loss, Rows rows,
                  cudaStream_t stream) {
  cross_entropy<<<rows.count, kThreads, 0, stream>>>(logits, labels, loss,
                                                     rows.length);
  CHECK(cudaGetLastError());
}

template <typename T>
void LayerNormForward(const T* x, const T* gain, T* y, float* mean_and_scale,
                      Rows rows, cudaStream_t stream) {
  layer_norm_forward<<<rows.count, kThreads, 0, stream>>>(
      x, gain, y, mean_and_scale, rows.length);
  CHECK(cudaGetLastError());
}

template <typename T>
void LayerNormBackward(const T* x, const T* gain, const float* mean_and_scale,
                       const T* dy, T* dx, float* d_gain, Rows rows,
                       cudaStream_t stream) {
  layer_norm_backward<<<rows.count, kThreads, 0, stream>>>(
      x, gain, mean_and_scale, dy, dx, d_gain, rows.length);
  CHECK(cudaGetLastError());
}

template <typename T>
void EmbeddingForward(const T* table, const int* tokens, T* x, Rows rows,
                      cudaStream_t stream) {
  embedding_forward<<<rows.count, kThreads, 0, stream>>>(table, tokens, x,
                                                         rows.length);
  CHECK(cudaGetLastError());
}

template <typename T>
void EmbeddingBackward(const T* dx, const int* tokens, float* d_table,
                       Rows rows, cudaStream_t stream) {
  embedding_backward<<<rows.count, kThreads, 0, stream>>>(dx, tokens, d_table,
                                                          rows.length);
  CHECK(cudaGetLastError());
}

template <typename T>
void SplitHeads(const T* x, T* y, Heads shape, int parts, cudaStream_t stream) {
  const int size = SizeOf(shape, parts);
  transpose_split_heads<<<Blocks(size), kThreads, 0, stream>>>(x, y, shape,
                                                               parts, size);
  CHECK(cudaGetLastError());
}

template <typename T>
void MergeHeads(const T* x, T* y, Heads shape, int parts, cudaStream_t stream) {
  const int size = SizeOf(shape, parts);
  transpose_merge_heads<<<Blocks(size), kThreads, 0, stream>>>(x, y, shape,
                                                               parts, size);
  CHECK(cudaGetLastError());
}

template <typename T, typename G>
void SgdUpdate(T* weights, const G* gradient, int size, float rate,
               cudaStream_t stream) {
  fused_sgd_update<<<Blocks(size), kThreads, 0, stream>>>(weights, gradient,
                                                          size, rate);
  CHECK(cudaGetLastError());
}

template <typename T, typename G>
void AdamUpdate(T* weights, const G* gradient, float* moments, int size,
                float rate, cudaStream_t stream) {
  fused_adam_update<<<Blocks(size), kThreads, 0, stream>>>(weights, gradient,
                                                           moments, size, rate);
  CHECK(cudaGetLastError());
}

// What the programs use.
template void ReluForward(const float*, float*, int, cudaStream_t);
template void ReluBackward(const float*, float*, int, cudaStream_t);
template void GeluForward(const Bf16*, Bf16*, int, cudaStream_t);
template void GeluBackward(const Bf16*, Bf16*, int, cudaStream_t);
template void AddTo(Bf16*, const Bf16*, int, cudaStream_t);
template void SoftmaxForward(const Bf16*, Bf16*, Rows, float, cudaStream_t);
template void SoftmaxBackward(const Bf16*, Bf16*, Rows, float, cudaStream_t);
template void CrossEntropy(float*, const int*, float*, Rows, cudaStream_t);
template void CrossEntropy(Bf16*, const int*, float*, Rows, cudaStream_t);
template void LayerNormForward(const Bf16*, const Bf16*, Bf16*, float*, Rows,
                               cudaStream_t);
template void LayerNormBackward(const Bf16*, const Bf16*, const float*,
                                const Bf16*, Bf16*, float*, Rows, cudaStream_t);
template void EmbeddingForward(const float*, const int*, float*, Rows,
                               cudaStream_t);
template void EmbeddingForward(const Bf16*, const int*, Bf16*, Rows,
                               cudaStream_t);
template void EmbeddingBackward(const float*, const int*, float*, Rows,
                                cudaStream_t);
template void EmbeddingBackward(const Bf16*, const int*, float*, Rows,
                                cudaStream_t);
template void SplitHeads(const Bf16*, Bf16*, Heads, int, cudaStream_t);
template void MergeHeads(const Bf16*, Bf16*, Heads, int, cudaStream_t);
template void SgdUpdate(float*, const float*, int, float, cudaStream_t);
template void AdamUpdate(Bf16*, const Bf16*, float*, int, float, cudaStream_t);
template void AdamUpdate(Bf16*, const float*, float*, int, float, cudaStream_t);

}  // namespace workloads
