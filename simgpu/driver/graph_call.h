// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_GRAPH_CALL_H_
#define DLTAP_SIMGPU_DRIVER_GRAPH_CALL_H_

#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {

// Driver functions about one graph, node or exec: kInvalidValue unless the
// handle is a live one.
template <ApiName kName, typename Body>
CUresult OnGraph(CUgraph handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    Graph* graph = FromHandle<Graph>(handle);
    return graph == nullptr ? Error::kInvalidValue : body(*graph);
  });
}

template <ApiName kName, typename Body>
CUresult OnNode(CUgraphNode handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    GraphNode* node = FromHandle<GraphNode>(handle);
    return node == nullptr ? Error::kInvalidValue : body(*node);
  });
}

template <ApiName kName, typename Body>
CUresult OnExec(CUgraphExec handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    GraphExec* exec = FromHandle<GraphExec>(handle);
    return exec == nullptr ? Error::kInvalidValue : body(*exec);
  });
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_GRAPH_CALL_H_
