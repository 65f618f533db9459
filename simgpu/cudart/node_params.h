// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_NODE_PARAMS_H_
#define DLTAP_SIMGPU_CUDART_NODE_PARAMS_H_

#include "simgpu/base/error.h"
#include "simgpu/cudart/runtime_header.h"
#include "simgpu/graph/graph.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// The runtime's node parameters that are not the driver's, to work and back.
Error WorkOf(const cudaMemcpy3DParms& params, Work* work);

// A whole node of any type, for this graph.
Error SpecOf(const Graph& graph, const cudaGraphNodeParams& params,
             NodeSpec* spec);

// kInvalidValue when the node is of another type.
Error ParamsOf(const GraphNode& node, cudaMemcpy3DParms* params);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_NODE_PARAMS_H_
