// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/workloads/cuda/attention.h"
#include "tests/workloads/cuda/device_array.h"

namespace workloads {
namespace {

using Bf16 = __nv_bfloat16;

class GemmAttention : public Attention {
 public:
  GemmAttention(LtContext& context, Heads heads)
      : stream_(context.stream),
        rows_{heads.batch * heads.heads * heads.seq, heads.seq},
        size_(static_cast<size_t>(rows_.count) * heads.head_size),
        scale_(1 / std::sqrt(static_cast<float>(heads.head_size))),
        from_q_(context, Product(heads, Kind::kScores)),
        from_p_(context, Product(heads, Kind::kContext)),
        transposed_(context, Product(heads, Kind::kTransposed)),
        p_(static_cast<size_t>(rows_.count) * rows_.length),
        dp_(p_.size()),
        out_(size_),
        d_qkv_(3 * size_) {}

  const Bf16* Forward(const Bf16* qkv) override {
    from_q_.Run(qkv, qkv + size_, p_.data());
    SoftmaxForward(p_.data(), p_.data(), rows_, scale_, stream_);
    from_p_.Run(p_.data(), qkv + 2 * size_, out_.data());
    return out_.data();
  }

  const Bf16* Backward(const Bf16* qkv, const Bf16* d_out) override {
    Bf16* const d_q = d_qkv_.data();
    transposed_.Run(p_.data(), d_out, d_q + 2 * size_);  // dV = P^T dO
    from_q_.Run(d_out, qkv + 2 * size_, dp_.data());     // dP = dO V^T
    SoftmaxBackward(p_.data(), dp_.data(), rows_, scale_, stream_);
    from_p_.Run(dp_.data(), qkv + size_, d_q);      // dQ = dS K
    transposed_.Run(dp_.data(), qkv, d_q + size_);  // dK = dS^T Q
    return d_q;
  }

 private:
  enum class Kind { kScores, kContext, kTransposed };

  static LtGemm::Shape Product(const Heads& heads, Kind kind) {
    const int seq = heads.seq;
    const int size = heads.head_size;
    const int batch = heads.batch * heads.heads;
    switch (kind) {
      case Kind::kScores:  // [seq, size] times [seq, size]^T
        return {
            .m = seq, .n = seq, .k = size, .transpose_b = true, .batch = batch};
      case Kind::kContext:  // [seq, seq] times [seq, size]
        return {.m = seq, .n = size, .k = seq, .batch = batch};
      case Kind::kTransposed:  // [seq, seq]^T times [seq, size]
        return {
            .m = seq, .n = size, .k = seq, .transpose_a = true, .batch = batch};
    }
    return {};
  }

  cudaStream_t stream_;
  Rows rows_;
  size_t size_;
  float scale_;
  LtGemm from_q_, from_p_, transposed_;
  DeviceArray<Bf16> p_, dp_, out_, d_qkv_;
};

}  // namespace

std::unique_ptr<Attention> MakeGemmAttention(LtContext& context, Heads heads) {
  return std::make_unique<GemmAttention>(context, heads);
}

}  // namespace workloads
