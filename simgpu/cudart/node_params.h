// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUDART_NODE_PARAMS_H_
#define DLTAP_SHIM_SIMGPU_CUDART_NODE_PARAMS_H_

#include "shim/simgpu/cudart/runtime_header.h"
#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/graph/graph.h"
#include "shim/simgpu/device/stream/work.h"

namespace dltap::simgpu {

// The runtime's node parameters, to work and back.
Error WorkOf(const cudaKernelNodeParams& params, Work* work);
Error WorkOf(const cudaMemsetParams& params, Work* work);
Error WorkOf(const cudaHostNodeParams& params, Work* work);
Error WorkOf(const cudaMemcpy3DParms& params, Work* work);

// A whole node of any type, for this graph.
Error SpecOf(const Graph& graph, const cudaGraphNodeParams& params,
             NodeSpec* spec);

// kInvalidValue when the node is of another type.
Error ParamsOf(const GraphNode& node, cudaKernelNodeParams* params);
Error ParamsOf(const GraphNode& node, cudaMemsetParams* params);
Error ParamsOf(const GraphNode& node, cudaHostNodeParams* params);
Error ParamsOf(const GraphNode& node, cudaMemcpy3DParms* params);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUDART_NODE_PARAMS_H_
