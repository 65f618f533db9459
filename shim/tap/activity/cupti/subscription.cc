// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/subscription.h"

#include "shim/tap/activity/cupti/activity_view.h"
#include "shim/tap/activity/cupti/launch_cbids.h"

namespace dltap::shim::cupti {
namespace {

constexpr CUpti_CallbackId kNodeEvents[] = {
    CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

// Ids that this library does not know are refused. False: all were.
template <int kRanges>
bool EnableLaunches(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                    CUpti_CallbackDomain domain,
                    const CbidRange (&launches)[kRanges], bool on) {
  bool any = false;
  for (const CbidRange& range : launches) {
    for (uint32_t id = range.first; id <= range.last; ++id) {
      any |= api.enable_callback(on ? 1 : 0, subscriber, domain, id) ==
             CUPTI_SUCCESS;
    }
  }
  return any;
}

}  // namespace

void Subscription::Begin(const CuptiApi* api, const SourceRuntime* runtime,
                         GraphNodes* nodes) {
  runtime_ = runtime;
  nodes_ = nodes;
  nodes->Begin(api, runtime);
  has_launches_.store(false, std::memory_order_relaxed);
  newest_correlation_.store(0, std::memory_order_relaxed);
  state_.store(State::kIdle, std::memory_order_relaxed);
  api_.store(api, std::memory_order_release);
}

// False: somebody else has the place, or just takes it. A client that comes
// after the look at `coming_` sees that the place is being taken, and waits.
bool Subscription::Take() {
  State state = State::kIdle;
  if (!state_.compare_exchange_strong(state, State::kChanging)) {
    return state == State::kSubscribed;
  }
  if (coming_.Any()) {
    state_.store(State::kIdle);
    return false;
  }
  launches_.store(Launches::kOff);
  const bool done = Subscribe();
  state = State::kChanging;
  state_.compare_exchange_strong(state,
                                 done ? State::kSubscribed : State::kRefused);
  return done;
}

bool Subscription::Subscribe() {
  const CuptiApi& api = *api_.load(std::memory_order_relaxed);
  if (api.subscribe == nullptr || api.unsubscribe == nullptr ||
      api.enable_callback == nullptr) {
    return false;
  }
  if (api.subscribe(&subscriber_, &Subscription::OnCallback, this) !=
      CUPTI_SUCCESS) {
    return false;
  }
  for (const CUpti_CallbackId id : kNodeEvents) {
    if (api.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id) !=
        CUPTI_SUCCESS) {
      api.unsubscribe(subscriber_);
      return false;
    }
  }
  return true;
}

// The handle is ours until it is unsubscribed, which a client's thread does: it
// waits meanwhile. CUPTI may give the next subscriber the same handle.
bool Subscription::SwitchLaunches(bool on) {
  if (on && !Take()) return false;
  State state = State::kSubscribed;
  if (!state_.compare_exchange_strong(state, State::kChanging)) return false;
  const CuptiApi& api = *api_.load(std::memory_order_relaxed);
  const bool runtime = EnableLaunches(
      api, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API, kRuntimeLaunches, on);
  const bool driver = EnableLaunches(
      api, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, kDriverLaunches, on);
  const bool any = runtime && driver;
  launches_.store(!on ? Launches::kOff
                      : (any ? Launches::kOn : Launches::kRefused));
  state = State::kChanging;
  return state_.compare_exchange_strong(state, State::kSubscribed) && any;
}

void Subscription::CaptureBegins() {
  if (api_.load(std::memory_order_acquire) == nullptr || Take()) return;
  if (state_.load(std::memory_order_relaxed) == State::kRefused ||
      coming_.Any()) {
    runtime_->lost(trace::LossKind::kGraphNodeUnknown, 1);
  }
}

void Subscription::ClientHasCome(bool subscribed) {
  if (!subscribed) MaybeFree();
  coming_.End();
}

bool Subscription::StepAside() {
  State state = State::kSubscribed;
  if (!state_.compare_exchange_strong(state, State::kChanging)) {
    return state != State::kChanging;
  }
  const CuptiApi* api = api_.load(std::memory_order_relaxed);
  api->unsubscribe(subscriber_);
  state_.store(State::kRefused, std::memory_order_release);
  return true;
}

void Subscription::End() {
  StepAside();
  Exit();
}

void Subscription::MaybeFree() {
  State state = State::kRefused;
  state_.compare_exchange_strong(state, State::kIdle);
}

// Runs inside CUPTI, inside the application's call: a driver call from here may
// deadlock.
void Subscription::OnCallback(void* self, CUpti_CallbackDomain domain,
                              CUpti_CallbackId id, const void* data) {
  auto* subscription = static_cast<Subscription*>(self);
  if (data == nullptr ||
      subscription->state_.load(std::memory_order_relaxed) == State::kOver) {
    return;
  }
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    subscription->OnResource(id, *static_cast<const CUpti_ResourceData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
             domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    subscription->OnLaunch(*static_cast<const CUpti_CallbackData*>(data));
  }
}

// A launch of the runtime is told of again as the driver's, with the same id.
void Subscription::OnLaunch(const CUpti_CallbackData& call) {
  if (call.callbackSite != CUPTI_API_ENTER) return;
  if (!has_launches()) has_launches_.store(true, std::memory_order_relaxed);
  runtime_->launched(WidenCorrelation(
      call.correlationId, newest_correlation_.load(std::memory_order_relaxed)));
}

void Subscription::OnResource(CUpti_CallbackId id,
                              const CUpti_ResourceData& resource) {
  const auto* graph =
      static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  if (graph != nullptr) nodes_->Note(id, *graph);
}

}  // namespace dltap::shim::cupti
