// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "simgpu/cudnn/objects.h"
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
  op.math = rnn.math_type == CUDNN_DEFAULT_MATH && rnn.type == CUDNN_DATA_FLOAT
                ? opmodel::DType::kF32
                : MathOf(op.storage, rnn.math_type);
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

// `written`: what the call has pointers to non-constant memory for.
cudnnStatus_t Run(ApiFunction& function, OpKind kind, cudnnHandle_t handle,
                  cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x,
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

}  // namespace

SIMGPU_API cudnnStatus_t cudnnRNNForward(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t,
    const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
    cudnnRNNDataDescriptor_t, void* y, cudnnTensorDescriptor_t, const void*,
    void* hy, cudnnTensorDescriptor_t, const void*, void* cy, size_t,
    const void*, size_t, void* workspace, size_t, void* reserve) {
  return Run(FunctionOf<"cudnn", "cudnnRNNForward">(), OpKind::kRnnForward,
             handle, rnn, x, {{y}, {hy}, {cy}, {workspace}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int32_t[],
    cudnnRNNDataDescriptor_t, const void*, const void*,
    cudnnRNNDataDescriptor_t x, void* dx, cudnnTensorDescriptor_t, const void*,
    const void*, void* dhx, cudnnTensorDescriptor_t, const void*, const void*,
    void* dcx, size_t, const void*, size_t, void* workspace, size_t,
    void* reserve) {
  return Run(FunctionOf<"cudnn", "cudnnRNNBackwardData_v8">(),
             OpKind::kRnnBackwardData, handle, rnn, x,
             {{dx}, {dhx}, {dcx}, {workspace}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t,
    const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
    cudnnTensorDescriptor_t, const void*, cudnnRNNDataDescriptor_t, const void*,
    size_t, void* dweight, size_t, void* workspace, size_t, void* reserve) {
  return Run(FunctionOf<"cudnn", "cudnnRNNBackwardWeights_v8">(),
             OpKind::kRnnBackwardWeight, handle, rnn, x,
             {{dweight}, {workspace}, {reserve}});
}

}  // namespace dltap::simgpu
