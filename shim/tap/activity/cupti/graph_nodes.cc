// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/graph_nodes.h"

namespace dltap::shim::cupti {
void GraphNodes::Begin(const CuptiApi* api, const SourceRuntime* runtime) {
  api_ = api;
  runtime_ = runtime;
}

void GraphNodes::Note(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  NodeOrigin origin{.node = 0,
                    .original_node = 0,
                    .call_begin_ticks = 0,
                    .thread = trace::kNoIndex,
                    .graph = 0};
  if (api_->get_graph_node_id == nullptr ||
      api_->get_graph_node_id(graph.node, &origin.node) != CUPTI_SUCCESS) {
    runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
    return;
  }
  if (api_->get_graph_id != nullptr) {
    api_->get_graph_id(graph.graph, &origin.graph);
  }
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    api_->get_graph_node_id(graph.originalNode, &origin.original_node);
  } else {
    runtime_->current_call(&origin.thread, &origin.call_begin_ticks);
  }
  if (!queue_.Push(origin)) {
    runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
  }
}

}  // namespace dltap::shim::cupti
