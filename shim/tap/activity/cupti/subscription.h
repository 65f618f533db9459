// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_SUBSCRIPTION_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_SUBSCRIPTION_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/cupti/calls_under_way.h"
#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/graph_nodes.h"
#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// CUPTI's callbacks, which run on the application's threads inside their calls:
// at launches, copies and memsets, whose correlation ids belong to the wrapped
// call in progress; and at new graph nodes. Unlike API records they cost
// nothing at other calls, and come from the moment on at which they are asked
// for (tests/gpu/results).
//
// A process has one subscriber. dltap is it from the first recording or capture
// on, and leaves the place to another client that wants it.
class Subscription {
 public:
  // ---- Collector
  // At the begin of a session.
  void Begin(const CuptiApi* api, const SourceRuntime* runtime,
             GraphNodes* nodes);
  // Callbacks at launches from now on, or no more; subscribes for that, if
  // nobody else has. False: there are none to be had.
  bool SwitchLaunches(bool on);
  // Whether a launch was told of since Begin().
  bool has_launches() const {
    return has_launches_.load(std::memory_order_relaxed);
  }
  // Whether callbacks at launches are on.
  bool TellsLaunches() const {
    return IsSubscribed() && launches_.load() == Launches::kOn;
  }
  // Whether the place is free, or was taken for a capture.
  bool MayTellLaunches() const {
    const State state = state_.load(std::memory_order_acquire);
    return state == State::kIdle ||
           (state == State::kSubscribed && launches_.load() == Launches::kOff);
  }
  // A correlation id that is about as new as those to come: they have 32 bits,
  // and wrap.
  void NoteCorrelation(uint64_t id) {
    newest_correlation_.store(id, std::memory_order_relaxed);
  }
  // The trace has ended. Exit(): without calling CUPTI.
  void End();
  void Exit() { state_.store(State::kOver, std::memory_order_release); }

  // ---- Any thread
  // A capture or an explicit graph begins. Nodes that are not watched are
  // counted.
  void CaptureBegins();
  // Another client's call that subscribes begins, and is over: in between the
  // place is not taken for us. Also before Begin().
  void ClientComes() { coming_.Begin(); }
  void ClientHasCome(bool subscribed);
  // Gives up the place. False: it is being taken for us right now, or what we
  // are told of changes.
  bool StepAside();
  // A client has left: the place may be free.
  void MaybeFree();

 private:
  enum class State : uint32_t {
    kIdle = 0,
    kChanging = 1,
    kSubscribed = 2,
    kRefused = 3,  // another client has it
    kOver = 4,     // the trace has ended
  };

  enum class Launches : uint8_t { kOff = 0, kOn = 1, kRefused = 2 };

  static void CUPTIAPI OnCallback(void* self, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId id, const void* data);
  void OnLaunch(const CUpti_CallbackData& call);
  void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& resource);
  bool IsSubscribed() const {
    return state_.load(std::memory_order_acquire) == State::kSubscribed;
  }
  bool Take();
  bool Subscribe();

  std::atomic<const CuptiApi*> api_{nullptr};
  const SourceRuntime* runtime_ = nullptr;
  GraphNodes* nodes_ = nullptr;
  std::atomic<State> state_{State::kIdle};
  std::atomic<Launches> launches_{Launches::kOff};
  std::atomic<bool> has_launches_{false};
  std::atomic<uint64_t> newest_correlation_{0};
  CallsUnderWay coming_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_SUBSCRIPTION_H_
