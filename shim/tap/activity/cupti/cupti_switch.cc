// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/cupti_switch.h"

#include "shim/tap/activity/cupti/activity_view.h"
#include "shim/tap/activity/cupti/launch_cbids.h"
#include "shim/tap/activity/cupti/reason_text.h"

namespace dltap::shim::cupti {
namespace {

// Of the device's memory CUPTI takes a buffer per context at first, and further
// ones while kernels wait to be collected: 250 of 3.2 MB by default, which a
// full device does not have. 32 of 1 MiB hold a million kernels.
struct Limit {
  CUpti_ActivityAttribute attribute;
  size_t value;
  size_t bytes;
};
constexpr Limit kLimits[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, size_t{1} << 20, sizeof(size_t)},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, 32, sizeof(size_t)},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, 32, sizeof(size_t)},
    // Else every thread has a buffer of its own, however short it lives.
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0, sizeof(uint8_t)},
};

// Above the last callback id of any release.
constexpr uint32_t kMostCalls = 4096;

// What we switch on, besides API records: ApiRecordsOn().
constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};

bool IsLaunch(ApiDomain domain, uint32_t id) {
  return domain == ApiDomain::kRuntime ? Contains(kRuntimeLaunches, id)
                                       : Contains(kDriverLaunches, id);
}

}  // namespace

bool CuptiSwitch::HasApiSwitches() const {
  return api_.enable_runtime_api != nullptr &&
         api_.enable_driver_api != nullptr;
}

// What this release does not know it refuses, which does no harm.
void CuptiSwitch::LimitMemory() {
  if (api_.set_attribute == nullptr) return;
  for (const Limit& limit : kLimits) {
    size_t bytes = limit.bytes;
    size_t value = limit.value;
    api_.set_attribute(limit.attribute, &bytes, &value);
  }
}

bool CuptiSwitch::PromiseZeros(bool zeros) {
  uint8_t value = zeros ? 1 : 0;
  size_t bytes = sizeof(value);
  return api_.set_attribute != nullptr &&
         api_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
                            &bytes, &value) == CUPTI_SUCCESS;
}

// Finds CUPTI and its version; says why not.
bool CuptiSwitch::Connect() {
  const char* why = nullptr;
  if (!FindCupti(session_->runtime().real, &api_)) {
    if (!MapCupti(session_->runtime().real)) {
      why = "libcupti was not found";
    } else if (!FindCupti(session_->runtime().real, &api_)) {
      why = "libcupti lacks a function of CUDA 11.0";
    }
  }
  if (why == nullptr && !KeepMapped(api_)) why = "libcupti was unloaded";
  if (why == nullptr) {
    if (!Check("cuptiGetVersion", api_.get_version(&version_))) return false;
    if (version_ < kOldestVersion) why = "libcupti is older than CUDA 11.0";
  }
  if (why != nullptr) session_->runtime().level(trace::Level::kHost, why);
  return why == nullptr;
}

void CuptiSwitch::GiveUp(const char* step, CUptiResult result) {
  session_->runtime().set_pushing(false);
  const char* error = nullptr;
  if (api_.get_result_string != nullptr) {
    api_.get_result_string(result, &error);
  }
  const ReasonText why(step, error, result);
  session_->runtime().level(trace::Level::kHost, why.text());
}

bool CuptiSwitch::Check(const char* step, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return true;
  GiveUp(step, result);
  return false;
}

bool CuptiSwitch::SwitchOnKinds() {
  for (const CUpti_ActivityKind kind : kKinds) {
    const CUptiResult result = api_.activity_enable(kind);
    // Peer copies are a kind that few devices need and some refuse.
    if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2) continue;
    if (!Check("cuptiActivityEnable", result)) return false;
  }
  return true;
}

// API records of launches and copies only: whole kinds, less every other call.
// To switch single calls on does nothing for a context that exists already
// (CUPTI 13.0 on an H100). Libraries before 12.5 know only whole kinds.
bool CuptiSwitch::ApiRecordsOn() {
  api_records_on_ = true;  // a part of it, if this fails
  if (!Check("cuptiActivityEnable",
             api_.activity_enable(CUPTI_ACTIVITY_KIND_RUNTIME)) ||
      !Check("cuptiActivityEnable",
             api_.activity_enable(CUPTI_ACTIVITY_KIND_DRIVER))) {
    return false;
  }
  if (!whole_api_kinds_) {
    SwitchOffOthers(ApiDomain::kRuntime, CUPTI_RUNTIME_TRACE_CBID_SIZE);
    SwitchOffOthers(ApiDomain::kDriver, CUPTI_DRIVER_TRACE_CBID_SIZE);
  }
  return true;
}

// A newer library has more calls than the header, and refuses the id after its
// last. What a client wants stays on.
void CuptiSwitch::SwitchOffOthers(ApiDomain domain, uint32_t known_end) {
  if (!HasApiSwitches()) return;
  for (uint32_t id = 1; id < kMostCalls; ++id) {
    if (api_records_on_ && IsLaunch(domain, id)) continue;
    if (SwitchApiCall(domain, id, false) != CUPTI_SUCCESS && id >= known_end) {
      return;
    }
  }
}

CUptiResult CuptiSwitch::SwitchApiCall(ApiDomain domain, uint32_t id, bool on) {
  if (!on && wants_.Has(domain, id)) return CUPTI_SUCCESS;
  return domain == ApiDomain::kRuntime ? api_.enable_runtime_api(id, on ? 1 : 0)
                                       : api_.enable_driver_api(id, on ? 1 : 0);
}

void CuptiSwitch::Disable(CUpti_ActivityKind kind) {
  if (!wants_.Has(kind)) api_.activity_disable(kind);
}

bool CuptiSwitch::Restore(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME ||
      kind == CUPTI_ACTIVITY_KIND_DRIVER) {
    return api_records_on_ && ApiRecordsOn();
  }
  for (const CUpti_ActivityKind ours : kKinds) {
    if (ours == kind) return api_.activity_enable(kind) == CUPTI_SUCCESS;
  }
  return false;
}

bool CuptiSwitch::Restore(ApiDomain domain, uint32_t id) {
  return api_records_on_ && IsLaunch(domain, id) &&
         SwitchApiCall(domain, id, true) == CUPTI_SUCCESS;
}

void CuptiSwitch::Register() {
  api_.activity_register_callbacks(callbacks_.requested, callbacks_.completed);
}

void CuptiSwitch::UseWholeApiKinds(bool now) {
  whole_api_kinds_ = true;
  if (!now) return;
  api_.activity_enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  api_.activity_enable(CUPTI_ACTIVITY_KIND_DRIVER);
}

void CuptiSwitch::UseApiCalls(bool now) {
  whole_api_kinds_ = false;
  if (now) ApiRecordsOn();
}

// Calls come on before kernels: no kernel is delivered without its launch.
bool CuptiSwitch::On(bool api_records) {
  const bool done = Check("cuptiActivityRegisterCallbacks",
                          api_.activity_register_callbacks(
                              callbacks_.requested, callbacks_.completed)) &&
                    (!api_records || ApiRecordsOn()) && SwitchOnKinds();
  if (!done) {
    Off();
    return false;
  }
  if (api_.get_thread_id_type != nullptr &&
      api_.set_thread_id_type != nullptr) {
    // By default API records carry half a pthread_t, which is reused.
    if (!thread_ids_changed_) api_.get_thread_id_type(&thread_id_type_);
    thread_ids_changed_ = true;
    api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  }
  return true;
}

void CuptiSwitch::ApiRecordsOff() {
  if (!api_records_on_) return;
  api_records_on_ = false;
  DisableApi(ApiDomain::kRuntime, CUPTI_RUNTIME_TRACE_CBID_SIZE);
  DisableApi(ApiDomain::kDriver, CUPTI_DRIVER_TRACE_CBID_SIZE);
}

// A kind that goes off takes single calls with it, which a client may want.
void CuptiSwitch::DisableApi(ApiDomain domain, uint32_t known_end) {
  if (wants_.HasFunctions(domain)) {
    SwitchOffOthers(domain, known_end);
  } else {
    Disable(KindOf(domain));
  }
}

void CuptiSwitch::Off() {
  session_->runtime().set_pushing(false);
  for (const CUpti_ActivityKind kind : kKinds) Disable(kind);
  ApiRecordsOff();
  if (thread_ids_changed_) api_.set_thread_id_type(thread_id_type_);
}

}  // namespace dltap::shim::cupti
