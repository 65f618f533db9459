// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/conv_calls.h"

#include <algorithm>
#include <cmath>

#include "simgpu/stream/stream.h"

// The convolutions of the legacy API, in their three directions: the exported
// functions are generated.

namespace dltap::simgpu {
namespace {

using opmodel::Operation;
using opmodel::OpKind;

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

bool AreComplete(const ConvArguments& arguments) {
  return arguments.x != nullptr && arguments.w != nullptr &&
         arguments.conv != nullptr && arguments.y != nullptr;
}

}  // namespace

cudnnStatus_t RunConvolution(ApiFunction& function, cudnnHandle_t handle,
                             int algorithm, const ConvArguments& arguments) {
  return CudnnEntry(function, [&] {
    if (handle == nullptr || !AreComplete(arguments)) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    const opmodel::GpuSpec& gpu = GpuOfStream(handle->stream);
    return CudnnStatus(LaunchKernels(
        handle->stream,
        KernelsOf(EngineFor(OperationOf(arguments), algorithm, gpu), gpu)));
  });
}

template <typename Perf>
cudnnStatus_t RankAlgorithms(ApiFunction& function, cudnnHandle_t handle,
                             const ConvArguments& arguments, bool measured,
                             int requested, int* returned, Perf* results) {
  return CudnnEntry(function, [&] {
    if (handle == nullptr || returned == nullptr || results == nullptr ||
        !AreComplete(arguments)) {
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

template cudnnStatus_t RankAlgorithms(ApiFunction&, cudnnHandle_t,
                                      const ConvArguments&, bool, int, int*,
                                      cudnnConvolutionFwdAlgoPerf_t*);
template cudnnStatus_t RankAlgorithms(ApiFunction&, cudnnHandle_t,
                                      const ConvArguments&, bool, int, int*,
                                      cudnnConvolutionBwdDataAlgoPerf_t*);
template cudnnStatus_t RankAlgorithms(ApiFunction&, cudnnHandle_t,
                                      const ConvArguments&, bool, int, int*,
                                      cudnnConvolutionBwdFilterAlgoPerf_t*);

cudnnStatus_t WriteConvWorkspace(ApiFunction& function, int algorithm,
                                 const ConvArguments& arguments,
                                 size_t* bytes) {
  return CudnnEntry(function, [&] {
    if (bytes == nullptr || !AreComplete(arguments)) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    *bytes = static_cast<size_t>(std::llround(
        EngineFor(OperationOf(arguments), algorithm, GpuOfStream(nullptr))
            .workspace_bytes));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t CountAlgorithms(ApiFunction& function, int* count, int value) {
  return CudnnEntry(function, [&] {
    if (count == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *count = value;
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace dltap::simgpu
