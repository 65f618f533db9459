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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_CONV_CALLS_H_
