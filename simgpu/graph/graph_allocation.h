// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_ALLOCATION_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_ALLOCATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace dltap::simgpu {

struct Device;

// Memory of an allocation node: one address for all launches, which lives as
// long as a graph or exec holds the node, or the memory is in use. It takes
// bytes of its device when it is launched: see GraphMemoryPlan.
struct GraphAllocation {
  void* address = nullptr;
  size_t bytes = 0;  // as asked for
  size_t mapped_bytes = 0;
  uint64_t file_offset = 0;
  Device* device = nullptr;
  bool freed_by_graph = false;   // by a node of the graph that allocates it
  bool freed_elsewhere = false;  // by a node of another graph
};
using GraphAllocationRef = std::shared_ptr<GraphAllocation>;

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_ALLOCATION_H_
