// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_NODE_ATTRIBUTES_H_
#define DLTAP_SIMGPU_GRAPH_NODE_ATTRIBUTES_H_

#include "simgpu/base/error.h"
#include "simgpu/graph/graph.h"

namespace dltap::simgpu {

// kInvalidValue: not a kernel node, not an attribute of one, or a bad value.
Error SetNodeAttribute(GraphNode& node, int id, const void* value);
Error GetNodeAttribute(const GraphNode& node, int id, void* value);
Error CopyNodeAttributes(const GraphNode& from, GraphNode& to);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_NODE_ATTRIBUTES_H_
