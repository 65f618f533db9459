// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/graph_nodes.h"

namespace dltap::shim::cupti {
namespace {

constexpr CUpti_CallbackId kWatched[] = {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                         CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

}  // namespace

void GraphNodes::Begin(const CuptiApi* api, const SourceRuntime* runtime) {
  runtime_ = runtime;
  state_.store(State::kIdle, std::memory_order_relaxed);
  api_.store(api, std::memory_order_release);
  if (wanted_.load(std::memory_order_relaxed)) CaptureBegins();
}

void GraphNodes::CaptureBegins() {
  wanted_.store(true, std::memory_order_relaxed);
  const CuptiApi* api = api_.load(std::memory_order_acquire);
  if (api == nullptr) return;
  State state = State::kIdle;
  if (!state_.compare_exchange_strong(state, State::kChanging)) {
    if (state == State::kRefused) {
      runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
    }
    return;
  }
  const bool done = Subscribe();
  if (!done) runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
  state = State::kChanging;
  state_.compare_exchange_strong(state,
                                 done ? State::kSubscribed : State::kRefused);
}

bool GraphNodes::Subscribe() {
  const CuptiApi& api = *api_.load(std::memory_order_relaxed);
  if (api.subscribe == nullptr || api.unsubscribe == nullptr ||
      api.enable_callback == nullptr || api.get_graph_node_id == nullptr) {
    return false;
  }
  if (api.subscribe(&subscriber_, &GraphNodes::OnResource, this) !=
      CUPTI_SUCCESS) {
    return false;
  }
  for (const CUpti_CallbackId id : kWatched) {
    if (api.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id) !=
        CUPTI_SUCCESS) {
      api.unsubscribe(subscriber_);
      return false;
    }
  }
  return true;
}

void GraphNodes::StepAside() {
  State state = State::kSubscribed;
  if (!state_.compare_exchange_strong(state, State::kChanging)) return;
  const CuptiApi* api = api_.load(std::memory_order_relaxed);
  api->unsubscribe(subscriber_);
  state_.store(State::kRefused, std::memory_order_release);
}

void GraphNodes::End() {
  StepAside();
  Exit();
}

void GraphNodes::MaybeFree() {
  State state = State::kRefused;
  state_.compare_exchange_strong(state, State::kIdle);
}

// Runs inside CUPTI, inside the application's call: asks for ids, queues them,
// nothing else. A driver call from here may deadlock.
void GraphNodes::OnResource(void* self, CUpti_CallbackDomain domain,
                            CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || data == nullptr) return;
  auto* nodes = static_cast<GraphNodes*>(self);
  if (nodes->state_.load(std::memory_order_acquire) == State::kOver) return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* graph =
      static_cast<const CUpti_GraphData*>(resource->resourceDescriptor);
  if (graph != nullptr) nodes->Note(id, *graph);
}

void GraphNodes::Note(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  const CuptiApi& api = *api_.load(std::memory_order_relaxed);
  NodeOrigin origin{.node = 0,
                    .original_node = 0,
                    .call_begin_ticks = 0,
                    .thread = trace::kNoIndex,
                    .graph = 0};
  if (api.get_graph_node_id(graph.node, &origin.node) != CUPTI_SUCCESS) {
    runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
    return;
  }
  if (api.get_graph_id != nullptr) {
    api.get_graph_id(graph.graph, &origin.graph);
  }
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    api.get_graph_node_id(graph.originalNode, &origin.original_node);
  } else {
    runtime_->current_call(&origin.thread, &origin.call_begin_ticks);
  }
  if (!queue_.Push(origin)) {
    runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
  }
}

}  // namespace dltap::shim::cupti
