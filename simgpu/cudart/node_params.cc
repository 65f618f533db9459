// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/node_params.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/memory_box.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/node_spec.h"
#include "simgpu/launch/launch.h"
#include "simgpu/launch/node_kernel.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {

Error WorkOf(const cudaKernelNodeParams& params, Work* work) {
  const Kernel* kernel = ResolveKernel(params.func);
  if (kernel == nullptr) return Error::kInvalidDeviceFunction;
  const LaunchParameters launch{.grid = ToDim3(params.gridDim),
                                .block = ToDim3(params.blockDim),
                                .cluster = {0, 0, 0},
                                .dynamic_shared_bytes = params.sharedMemBytes,
                                .cooperative = false,
                                .arguments = params.kernelParams};
  return MakeKernelWork(*kernel, launch, ActiveDevice(),
                        &work->emplace<KernelWork>());
}

Error WorkOf(const cudaMemsetParams& params, Work* work) {
  const unsigned size = params.elementSize;
  if (size != 1 && size != 2 && size != 4) return Error::kInvalidValue;
  return MakeMemset(params.dst, params.value, size, params.width, params.height,
                    params.pitch, &work->emplace<MemsetWork>());
}

Error WorkOf(const cudaHostNodeParams& params, Work* work) {
  return HostWorkOf(params, work);
}

Error WorkOf(const cudaMemcpy3DParms& params, Work* work) {
  return MakeCopy3D(params, &work->emplace<CopyWork>());
}

Error SpecOf(const Graph& graph, const cudaGraphNodeParams& params,
             NodeSpec* spec) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel:
      spec->type = GraphNodeType::kKernel;
      return WorkOf(
          cudaKernelNodeParams{.func = params.kernel.func,
                               .gridDim = params.kernel.gridDim,
                               .blockDim = params.kernel.blockDim,
                               .sharedMemBytes = params.kernel.sharedMemBytes,
                               .kernelParams = params.kernel.kernelParams,
                               .extra = params.kernel.extra},
          &spec->work);
    case cudaGraphNodeTypeMemcpy:
      spec->type = GraphNodeType::kCopy;
      return WorkOf(params.memcpy.copyParams, &spec->work);
    case cudaGraphNodeTypeMemset:
      spec->type = GraphNodeType::kMemset;
      return WorkOf(cudaMemsetParams{.dst = params.memset.dst,
                                     .pitch = params.memset.pitch,
                                     .value = params.memset.value,
                                     .elementSize = params.memset.elementSize,
                                     .width = params.memset.width,
                                     .height = params.memset.height},
                    &spec->work);
    default: return CommonSpecOf(graph, params, spec);
  }
}

Error ParamsOf(const GraphNode& node, cudaKernelNodeParams* params) {
  const auto* kernel = std::get_if<KernelWork>(&node.work);
  if (kernel == nullptr || params == nullptr) return Error::kInvalidValue;
  const Dim3& grid = kernel->grid;
  const Dim3& block = kernel->block;
  *params = {.func = KernelOfNode(*kernel),
             .gridDim = dim3(grid.x, grid.y, grid.z),
             .blockDim = dim3(block.x, block.y, block.z),
             .sharedMemBytes = kernel->dynamic_shared_bytes,
             .kernelParams = kernel->arguments,
             .extra = nullptr};
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, cudaMemsetParams* params) {
  const auto* set = std::get_if<MemsetWork>(&node.work);
  if (set == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {.dst = set->destination,
             .pitch = set->pitch,
             .value = set->value,
             .elementSize = set->element_bytes,
             .width = set->width,
             .height = set->height};
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, cudaHostNodeParams* params) {
  const auto* host = std::get_if<HostWork>(&node.work);
  if (host == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {.fn = host->raw, .userData = host->user_data};
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, cudaMemcpy3DParms* params) {
  const auto* copy = std::get_if<CopyWork>(&node.work);
  if (copy == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = ParamsOf(*copy);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
