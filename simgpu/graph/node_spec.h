// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_NODE_SPEC_H_
#define DLTAP_SIMGPU_GRAPH_NODE_SPEC_H_

#include <cstring>

#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_condition.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/graph/graph_update.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/event.h"

namespace dltap::simgpu {

// cudaGraphNodeParams and CUgraphNodeParams name their fields alike but for
// kernels, copies and memsets: these functions serve both.

template <typename Params>
Error HostWorkOf(const Params& params, Work* work) {
  if (params.fn == nullptr) return Error::kInvalidValue;
  *work = HostWork{[fn = params.fn, data = params.userData] { fn(data); },
                   params.fn, params.userData};
  return Error::kSuccess;
}

template <typename Params>
Error SemaphoreWorkOf(const Params& params, bool signal, Work* work) {
  if (params.numExtSems == 0 || params.extSemArray == nullptr ||
      params.paramsArray == nullptr) {
    return Error::kInvalidValue;
  }
  SemaphoreWork semaphores{
      .signal = signal, .semaphores = {}, .parameters = {}};
  for (unsigned i = 0; i < params.numExtSems; ++i) {
    if (params.extSemArray[i] == nullptr) return Error::kInvalidHandle;
    semaphores.semaphores.push_back(params.extSemArray[i]);
  }
  semaphores.parameters.resize(params.numExtSems *
                               sizeof(params.paramsArray[0]));
  std::memcpy(semaphores.parameters.data(), params.paramsArray,
              semaphores.parameters.size());
  *work = std::move(semaphores);
  return Error::kSuccess;
}

// The node keeps the arrays for as long as it lives.
template <typename Params>
Error SemaphoreParamsOf(const GraphNode& node, bool signal, Params* params) {
  const auto* work = std::get_if<SemaphoreWork>(&node.work);
  if (work == nullptr || work->signal != signal || params == nullptr) {
    return Error::kInvalidValue;
  }
  using Handle = std::remove_reference_t<decltype(params->extSemArray[0])>;
  using Value = std::remove_reference_t<decltype(params->paramsArray[0])>;
  params->extSemArray =
      reinterpret_cast<Handle*>(const_cast<void**>(work->semaphores.data()));
  params->paramsArray = reinterpret_cast<const Value*>(work->parameters.data());
  params->numExtSems = static_cast<unsigned>(work->semaphores.size());
  return Error::kSuccess;
}

inline Error EventWorkOf(GraphNodeType type, const void* handle, Work* work) {
  Event* event = FromHandle<Event>(handle);
  *work = EventWorkOf(type, event);
  return event == nullptr ? Error::kInvalidHandle : Error::kSuccess;
}

// "Location where the allocation should reside"; IPC is not supported.
template <typename Params>
Error AllocWorkOf(const Params& params, Work* work) {
  constexpr int kPinned = 1;    // allocation type
  constexpr int kOnDevice = 1;  // location type
  const auto& pool = params.poolProps;
  Device* device = FindDevice(pool.location.id);
  if (device == nullptr || static_cast<int>(pool.allocType) != kPinned ||
      static_cast<int>(pool.location.type) != kOnDevice ||
      static_cast<int>(pool.handleTypes) != 0) {
    return Error::kInvalidValue;
  }
  return MakeAllocWork(*device, params.bytesize, work);
}

template <typename Params>
Error AllocParamsOf(const GraphNode& node, Params* params) {
  const auto* alloc = std::get_if<MemoryAllocWork>(&node.work);
  if (alloc == nullptr || params == nullptr) return Error::kInvalidValue;
  *params = {};
  params->poolProps.allocType =
      static_cast<decltype(params->poolProps.allocType)>(1);
  params->poolProps.location.type =
      static_cast<decltype(params->poolProps.location.type)>(1);
  params->poolProps.location.id = alloc->allocation->device->ordinal;
  params->bytesize = alloc->allocation->bytes;
  params->dptr = (decltype(params->dptr))alloc->allocation->address;
  return Error::kSuccess;
}

inline Error FreeParamsOf(const GraphNode& node, void* address_out) {
  const auto* free = std::get_if<MemoryFreeWork>(&node.work);
  if (free == nullptr || address_out == nullptr) return Error::kInvalidValue;
  *static_cast<void**>(address_out) = free->allocation->address;
  return Error::kSuccess;
}

template <typename Params>
Error ChildSpecOf(const Params& params, NodeSpec* spec) {
  spec->child = FromHandle<Graph>(params.graph);
  spec->move_child = static_cast<int>(params.ownership) == 1;
  return spec->child == nullptr ? Error::kInvalidValue : Error::kSuccess;
}

template <typename Params>
Error ConditionalSpecOf(const Params& params, NodeSpec* spec) {
  spec->conditional = {.condition = FromHandle<GraphCondition>(
                           reinterpret_cast<const void*>(params.handle)),
                       .type = static_cast<ConditionType>(params.type),
                       .size = params.size};
  return Error::kSuccess;
}

// All types but kernel, copy, memset and memory operations.
template <typename Params>
Error CommonSpecOf(const Graph& graph, const Params& params, NodeSpec* spec) {
  spec->type = static_cast<GraphNodeType>(params.type);
  switch (spec->type) {
    case GraphNodeType::kHost: return HostWorkOf(params.host, &spec->work);
    case GraphNodeType::kChildGraph: return ChildSpecOf(params.graph, spec);
    case GraphNodeType::kEmpty: return Error::kSuccess;
    case GraphNodeType::kEventRecord:
      return EventWorkOf(spec->type, params.eventRecord.event, &spec->work);
    case GraphNodeType::kEventWait:
      return EventWorkOf(spec->type, params.eventWait.event, &spec->work);
    case GraphNodeType::kSemaphoreSignal:
      return SemaphoreWorkOf(params.extSemSignal, true, &spec->work);
    case GraphNodeType::kSemaphoreWait:
      return SemaphoreWorkOf(params.extSemWait, false, &spec->work);
    case GraphNodeType::kMemoryAlloc:
      return AllocWorkOf(params.alloc, &spec->work);
    case GraphNodeType::kMemoryFree:
      return MakeFreeWork(graph, (void*)params.free.dptr, &spec->work);
    case GraphNodeType::kConditional:
      return ConditionalSpecOf(params.conditional, spec);
    default: return Error::kInvalidValue;
  }
}

// The parameters' "out" fields.
template <typename Params>
void FillOutputs(GraphNode& node, Params& params) {
  if (const auto* alloc = std::get_if<MemoryAllocWork>(&node.work)) {
    params.alloc.dptr = (decltype(params.alloc.dptr))alloc->allocation->address;
  }
  if (node.type == GraphNodeType::kConditional) {
    params.conditional.phGraph_out =
        reinterpret_cast<decltype(params.conditional.phGraph_out)>(
            node.bodies.data());
  }
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_NODE_SPEC_H_
