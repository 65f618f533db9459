// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/rnn_calls.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "simgpu/cudnn/op_kernels.h"
#include "simgpu/cudnn/rnn_layout.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;
using opmodel::RnnCell;

RnnCell CellOf(cudnnRNNMode_t mode) {
  switch (mode) {
    case CUDNN_LSTM: return RnnCell::kLstm;
    case CUDNN_GRU: return RnnCell::kGru;
    case CUDNN_RNN_RELU: return RnnCell::kRelu;
    default: return RnnCell::kTanh;
  }
}

Operation OperationOf(OpKind kind, const cudnnRNNStruct& rnn,
                      const cudnnRNNDataStruct& x) {
  const RnnLayout layout(rnn);
  Operation op{.kind = kind, .cell = CellOf(rnn.cell)};
  op.storage = DTypeOf(rnn.type);
  op.math = MathOf(op.storage, rnn.math_type);
  op[Dim::kSeq] = x.max_sequence;
  op[Dim::kBatch] = x.batch;
  op[Dim::kRows] = std::reduce(x.lengths.begin(), x.lengths.end(), int64_t{0});
  op[Dim::kInput] = rnn.input_mode == CUDNN_SKIP_INPUT ? 0 : rnn.input;
  op[Dim::kHidden] = rnn.hidden;
  op[Dim::kProj] = layout.HasProjection() ? rnn.projection : 0;
  op[Dim::kLayers] = rnn.layers;
  op[Dim::kDirections] = layout.directions();
  return op;
}

}  // namespace

RnnSpace SpaceOf(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  const RnnLayout layout(rnn);
  constexpr int64_t kFixedBytes = 4096;
  // Gate activations of every step and pseudo-layer.
  const int64_t activations =
      BytesOf(rnn.type, int64_t{x.max_sequence} * x.batch * rnn.hidden *
                            layout.gates() * layout.pseudo_layers());
  return {static_cast<size_t>(activations / 2 + kFixedBytes),
          static_cast<size_t>(activations + kFixedBytes)};
}

cudnnStatus_t RunRnn(ApiFunction& function, OpKind kind, cudnnHandle_t handle,
                     const cudnnRNNStruct* rnn, const cudnnRNNDataStruct* x,
                     std::vector<WriteTarget> written) {
  const MayWrite writes(std::move(written));
  return CudnnEntry(function, [&] {
    if (handle == nullptr || rnn == nullptr || x == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    return CudnnStatus(LaunchKernels(
        handle->stream,
        KernelsOf(OperationOf(kind, *rnn, *x), GpuOfStream(handle->stream))));
  });
}

SIMGPU_API cudnnStatus_t cudnnRNNForward(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t,
    const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
    cudnnRNNDataDescriptor_t, void* y, cudnnTensorDescriptor_t, const void*,
    void* hy, cudnnTensorDescriptor_t, const void*, void* cy, size_t,
    const void*, size_t, void* workspace, size_t, void* reserve) {
  return RunRnn(FunctionOf<"cudnn", "cudnnRNNForward">(), OpKind::kRnnForward,
                handle, rnn, x, {{y}, {hy}, {cy}, {workspace}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int32_t[],
    cudnnRNNDataDescriptor_t, const void*, const void*,
    cudnnRNNDataDescriptor_t x, void* dx, cudnnTensorDescriptor_t, const void*,
    const void*, void* dhx, cudnnTensorDescriptor_t, const void*, const void*,
    void* dcx, size_t, const void*, size_t, void* workspace, size_t,
    void* reserve) {
  return RunRnn(FunctionOf<"cudnn", "cudnnRNNBackwardData_v8">(),
                OpKind::kRnnBackwardData, handle, rnn, x,
                {{dx}, {dhx}, {dcx}, {workspace}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t,
    const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
    cudnnTensorDescriptor_t, const void*, cudnnRNNDataDescriptor_t, const void*,
    size_t, void* dweight, size_t, void* workspace, size_t, void* reserve) {
  return RunRnn(FunctionOf<"cudnn", "cudnnRNNBackwardWeights_v8">(),
                OpKind::kRnnBackwardWeight, handle, rnn, x,
                {{dweight}, {workspace}, {reserve}});
}

}  // namespace dltap::simgpu
