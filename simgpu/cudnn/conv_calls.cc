// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/conv_calls.h"

#include <algorithm>
#include <cmath>

#include "simgpu/stream/stream.h"

// The convolutions of the legacy API, in their three directions.

namespace dltap::simgpu {
namespace {

using opmodel::Operation;
using opmodel::OpKind;

cudnnStatus_t Run(ApiFunction& function, cudnnHandle_t handle, int algorithm,
                  const ConvArguments& arguments) {
  return CudnnEntry(function, [&] {
    if (handle == nullptr || arguments.x == nullptr || arguments.w == nullptr ||
        arguments.conv == nullptr || arguments.y == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    const opmodel::GpuSpec& gpu = GpuOfStream(handle->stream);
    return CudnnStatus(LaunchKernels(
        handle->stream,
        KernelsOf(EngineFor(OperationOf(arguments), algorithm, gpu), gpu)));
  });
}

// Runs each algorithm once, as cudnnFind* does to measure it.
Error Try(cudnnHandle_t handle, const std::vector<ConvAlgorithm>& algorithms,
          const opmodel::GpuSpec& gpu) {
  for (const ConvAlgorithm& algorithm : algorithms) {
    const Error error =
        LaunchKernels(handle->stream, KernelsOf(algorithm.engine, gpu));
    if (error != Error::kSuccess) return error;
  }
  Stream* stream = ResolveStream(handle->stream);
  return stream == nullptr ? Error::kInvalidHandle : SynchronizeStream(*stream);
}

// Fills `results` fastest first; `measured`: by trial runs.
template <typename Perf>
cudnnStatus_t Rank(ApiFunction& function, cudnnHandle_t handle,
                   const ConvArguments& arguments, bool measured, int requested,
                   int* returned, Perf* results) {
  return CudnnEntry(function, [&] {
    if (handle == nullptr || returned == nullptr || results == nullptr ||
        arguments.x == nullptr || arguments.w == nullptr ||
        arguments.conv == nullptr || arguments.y == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    const opmodel::GpuSpec& gpu = GpuOfStream(handle->stream);
    const auto algorithms = AlgorithmsOf(OperationOf(arguments), gpu);
    if (measured) {
      const Error error = Try(handle, algorithms, gpu);
      if (error != Error::kSuccess) return CudnnStatus(error);
    }
    *returned = std::min(requested, static_cast<int>(algorithms.size()));
    for (int i = 0; i < *returned; ++i) {
      const ConvAlgorithm& algorithm = algorithms[static_cast<size_t>(i)];
      results[i] = {};
      results[i].algo = static_cast<decltype(Perf::algo)>(algorithm.algorithm);
      results[i].time = static_cast<float>(algorithm.engine.ns / 1e6);
      results[i].memory = static_cast<size_t>(algorithm.engine.workspace_bytes);
      results[i].determinism = CUDNN_DETERMINISTIC;
      results[i].mathType = arguments.conv->math_type;
    }
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t Workspace(ApiFunction& function, int algorithm,
                        const ConvArguments& arguments, size_t* bytes) {
  return CudnnEntry(function, [&] {
    if (bytes == nullptr || arguments.x == nullptr || arguments.w == nullptr ||
        arguments.conv == nullptr || arguments.y == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    *bytes = static_cast<size_t>(std::llround(
        EngineFor(OperationOf(arguments), algorithm, GpuOfStream(nullptr))
            .workspace_bytes));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t Count(ApiFunction& function, int* count, int value) {
  return CudnnEntry(function, [&] {
    if (count == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *count = value;
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace

SIMGPU_API cudnnStatus_t
cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return Count(
      FunctionOf<"cudnn", "cudnnGetConvolutionForwardAlgorithmMaxCount">(),
      count, CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t y, const int requested, int* returned,
    cudnnConvolutionFwdAlgoPerf_t* results) {
  return Rank(FunctionOf<"cudnn", "cudnnGetConvolutionForwardAlgorithm_v7">(),
              handle, {OpKind::kConvForward, x, w, conv, y}, false, requested,
              returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t y, const int requested, int* returned,
    cudnnConvolutionFwdAlgoPerf_t* results) {
  return Rank(FunctionOf<"cudnn", "cudnnFindConvolutionForwardAlgorithm">(),
              handle, {OpKind::kConvForward, x, w, conv, y}, true, requested,
              returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*,
    const cudnnFilterDescriptor_t w, const void*,
    const cudnnConvolutionDescriptor_t conv, const cudnnTensorDescriptor_t y,
    void*, const int requested, int* returned,
    cudnnConvolutionFwdAlgoPerf_t* results, void*, size_t) {
  return Rank(FunctionOf<"cudnn", "cudnnFindConvolutionForwardAlgorithmEx">(),
              handle, {OpKind::kConvForward, x, w, conv, y}, true, requested,
              returned, results);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t y, cudnnConvolutionFwdAlgo_t algorithm,
    size_t* bytes) {
  return Workspace(
      FunctionOf<"cudnn", "cudnnGetConvolutionForwardWorkspaceSize">(),
      algorithm, {OpKind::kConvForward, x, w, conv, y}, bytes);
}

SIMGPU_API cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x,
    const void*, const cudnnFilterDescriptor_t w, const void*,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionFwdAlgo_t algorithm, void*, size_t, const void*,
    const cudnnTensorDescriptor_t y, void*) {
  return Run(FunctionOf<"cudnn", "cudnnConvolutionForward">(), handle,
             algorithm, {OpKind::kConvForward, x, w, conv, y});
}

SIMGPU_API cudnnStatus_t
cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return Count(
      FunctionOf<"cudnn", "cudnnGetConvolutionBackwardDataAlgorithmMaxCount">(),
      count, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t x, const int requested, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return Rank(
      FunctionOf<"cudnn", "cudnnGetConvolutionBackwardDataAlgorithm_v7">(),
      handle, {OpKind::kConvBackwardData, x, w, conv, y}, false, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t x, const int requested, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return Rank(
      FunctionOf<"cudnn", "cudnnFindConvolutionBackwardDataAlgorithm">(),
      handle, {OpKind::kConvBackwardData, x, w, conv, y}, true, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const void*,
    const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t conv, const cudnnTensorDescriptor_t x,
    void*, const int requested, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results, void*, size_t) {
  return Rank(
      FunctionOf<"cudnn", "cudnnFindConvolutionBackwardDataAlgorithmEx">(),
      handle, {OpKind::kConvBackwardData, x, w, conv, y}, true, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t w,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnTensorDescriptor_t x, cudnnConvolutionBwdDataAlgo_t algorithm,
    size_t* bytes) {
  return Workspace(
      FunctionOf<"cudnn", "cudnnGetConvolutionBackwardDataWorkspaceSize">(),
      algorithm, {OpKind::kConvBackwardData, x, w, conv, y}, bytes);
}

SIMGPU_API cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void*, const cudnnFilterDescriptor_t w,
    const void*, const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdDataAlgo_t algorithm, void*, size_t, const void*,
    const cudnnTensorDescriptor_t x, void*) {
  return Run(FunctionOf<"cudnn", "cudnnConvolutionBackwardData">(), handle,
             algorithm, {OpKind::kConvBackwardData, x, w, conv, y});
}

SIMGPU_API cudnnStatus_t
cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return Count(
      FunctionOf<"cudnn",
                 "cudnnGetConvolutionBackwardFilterAlgorithmMaxCount">(),
      count, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnFilterDescriptor_t w, const int requested, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return Rank(
      FunctionOf<"cudnn", "cudnnGetConvolutionBackwardFilterAlgorithm_v7">(),
      handle, {OpKind::kConvBackwardWeight, x, w, conv, y}, false, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnFilterDescriptor_t w, const int requested, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return Rank(
      FunctionOf<"cudnn", "cudnnFindConvolutionBackwardFilterAlgorithm">(),
      handle, {OpKind::kConvBackwardWeight, x, w, conv, y}, true, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t conv, const cudnnFilterDescriptor_t w,
    void*, const int requested, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results, void*, size_t) {
  return Rank(
      FunctionOf<"cudnn", "cudnnFindConvolutionBackwardFilterAlgorithmEx">(),
      handle, {OpKind::kConvBackwardWeight, x, w, conv, y}, true, requested,
      returned, results);
}

SIMGPU_API cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t conv,
    const cudnnFilterDescriptor_t w, cudnnConvolutionBwdFilterAlgo_t algorithm,
    size_t* bytes) {
  return Workspace(
      FunctionOf<"cudnn", "cudnnGetConvolutionBackwardFilterWorkspaceSize">(),
      algorithm, {OpKind::kConvBackwardWeight, x, w, conv, y}, bytes);
}

SIMGPU_API cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x,
    const void*, const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void*, size_t, const void*,
    const cudnnFilterDescriptor_t w, void*) {
  return Run(FunctionOf<"cudnn", "cudnnConvolutionBackwardFilter">(), handle,
             algorithm, {OpKind::kConvBackwardWeight, x, w, conv, y});
}

SIMGPU_API cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x,
    const void*, const cudnnFilterDescriptor_t w, const void*,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionFwdAlgo_t algorithm, void*, size_t, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t y, void*) {
  return Run(FunctionOf<"cudnn", "cudnnConvolutionBiasActivationForward">(),
             handle, algorithm, {OpKind::kConvForward, x, w, conv, y});
}

}  // namespace dltap::simgpu
