// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/node_params.h"

#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/node_spec.h"
#include "simgpu/launch/launch.h"
#include "simgpu/launch/node_kernel.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

template <typename Params>
Error KernelWorkOf(const Params& params, const void* function, Work* work) {
  const Kernel* kernel = ResolveKernel(function);
  if (kernel == nullptr) return Error::kInvalidHandle;
  const LaunchParameters launch{
      .grid = {params.gridDimX, params.gridDimY, params.gridDimZ},
      .block = {params.blockDimX, params.blockDimY, params.blockDimZ},
      .cluster = {0, 0, 0},
      .dynamic_shared_bytes = params.sharedMemBytes,
      .cooperative = false,
      .arguments = params.kernelParams};
  return MakeKernelWork(*kernel, launch, CurrentDeviceState(),
                        &work->emplace<KernelWork>());
}

template <typename Params>
Error KernelParamsOf(const GraphNode& node, Params* params) {
  const auto* kernel = std::get_if<KernelWork>(&node.work);
  if (kernel == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {};
  params->func = ToHandle<CUfunction>(KernelOfNode(*kernel));
  params->gridDimX = kernel->grid.x;
  params->gridDimY = kernel->grid.y;
  params->gridDimZ = kernel->grid.z;
  params->blockDimX = kernel->block.x;
  params->blockDimY = kernel->block.y;
  params->blockDimZ = kernel->block.z;
  params->sharedMemBytes = kernel->dynamic_shared_bytes;
  params->kernelParams = kernel->arguments;
  return Error::kSuccess;
}

CUstreamBatchMemOpParams ToParams(const MemoryOperation& operation) {
  CUstreamBatchMemOpParams params{};
  params.operation = static_cast<CUstreamBatchMemOpType>(operation.type);
  switch (params.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      // Waits and writes are laid out alike.
      params.waitValue.address = ToAddress(operation.address);
      params.waitValue.value64 = operation.value;
      params.waitValue.flags = operation.flags;
      break;
    default: params.memoryBarrier.flags = operation.flags;
  }
  return params;
}

// The structures of cuGraphAddNode repeat the older ones' fields.
Error WorkOfV3(const CUDA_KERNEL_NODE_PARAMS_v3& params, Work* work) {
  const void* function = params.func;
  if (function == nullptr) function = params.kern;
  return KernelWorkOf(params, function, work);
}

Error WorkOfV2(const CUDA_MEMSET_NODE_PARAMS_v2& p, Work* work) {
  return WorkOf(CUDA_MEMSET_NODE_PARAMS_v1{.dst = p.dst,
                                           .pitch = p.pitch,
                                           .value = p.value,
                                           .elementSize = p.elementSize,
                                           .width = p.width,
                                           .height = p.height},
                work);
}

}  // namespace

Error WorkOf(const CUDA_KERNEL_NODE_PARAMS_v1& params, Work* work) {
  return KernelWorkOf(params, params.func, work);
}

Error WorkOf(const CUDA_KERNEL_NODE_PARAMS_v2& params, Work* work) {
  const void* function = params.func;
  if (function == nullptr) function = params.kern;
  return KernelWorkOf(params, function, work);
}

Error WorkOf(const CUDA_MEMSET_NODE_PARAMS_v1& params, Work* work) {
  const unsigned size = params.elementSize;
  if (size != 1 && size != 2 && size != 4) return Error::kInvalidValue;
  return MakeMemset(ToPointer(params.dst), params.value, size, params.width,
                    params.height, params.pitch, &work->emplace<MemsetWork>());
}

Error WorkOf(const CUDA_HOST_NODE_PARAMS_v1& params, Work* work) {
  return HostWorkOf(params, work);
}

Error WorkOf(const CUDA_MEMCPY3D& params, Work* work) {
  return MakeCopy3D(params, &work->emplace<CopyWork>());
}

MemoryOperation OperationOf(const CUstreamBatchMemOpParams& params) {
  MemoryOperation operation{
      .type = static_cast<MemoryOperationType>(params.operation)};
  switch (params.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      operation.address = ToPointer(params.waitValue.address);
      operation.value = params.waitValue.value64;
      operation.flags = params.waitValue.flags;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      operation.address = ToPointer(params.writeValue.address);
      operation.value = params.writeValue.value64;
      operation.flags = params.writeValue.flags;
      break;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      operation.flags = params.flushRemoteWrites.flags;
      break;
    default: operation.flags = params.memoryBarrier.flags;
  }
  return operation;
}

Error WorkOf(const CUDA_BATCH_MEM_OP_NODE_PARAMS& params, Work* work) {
  if (params.paramArray == nullptr && params.count != 0) {
    return Error::kInvalidValue;
  }
  MemoryOperationsWork operations{.operations = {}, .flags = params.flags};
  for (unsigned i = 0; i < params.count; ++i) {
    operations.operations.push_back(OperationOf(params.paramArray[i]));
  }
  const Error error = CheckMemoryOperations(operations);
  *work = std::move(operations);
  return error;
}

Error SpecOf(const Graph& graph, const CUgraphNodeParams& params,
             NodeSpec* spec) {
  spec->type = static_cast<GraphNodeType>(params.type);
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return WorkOfV3(params.kernel, &spec->work);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return WorkOf(params.memcpy.copyParams, &spec->work);
    case CU_GRAPH_NODE_TYPE_MEMSET: return WorkOfV2(params.memset, &spec->work);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return WorkOf(
          CUDA_BATCH_MEM_OP_NODE_PARAMS{.ctx = params.memOp.ctx,
                                        .count = params.memOp.count,
                                        .paramArray = params.memOp.paramArray,
                                        .flags = params.memOp.flags},
          &spec->work);
    default: return CommonSpecOf(graph, params, spec);
  }
}

Error ParamsOf(const GraphNode& node, CUDA_KERNEL_NODE_PARAMS_v1* params) {
  return KernelParamsOf(node, params);
}

Error ParamsOf(const GraphNode& node, CUDA_KERNEL_NODE_PARAMS_v2* params) {
  return KernelParamsOf(node, params);
}

Error ParamsOf(const GraphNode& node, CUDA_MEMSET_NODE_PARAMS_v1* params) {
  const auto* set = std::get_if<MemsetWork>(&node.work);
  if (set == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {.dst = ToAddress(set->destination),
             .pitch = set->pitch,
             .value = set->value,
             .elementSize = set->element_bytes,
             .width = set->width,
             .height = set->height};
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, CUDA_HOST_NODE_PARAMS_v1* params) {
  const auto* host = std::get_if<HostWork>(&node.work);
  if (host == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {.fn = host->raw, .userData = host->user_data};
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, CUDA_MEMCPY3D* params) {
  const auto* copy = std::get_if<CopyWork>(&node.work);
  if (copy == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = ParamsOf(*copy);
  return Error::kSuccess;
}

Error ParamsOf(const GraphNode& node, CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
  const auto* work = std::get_if<MemoryOperationsWork>(&node.work);
  if (work == nullptr || params == nullptr) return Error::kInvalidValue;
  static_assert(sizeof(CUstreamBatchMemOpParams) == 6 * sizeof(cuuint64_t));
  thread_local std::vector<CUstreamBatchMemOpParams> array;
  array.clear();
  for (const MemoryOperation& operation : work->operations) {
    array.push_back(ToParams(operation));
  }
  *params = {.ctx = nullptr,
             .count = static_cast<unsigned>(array.size()),
             .paramArray = array.data(),
             .flags = work->flags};
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
