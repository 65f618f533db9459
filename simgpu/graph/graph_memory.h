// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/graph/graph.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

struct GraphExec;
struct Stream;

// Memory of an allocation node: one address for all launches, which lives as
// long as a graph or exec holds the node, or the memory is in use. It takes
// bytes of its device when it is launched: see GraphMemoryPlan.
struct GraphAllocation {
  GraphAllocation() = default;
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;
  ~GraphAllocation();

  void* address = nullptr;
  size_t bytes = 0;  // as asked for
  size_t mapped_bytes = 0;
  uint64_t file_offset = 0;
  Device* device = nullptr;
  bool freed_by_graph = false;   // by a node of the graph that allocates it
  bool freed_elsewhere = false;  // by a node of another graph
};
using GraphAllocationRef = std::shared_ptr<GraphAllocation>;

Error MakeAllocWork(Device& device, size_t bytes, Work* work);
// kInvalidValue unless the address is one of an allocation node's that the
// rules of cuGraphAddMemFreeNode let this graph free.
Error MakeFreeWork(const Graph& graph, void* address, Work* work);

// cudaMallocAsync and cudaFreeAsync in a stream that captures.
Error CaptureAlloc(Stream& stream, Device& device, size_t bytes,
                   void** address);
Error CaptureFree(Stream& stream, void* address);

// What a launch does with memory.
struct GraphMemoryPlan {
  struct Need {
    size_t peak_bytes = 0;
    size_t kept_bytes = 0;  // of them, what stays in use after the launch
  };
  std::vector<GraphAllocationRef> kept;
  std::vector<GraphAllocationRef> freed;  // of other graphs
  std::map<Device*, Need> needs;
};

// REQUIRES: exec.orders is complete.
GraphMemoryPlan PlanGraphMemory(const GraphExec& exec);

// Before a launch, and when its end is known. kInvalidValue: memory of the last
// launch was not freed; kOutOfMemory: the device is full.
Error TakeGraphMemory(const GraphExec& exec, int64_t begin_ns);
void EndGraphMemory(const GraphExec& exec, int64_t end_ns);

// Of a launched graph, by the program. kInvalidValue: it is not in use.
Error FreeGraphMemory(void* address);

// Gives back what no graph uses that runs or is about to.
void TrimGraphMemory(Device& device);

// Numbered as cudaGraphMemAttributeType.
Error GetGraphMemoryAttribute(Device& device, int attribute, uint64_t* value);
// High watermarks alone can be set, and to zero alone.
Error SetGraphMemoryAttribute(Device& device, int attribute, uint64_t value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_MEMORY_H_
