// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/graph/graph_exec_state.h"
#include "simgpu/stream/device_state.h"

namespace dltap::simgpu {

struct Stream;

Error MakeAllocWork(Device& device, size_t bytes, Work* work);
// kInvalidValue unless the address is one of an allocation node's that the
// rules of cuGraphAddMemFreeNode let this graph free.
Error MakeFreeWork(const Graph& graph, void* address, Work* work);

// cudaMallocAsync and cudaFreeAsync in a stream that captures.
Error CaptureAlloc(Stream& stream, Device& device, size_t bytes,
                   void** address);
Error CaptureFree(Stream& stream, void* address);

// REQUIRES: exec.orders is complete.
GraphMemoryPlan PlanGraphMemory(const GraphExec& exec);

// Before a launch, and when its end is known. kInvalidValue: memory of the last
// launch was not freed; kOutOfMemory: the device is full.
Error TakeGraphMemory(const GraphExec& exec, int64_t begin_ns);
void EndGraphMemory(const GraphExec& exec, int64_t end_ns);

// By the program, in stream order: memory of a launched graph, or what a pool
// or cudaMalloc gave. kInvalidValue: it is not in use.
Error FreeInOrder(void* address, Stream& stream);

// Gives back what no graph uses that runs or is about to.
void TrimGraphMemory(Device& device);

// Numbered as cudaGraphMemAttributeType.
Error GetGraphMemoryAttribute(Device& device, int attribute, uint64_t* value);
// High watermarks alone can be set, and to zero alone.
Error SetGraphMemoryAttribute(Device& device, int attribute, uint64_t value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_
