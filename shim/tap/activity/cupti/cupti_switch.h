// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SWITCH_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SWITCH_H_

#include "shim/tap/activity/cupti/client_wants.h"
#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/tracing_session.h"

namespace dltap::shim::cupti {

// What dltap has switched on in CUPTI. Whoever owns CUPTI for us calls it, one
// thread at a time. A failing step is told to the runtime as the reason for
// level `host`. What other clients have switched on, too, stays on.
class CuptiSwitch {
 public:
  // CUPTI's callbacks for activity buffers.
  struct Callbacks {
    CUpti_BuffersCallbackRequestFunc requested;
    CUpti_BuffersCallbackCompleteFunc completed;
  };

  // `wants` outlives it.
  constexpr CuptiSwitch(const TracingSession* session, const ClientWants* wants,
                        Callbacks callbacks)
      : session_(session), wants_(*wants), callbacks_(callbacks) {}

  // Finds CUPTI and its version. False: there is none that serves.
  bool Connect();

  // Limits what CUPTI takes of the device's and the host's memory. Before
  // anything else is asked of CUPTI, unless a client has set it up already.
  void LimitMemory();
  // Buffers are handed over full of zeros, or no more. False: this CUPTI cannot
  // be told.
  bool PromiseZeros(bool zeros);

  // Registers our callbacks and switches on our kinds, API records of launches
  // if they are wanted. False: all is off again.
  bool On(bool api_records);
  void Off();
  // API records of launches, while we are switched on. False: refused.
  bool ApiRecordsOn();
  void ApiRecordsOff();
  // While we are on: a client has switched that off, and it is ours as well.
  // False: it is not.
  bool Restore(CUpti_ActivityKind kind);
  bool Restore(ApiDomain domain, uint32_t id);
  // Our callbacks replace a client's.
  void Register();
  // Records of all API calls, where those of launches alone do not come. `now`:
  // we are switched on.
  void UseWholeApiKinds(bool now);
  // Of launches alone again.
  void UseApiCalls(bool now);

  constexpr const CuptiApi& api() const { return api_; }
  uint32_t version() const { return version_; }
  // Functions of the activity API for one subscriber (..._v2), which exclude
  // those that serve the whole process: "Multiple Subscribers" in NVIDIA's
  // documentation of CUPTI 13.3; the first of them are in 13.2.
  bool HasScopedActivity() const { return version_ >= 130200; }
  bool uses_whole_api_kinds() const { return whole_api_kinds_; }

 private:
  bool SwitchOnKinds();
  bool HasApiSwitches() const;
  void SwitchOffOthers(ApiDomain domain, uint32_t known_end);
  CUptiResult SwitchApiCall(ApiDomain domain, uint32_t id, bool on);
  void Disable(CUpti_ActivityKind kind);
  void DisableApi(ApiDomain domain, uint32_t known_end);
  void GiveUp(const char* step, CUptiResult result);
  bool Check(const char* step, CUptiResult result);

  const TracingSession* session_;
  const ClientWants& wants_;
  Callbacks callbacks_;
  CuptiApi api_{};
  uint32_t version_ = 0;
  bool whole_api_kinds_ = false;
  bool api_records_on_ = false;
  bool thread_ids_changed_ = false;
  CUpti_ActivityThreadIdType thread_id_type_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SWITCH_H_
