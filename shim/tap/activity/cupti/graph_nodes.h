// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/node_queue.h"
#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// Follows CUDA-graph nodes from the call that captured or added them, through
// clones, by CUPTI's resource callbacks. There is one subscriber per process,
// so dltap subscribes only from the first capture on, and leaves when another
// client wants to. Nodes that were not watched are counted.
class GraphNodes {
 public:
  // Collector, at the begin of a session; later calls find the api complete.
  void Begin(const CuptiApi* api, const SourceRuntime* runtime);

  // Any thread: a capture or an explicit graph begins.
  void CaptureBegins();
  // The same before there is a session.
  void WantCaptures() { wanted_.store(true, std::memory_order_relaxed); }
  // Another client subscribes: give up the place. Afterwards: it may be free.
  void StepAside();
  void MaybeFree();

  // Collector: the trace has ended. Exit(): without calling CUPTI.
  void End();
  void Exit() { state_.store(State::kOver, std::memory_order_release); }

  // Collector.
  bool Pop(NodeOrigin* origin) { return queue_.Pop(origin); }

 private:
  enum class State : uint32_t {
    kIdle = 0,
    kChanging = 1,
    kSubscribed = 2,
    kRefused = 3,  // another client has it
    kOver = 4,     // the trace has ended
  };

  static void OnResource(void* self, CUpti_CallbackDomain domain,
                         CUpti_CallbackId id, const void* data);
  void Note(CUpti_CallbackId id, const CUpti_GraphData& graph);
  bool Subscribe();

  std::atomic<const CuptiApi*> api_{nullptr};
  const SourceRuntime* runtime_ = nullptr;
  std::atomic<State> state_{State::kIdle};
  std::atomic<bool> wanted_{false};  // a capture began before the session
  CUpti_SubscriberHandle subscriber_ = nullptr;
  NodeQueue queue_;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_GRAPH_NODES_H_
