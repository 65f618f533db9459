// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/node_params.h"

#include "simgpu/cudart/memory_box.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/graph/node_spec.h"

namespace dltap::simgpu {

Error WorkOf(const cudaMemcpy3DParms& params, Work* work) {
  return MakeCopy3D(params, &work->emplace<CopyWork>());
}

Error SpecOf(const Graph& graph, const cudaGraphNodeParams& params,
             NodeSpec* spec) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& [function, grid, block, shared, arguments, extra] =
          params.kernel;
      spec->type = GraphNodeType::kKernel;
      return WorkOf(
          CUDA_KERNEL_NODE_PARAMS_v1{.func = static_cast<CUfunction>(function),
                                     .gridDimX = grid.x,
                                     .gridDimY = grid.y,
                                     .gridDimZ = grid.z,
                                     .blockDimX = block.x,
                                     .blockDimY = block.y,
                                     .blockDimZ = block.z,
                                     .sharedMemBytes = shared,
                                     .kernelParams = arguments,
                                     .extra = extra},
          &spec->work);
    }
    case cudaGraphNodeTypeMemcpy:
      spec->type = GraphNodeType::kCopy;
      return WorkOf(params.memcpy.copyParams, &spec->work);
    case cudaGraphNodeTypeMemset:
      spec->type = GraphNodeType::kMemset;
      return WorkOf(
          CUDA_MEMSET_NODE_PARAMS{.dst = ToAddress(params.memset.dst),
                                  .pitch = params.memset.pitch,
                                  .value = params.memset.value,
                                  .elementSize = params.memset.elementSize,
                                  .width = params.memset.width,
                                  .height = params.memset.height},
          &spec->work);
    default: return CommonSpecOf(graph, params, spec);
  }
}

Error ParamsOf(const GraphNode& node, cudaMemcpy3DParms* params) {
  const auto* copy = std::get_if<CopyWork>(&node.work);
  if (copy == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = CopyParamsOf(*copy);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
