// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_CONV_CALLS_H_
#define DLTAP_SIMGPU_CUDNN_CONV_CALLS_H_

#include <string_view>
#include <vector>

#include "simgpu/cudnn/objects.h"
#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {

// The descriptors of a legacy convolution, whatever its direction.
struct ConvArguments {
  opmodel::OpKind kind;
  const cudnnTensorStruct* x;  // or dx
  const cudnnFilterStruct* w;  // or dw
  const cudnnConvolutionStruct* conv;
  const cudnnTensorStruct* y;  // or dy
};

// Null descriptors give an operation of unknown shape.
opmodel::Operation OperationOf(const ConvArguments& arguments);

// Fastest first; engines that share an algorithm of the direction count once.
struct ConvAlgorithm {
  int algorithm;  // cudnnConvolution{Fwd,BwdData,BwdFilter}Algo_t
  Engine engine;
};
std::vector<ConvAlgorithm> AlgorithmsOf(const opmodel::Operation& op,
                                        const opmodel::GpuSpec& gpu);

// The engine of an algorithm; the fastest one when none fits.
Engine EngineFor(const opmodel::Operation& op, int algorithm,
                 const opmodel::GpuSpec& gpu);

// What the generated functions of each direction call.
cudnnStatus_t RunConvolution(ApiFunction& function, cudnnHandle_t handle,
                             int algorithm, const ConvArguments& arguments);
cudnnStatus_t WriteConvWorkspace(ApiFunction& function, int algorithm,
                                 const ConvArguments& arguments, size_t* bytes);
cudnnStatus_t CountAlgorithms(ApiFunction& function, int* count, int value);

// Fills `results`, a direction's cudnn*AlgoPerf_t, fastest first; `measured`:
// by trial runs.
template <typename Perf>
cudnnStatus_t RankAlgorithms(ApiFunction& function, cudnnHandle_t handle,
                             const ConvArguments& arguments, bool measured,
                             int requested, int* returned, Perf* results);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_CONV_CALLS_H_
