// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "simgpu/cudnn/rnn_calls.h"
#include "simgpu/cudnn/rnn_v6.h"

namespace dltap::simgpu {
namespace {

using opmodel::OpKind;

// `x` describes the sequences, whether forwards or backwards.
cudnnStatus_t RunWith(ApiFunction& function, OpKind kind, cudnnHandle_t handle,
                      const cudnnRNNStruct* rnn, const cudnnRNNDataStruct* x,
                      std::vector<WriteTarget> written) {
  if (rnn == nullptr || x == nullptr) {
    return RunRnn(function, kind, handle, rnn, x, std::move(written));
  }
  const cudnnRNNStruct completed = Completed(*rnn, x->type, x->vector);
  return RunRnn(function, kind, handle, &completed, x, std::move(written));
}

cudnnStatus_t RunSteps(ApiFunction& function, OpKind kind, cudnnHandle_t handle,
                       const cudnnRNNStruct* rnn,
                       const cudnnTensorDescriptor_t* steps, int count,
                       std::vector<WriteTarget> written) {
  const cudnnRNNDataStruct x = SequencesOf(steps, count);
  return RunWith(function, kind, handle, rnn, x.batch == 0 ? nullptr : &x,
                 std::move(written));
}

}  // namespace

// ---- The input is an array of descriptors, one a step

SIMGPU_API cudnnStatus_t cudnnRNNForwardInference(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn, const int count,
    const cudnnTensorDescriptor_t* x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnFilterDescriptor_t, const void*,
    const cudnnTensorDescriptor_t*, void* y, const cudnnTensorDescriptor_t,
    void* hy, const cudnnTensorDescriptor_t, void* cy, void* work, size_t) {
  return RunSteps(FunctionOf<"cudnn", "cudnnRNNForwardInference">(),
                  OpKind::kRnnForward, handle, rnn, x, count,
                  {{y}, {hy}, {cy}, {work}});
}

SIMGPU_API cudnnStatus_t cudnnRNNForwardTraining(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn, const int count,
    const cudnnTensorDescriptor_t* x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnFilterDescriptor_t, const void*,
    const cudnnTensorDescriptor_t*, void* y, const cudnnTensorDescriptor_t,
    void* hy, const cudnnTensorDescriptor_t, void* cy, void* work, size_t,
    void* reserve, size_t) {
  return RunSteps(FunctionOf<"cudnn", "cudnnRNNForwardTraining">(),
                  OpKind::kRnnForward, handle, rnn, x, count,
                  {{y}, {hy}, {cy}, {work}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardData(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn, const int count,
    const cudnnTensorDescriptor_t*, const void*, const cudnnTensorDescriptor_t*,
    const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnFilterDescriptor_t,
    const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t* dx_steps, void* dx,
    const cudnnTensorDescriptor_t, void* dhx, const cudnnTensorDescriptor_t,
    void* dcx, void* work, size_t, void* reserve, size_t) {
  return RunSteps(FunctionOf<"cudnn", "cudnnRNNBackwardData">(),
                  OpKind::kRnnBackwardData, handle, rnn, dx_steps, count,
                  {{dx}, {dhx}, {dcx}, {work}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardWeights(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn, const int count,
    const cudnnTensorDescriptor_t* x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t*,
    const void*, const void* work, size_t, const cudnnFilterDescriptor_t,
    void* dw, const void*, size_t) {
  return RunSteps(FunctionOf<"cudnn", "cudnnRNNBackwardWeights">(),
                  OpKind::kRnnBackwardWeight, handle, rnn, x, count,
                  {{dw}, {work}});
}

// ---- The input is one descriptor of sequences

SIMGPU_API cudnnStatus_t cudnnRNNForwardInferenceEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn,
    const cudnnRNNDataDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnFilterDescriptor_t, const void*,
    const cudnnRNNDataDescriptor_t, void* y, const cudnnTensorDescriptor_t,
    void* hy, const cudnnTensorDescriptor_t, void* cy,
    const cudnnRNNDataDescriptor_t, const void*, const cudnnRNNDataDescriptor_t,
    void*, const cudnnRNNDataDescriptor_t, void*,
    const cudnnRNNDataDescriptor_t, void*, void* work, size_t) {
  return RunWith(FunctionOf<"cudnn", "cudnnRNNForwardInferenceEx">(),
                 OpKind::kRnnForward, handle, rnn, x,
                 {{y}, {hy}, {cy}, {work}});
}

SIMGPU_API cudnnStatus_t cudnnRNNForwardTrainingEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn,
    const cudnnRNNDataDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnFilterDescriptor_t, const void*,
    const cudnnRNNDataDescriptor_t, void* y, const cudnnTensorDescriptor_t,
    void* hy, const cudnnTensorDescriptor_t, void* cy,
    const cudnnRNNDataDescriptor_t, const void*, const cudnnRNNDataDescriptor_t,
    void*, const cudnnRNNDataDescriptor_t, void*,
    const cudnnRNNDataDescriptor_t, void*, void* work, size_t, void* reserve,
    size_t) {
  return RunWith(FunctionOf<"cudnn", "cudnnRNNForwardTrainingEx">(),
                 OpKind::kRnnForward, handle, rnn, x,
                 {{y}, {hy}, {cy}, {work}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardDataEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn,
    const cudnnRNNDataDescriptor_t, const void*, const cudnnRNNDataDescriptor_t,
    const void*, const cudnnRNNDataDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnFilterDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnRNNDataDescriptor_t dx_data, void* dx,
    const cudnnTensorDescriptor_t, void* dhx, const cudnnTensorDescriptor_t,
    void* dcx, const cudnnRNNDataDescriptor_t, void*, void* work, size_t,
    void* reserve, size_t) {
  return RunWith(FunctionOf<"cudnn", "cudnnRNNBackwardDataEx">(),
                 OpKind::kRnnBackwardData, handle, rnn, dx_data,
                 {{dx}, {dhx}, {dcx}, {work}, {reserve}});
}

SIMGPU_API cudnnStatus_t cudnnRNNBackwardWeightsEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnn,
    const cudnnRNNDataDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnRNNDataDescriptor_t,
    const void*, void* work, size_t, const cudnnFilterDescriptor_t, void* dw,
    void* reserve, size_t) {
  return RunWith(FunctionOf<"cudnn", "cudnnRNNBackwardWeightsEx">(),
                 OpKind::kRnnBackwardWeight, handle, rnn, x,
                 {{dw}, {work}, {reserve}});
}

}  // namespace dltap::simgpu
