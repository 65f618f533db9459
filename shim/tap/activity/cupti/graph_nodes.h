// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_

#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/node_queue.h"
#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// Follows CUDA-graph nodes from the call that captured or added them, through
// clones. What finds no room is counted.
class GraphNodes {
 public:
  // Collector, at the begin of a session.
  void Begin(const CuptiApi* api, const SourceRuntime* runtime);

  // Any thread, inside CUPTI's callback for a node that was created or cloned:
  // asks for ids and queues them, nothing else.
  void Note(CUpti_CallbackId id, const CUpti_GraphData& graph);

  // Collector.
  bool Pop(NodeOrigin* origin) { return queue_.Pop(origin); }

 private:
  const CuptiApi* api_ = nullptr;
  const SourceRuntime* runtime_ = nullptr;
  NodeQueue queue_;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_
