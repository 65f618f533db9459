// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_NODE_PARAMS_H_
#define DLTAP_SIMGPU_DRIVER_NODE_PARAMS_H_

#include "simgpu/base/error.h"
#include "simgpu/driver/driver_header.h"
#include "simgpu/graph/graph.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// The driver's node parameters, to work and back. The versions of a structure
// begin alike: kernel v1 lacks kern and ctx, memset and host v2 add a context.
Error WorkOf(const CUDA_KERNEL_NODE_PARAMS_v1& params, Work* work);
Error WorkOf(const CUDA_KERNEL_NODE_PARAMS_v2& params, Work* work);
Error WorkOf(const CUDA_MEMSET_NODE_PARAMS_v1& params, Work* work);
Error WorkOf(const CUDA_HOST_NODE_PARAMS_v1& params, Work* work);
Error WorkOf(const CUDA_MEMCPY3D& params, Work* work);
Error WorkOf(const CUDA_BATCH_MEM_OP_NODE_PARAMS& params, Work* work);

// A whole node of any type, for this graph.
Error SpecOf(const Graph& graph, const CUgraphNodeParams& params,
             NodeSpec* spec);

MemoryOperation OperationOf(const CUstreamBatchMemOpParams& params);

// kInvalidValue when the node is of another type.
Error ParamsOf(const GraphNode& node, CUDA_KERNEL_NODE_PARAMS_v1* params);
Error ParamsOf(const GraphNode& node, CUDA_KERNEL_NODE_PARAMS_v2* params);
Error ParamsOf(const GraphNode& node, CUDA_MEMSET_NODE_PARAMS_v1* params);
Error ParamsOf(const GraphNode& node, CUDA_HOST_NODE_PARAMS_v1* params);
Error ParamsOf(const GraphNode& node, CUDA_MEMCPY3D* params);
// The array is this thread's until its next call.
Error ParamsOf(const GraphNode& node, CUDA_BATCH_MEM_OP_NODE_PARAMS* params);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_NODE_PARAMS_H_
