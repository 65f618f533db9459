// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_OTHER_CLIENTS_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_OTHER_CLIENTS_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/cupti/activity_clock.h"
#include "shim/tap/activity/cupti/buffer_exchange.h"
#include "shim/tap/activity/cupti/calls_under_way.h"
#include "shim/tap/activity/cupti/client_wants.h"
#include "shim/tap/activity/cupti/cupti_switch.h"
#include "shim/tap/activity/cupti/subscription.h"
#include "shim/tap/activity/cupti/tracing_session.h"

namespace dltap::shim::cupti {

// Decides which client has CUPTI. A process has one pair of buffer callbacks,
// one set of kinds, one subscriber. Another client's rights come first: when it
// registers, our records are flushed and our kinds switched off
// on its thread, before its call reaches CUPTI; when its last kind is off and
// it has flushed, the collector takes back.
class OtherClients {
 public:
  enum class Owner : uint32_t {
    kNobody = 0,  // we do not trace
    kOurs = 1,
    kYielding = 2,  // this and kTaking are short and exclusive
    kClient = 3,
    kTaking = 4,
    kPaused = 5,  // ours, switched off: nothing is recorded now
    kOver = 6,    // the trace has ended: CUPTI is not used again
  };

  // What it acts upon. All outlive it.
  struct Parts {
    const TracingSession* session;
    ClientWants* wants;
    CuptiSwitch* cupti;
    BufferExchange* buffers;
    ActivityClock* clock;
    Subscription* subscription;
  };
  constexpr explicit OtherClients(const Parts& parts) : parts_(parts) {}

  Owner owner() const { return owner_.load(std::memory_order_acquire); }

  // ---- Collector
  // A session begins; no client traces yet.
  void Reset() {
    callbacks_fail_ = false;
    owner_.store(Owner::kNobody, std::memory_order_relaxed);
  }
  // Takes CUPTI for us, switched on or `paused`, unless a client has it.
  // False: CUPTI refused.
  bool Begin(bool paused);
  // Between these two the caller switches our kinds off and fetches our
  // records; a client that comes waits until then. False: CUPTI is not ours.
  bool BeginPause();
  void EndPause();
  // Switches our kinds on again. False: not ours to do, or refused.
  bool Resume();
  // The trace has ended: everything of ours off, nothing wanted any more. A
  // client that has CUPTI, or comes later, goes on being served.
  void Stop();
  // The process exits: as Stop(), but CUPTI is not called.
  void Exit();
  // Asks a client for a buffer, see BufferExchange::Stage().
  void StageIfWanted();
  // Takes back what a client has left. True: it is ours again.
  bool TakeBackIfLeft();
  // Switches off what is ours to switch; the owner stays.
  void SwitchOff();
  // While CUPTI is ours: how launches are told of follows what can be had.
  // `callbacks_fail`: they do not come.
  void ChooseLaunches(bool callbacks_fail);
  // By callbacks, else by API records.
  bool has_callbacks() const { return has_callbacks_; }
  // When a client got CUPTI, in CUPTI's clock.
  uint64_t yielded_ns() const {
    return yielded_ns_.load(std::memory_order_relaxed);
  }

  // ---- Calls of other clients, from the hooks around them
  void BeforeRegister();
  void AfterRegister(CUpti_BuffersCallbackRequestFunc requested,
                     CUpti_BuffersCallbackCompleteFunc completed);
  void BeforeTimestampCallback();
  void AfterTimestampCallback(CUpti_TimestampCallbackFunc callback);
  void BeforeEnable();
  void AfterEnable(int32_t kind);
  // The call that BeforeRegister() or BeforeEnable() stands before is over,
  // whether it succeeded or not.
  void HasCome();
  void AfterDisable(int32_t kind);
  // A single API function.
  void AfterFunction(ApiDomain domain, uint32_t id, bool on);
  void AfterFlush();
  void BeforeFinalize();
  void BeforeSubscribe();
  void AfterSubscribe(bool subscribed);
  // By cuptiSubscribe_v2: where its clients have activity functions of their
  // own, all of CUPTI is theirs until they have left.
  void BeforeScopedSubscribe();
  void AfterScopedSubscribe(bool subscribed);
  void AfterUnsubscribe();

  // ---- CUPTI's buffer callbacks
  void BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records);
  void BufferCompleted(const BufferExchange::Completion& completion);

 private:
  bool IsWanted() const;
  bool IsClients() const;
  bool TakeOver();
  void StepAside();
  void ServeAfterEnd();
  void TurnToOtherLaunches();
  void HandOver(bool is_on);
  void HasEnabled();
  void HasDisabled(bool was_last);
  template <typename... What>
  void RestoreOurs(What... what);
  void AskForStaging();

  Parts parts_;
  std::atomic<Owner> owner_{Owner::kNobody};
  std::atomic<uint64_t> left_ns_{0};  // monotonic, of the last client
  std::atomic<bool> flushed_{false};
  CallsUnderWay coming_;  // that register or switch a kind on
  std::atomic<bool> wants_staging_{false};
  std::atomic<uint64_t> yielded_ns_{0};  // CUPTI
  // Of whoever holds CUPTI for us.
  bool has_callbacks_ = false;
  bool callbacks_fail_ = false;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_OTHER_CLIENTS_H_
