// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_MEMORY_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_MEMORY_H_

#include <cstddef>

#include "shim/simgpu/device/device.h"
#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/graph.h"

namespace dltap::simgpu {

// Memory of an allocation node. It is there from the node's creation on, at one
// address for all launches. When the graph frees it, it is given back with the
// last graph and exec that hold the nodes; else it is the client's to free.
struct GraphAllocation {
  GraphAllocation() = default;
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;
  ~GraphAllocation();

  void* address = nullptr;
  size_t bytes = 0;
  Device* device = nullptr;
  bool freed_by_graph = false;
};

// Allocates from the device's default pool.
Error MakeAllocWork(Device& device, size_t bytes, Work* work);
// kInvalidValue unless a node of the graph allocates the address and none frees
// it yet.
Error MakeFreeWork(const Graph& graph, void* address, Work* work);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_MEMORY_H_
