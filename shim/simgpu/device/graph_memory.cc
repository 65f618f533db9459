// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/graph_memory.h"

#include <memory>

#include "shim/simgpu/device/memory_pool.h"

namespace dltap::simgpu {

GraphAllocation::~GraphAllocation() {
  if (freed_by_graph) FreeToPool(address, *device->legacy_stream);
}

Error MakeAllocWork(Device& device, size_t bytes, Work* work) {
  if (bytes == 0) return Error::kInvalidValue;
  auto allocation = std::make_shared<GraphAllocation>();
  allocation->device = &device;
  allocation->bytes = bytes;
  const Error error = AllocateFromPool(
      *device.default_pool, bytes, *device.legacy_stream, &allocation->address);
  *work = MemoryAllocWork{std::move(allocation)};
  return error;
}

Error MakeFreeWork(const Graph& graph, void* address, Work* work) {
  for (const GraphNode* node : graph.nodes) {
    const auto* alloc = std::get_if<MemoryAllocWork>(&node->work);
    if (alloc == nullptr || alloc->allocation->address != address) continue;
    if (alloc->allocation->freed_by_graph) return Error::kInvalidValue;
    alloc->allocation->freed_by_graph = true;
    *work = MemoryFreeWork{alloc->allocation};
    return Error::kSuccess;
  }
  return Error::kInvalidValue;
}

}  // namespace dltap::simgpu
