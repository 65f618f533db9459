// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_DOT_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_DOT_H_

#include <string>

#include "simgpu/graph/graph.h"

namespace dltap::simgpu {

// The graph in Graphviz' language, child graphs as clusters.
std::string GraphAsDot(const Graph& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_DOT_H_
