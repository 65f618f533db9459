// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/workloads/cuda/attention.h"
#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/cudnn_graph.h"

namespace workloads {
namespace {

using Bf16 = __nv_bfloat16;

enum Id : int64_t { kQ = 1, kK, kV, kO, kStats, kScale, kDo, kDq, kDk, kDv };

cudnnHandle_t MakeHandle(cudaStream_t stream) {
  cudnnHandle_t handle;
  CHECK(cudnnCreate(&handle));
  CHECK(cudnnSetStream(handle, stream));
  return handle;
}

GraphPart Data(Id id, const Heads& heads) {
  return GraphTensor(id, CUDNN_DATA_BFLOAT16,
                     {heads.batch, heads.heads, heads.seq, heads.head_size});
}

// Log-sum-exp of each row: what backward needs of the softmax.
GraphPart Stats(const Heads& heads) {
  return GraphTensor(kStats, CUDNN_DATA_FLOAT,
                     {heads.batch, heads.heads, heads.seq, 1});
}

GraphPart Scale() {
  return GraphTensor(kScale, CUDNN_DATA_FLOAT, {1, 1, 1, 1},
                     /*by_value=*/true);
}

GraphPart ForwardOperation(const Heads& heads) {
  GraphPart op(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
  op.Set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, Data(kQ, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, Data(kK, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, Data(kV, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, Data(kO, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, Stats(heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, Scale());
  CHECK(op.Finalize());
  return op;
}

GraphPart BackwardOperation(const Heads& heads) {
  GraphPart op(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR);
  op.Set(CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, Data(kQ, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, Data(kK, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, Data(kV, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, Data(kO, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, Data(kDo, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, Stats(heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, Scale())
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, Data(kDq, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, Data(kDk, heads))
      .Set(CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, Data(kDv, heads));
  CHECK(op.Finalize());
  return op;
}

class CudnnAttention : public Attention {
 public:
  CudnnAttention(cudaStream_t stream, Heads heads)
      : cudnn_(MakeHandle(stream)),
        rows_(static_cast<size_t>(heads.batch) * heads.heads * heads.seq),
        size_(rows_ * heads.head_size),
        scale_(1 / std::sqrt(static_cast<float>(heads.head_size))),
        forward_(cudnn_, ForwardOperation(heads), "attention"),
        backward_(cudnn_, BackwardOperation(heads), "attention's gradient"),
        out_(size_),
        d_qkv_(3 * size_),
        stats_(rows_) {}
  ~CudnnAttention() override { cudnnDestroy(cudnn_); }

  const Bf16* Forward(const Bf16* qkv) override {
    Bf16* const q = const_cast<Bf16*>(qkv);  // cuDNN's pack has no const
    forward_.Execute(
        {kQ, kK, kV, kO, kStats, kScale},
        {q, q + size_, q + 2 * size_, out_.data(), stats_.data(), &scale_});
    return out_.data();
  }

  const Bf16* Backward(const Bf16* qkv, const Bf16* d_out) override {
    Bf16* const q = const_cast<Bf16*>(qkv);
    Bf16* const d_q = d_qkv_.data();
    backward_.Execute(
        {kQ, kK, kV, kO, kDo, kStats, kScale, kDq, kDk, kDv},
        {q, q + size_, q + 2 * size_, out_.data(), const_cast<Bf16*>(d_out),
         stats_.data(), &scale_, d_q, d_q + size_, d_q + 2 * size_});
    return d_q;
  }

 private:
  cudnnHandle_t cudnn_;
  size_t rows_, size_;
  float scale_;
  GraphPlan forward_, backward_;
  DeviceArray<Bf16> out_, d_qkv_;
  DeviceArray<float> stats_;
};

}  // namespace

std::unique_ptr<Attention> MakeCudnnAttention(cudaStream_t stream,
                                              Heads heads) {
  return std::make_unique<CudnnAttention>(stream, heads);
}

}  // namespace workloads
