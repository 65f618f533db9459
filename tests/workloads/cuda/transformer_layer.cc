// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/transformer_layer.h"

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/kernels.h"

namespace workloads {
namespace {

using Bf16 = __nv_bfloat16;

template <typename T>
void Clear(const DeviceArray<T>& array, cudaStream_t stream) {
  CHECK(cudaMemsetAsync(array.data(), 0, array.size() * sizeof(T), stream));
}

}  // namespace

Linear::Linear(LtContext& context, int rows, int inputs, int outputs)
    : forward_(context, {.m = rows, .n = outputs, .k = inputs}),
      to_x_(context,
            {.m = rows, .n = inputs, .k = outputs, .transpose_b = true}),
      to_weights_(context,
                  {.m = inputs, .n = outputs, .k = rows, .transpose_a = true}),
      weights_(SmallNumbers<Bf16>(size_t{1} * inputs * outputs, 0.05f)),
      d_weights_(weights_.size()),
      y_(size_t{1} * rows * outputs),
      dx_(size_t{1} * rows * inputs),
      moments_(2 * weights_.size()) {}

const Bf16* Linear::Forward(const Bf16* x) {
  forward_.Run(x, weights_.data(), y_.data());
  return y_.data();
}

const Bf16* Linear::Backward(const Bf16* x, const Bf16* dy) {
  to_weights_.Run(x, dy, d_weights_.data());
  to_x_.Run(dy, weights_.data(), dx_.data());
  return dx_.data();
}

void Linear::Update(float rate, cudaStream_t stream) {
  AdamUpdate(weights_.data(), d_weights_.data(), moments_.data(),
             static_cast<int>(weights_.size()), rate, stream);
}

LayerNorm::LayerNorm(Rows rows)
    : rows_(rows),
      gain_(std::vector<Bf16>(rows.length, Bf16(1.0f))),
      y_(size_t{1} * rows.count * rows.length),
      d_gain_(rows.length),
      mean_and_scale_(size_t{2} * rows.count),
      moments_(size_t{2} * rows.length) {}

const Bf16* LayerNorm::Forward(const Bf16* x, cudaStream_t stream) {
  LayerNormForward(x, gain_.data(), y_.data(), mean_and_scale_.data(), rows_,
                   stream);
  return y_.data();
}

void LayerNorm::Backward(const Bf16* x, const Bf16* dy, Bf16* dx,
                         cudaStream_t stream) {
  Clear(d_gain_, stream);
  LayerNormBackward(x, gain_.data(), mean_and_scale_.data(), dy, dx,
                    d_gain_.data(), rows_, stream);
}

void LayerNorm::Update(float rate, cudaStream_t stream) {
  AdamUpdate(gain_.data(), d_gain_.data(), moments_.data(), rows_.length, rate,
             stream);
}

TransformerLayer::TransformerLayer(LtContext& context, Heads heads,
                                   bool cudnn_attention)
    : stream_(context.stream),
      heads_(heads),
      rows_(heads.batch * heads.seq),
      width_(heads.heads * heads.head_size),
      attention_(cudnn_attention ? MakeCudnnAttention(stream_, heads)
                                 : MakeGemmAttention(context, heads)),
      norm1_({rows_, width_}),
      norm2_({rows_, width_}),
      qkv_(context, rows_, width_, 3 * width_),
      project_(context, rows_, width_, width_),
      up_(context, rows_, width_, 4 * width_),
      down_(context, rows_, 4 * width_, width_),
      split_(size_t{3} * rows_ * width_),
      merged_(size_t{1} * rows_ * width_),
      gelu_(size_t{4} * rows_ * width_),
      d_split_(merged_.size()),
      d_merged_(split_.size()) {}

const Bf16* TransformerLayer::Forward(const Bf16* x) {
  x_ = x;
  normed1_ = norm1_.Forward(x, stream_);
  SplitHeads(qkv_.Forward(normed1_), split_.data(), heads_, 3, stream_);
  MergeHeads(attention_->Forward(split_.data()), merged_.data(), heads_, 1,
             stream_);
  project_.Forward(merged_.data());
  AddTo(project_.output(), x, rows_ * width_, stream_);
  normed2_ = norm2_.Forward(project_.output(), stream_);
  GeluForward(up_.Forward(normed2_), gelu_.data(), 4 * rows_ * width_, stream_);
  down_.Forward(gelu_.data());
  AddTo(down_.output(), project_.output(), rows_ * width_, stream_);
  return down_.output();
}

void TransformerLayer::Backward(Bf16* dy) {
  // Linear::Backward returns its own buffer, which may be changed in place.
  auto* d_gelu = const_cast<Bf16*>(down_.Backward(gelu_.data(), dy));
  GeluBackward(up_.output(), d_gelu, 4 * rows_ * width_, stream_);
  norm2_.Backward(project_.output(), up_.Backward(normed2_, d_gelu), dy,
                  stream_);
  SplitHeads(project_.Backward(merged_.data(), dy), d_split_.data(), heads_, 1,
             stream_);
  MergeHeads(attention_->Backward(split_.data(), d_split_.data()),
             d_merged_.data(), heads_, 3, stream_);
  norm1_.Backward(x_, qkv_.Backward(normed1_, d_merged_.data()), dy, stream_);
}

void TransformerLayer::Update(float rate) {
  for (Linear* linear : {&qkv_, &project_, &up_, &down_}) {
    linear->Update(rate, stream_);
  }
  norm1_.Update(rate, stream_);
  norm2_.Update(rate, stream_);
}

}  // namespace workloads
