// SPDX-License-Identifier: Apache-2.0
// The activity API: which records, where to, when.
#include <algorithm>
#include <span>

#include "simgpu/base/activity.h"
#include "simgpu/base/config.h"
#include "simgpu/cupti/client.h"
#include "simgpu/cupti/client_clock.h"
#include "simgpu/cupti/cupti_call.h"
#include "simgpu/cupti/external_ids.h"
#include "simgpu/cupti/record_table.h"
#include "simgpu/cupti/resource_records.h"
#include "simgpu/cupti/thread_ids.h"
#include "simgpu/cupti/toolkit.h"
#include "simgpu/launch/handle_facts.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// Kinds that programs enable and that never occur here: accepted, as CUPTI
// accepts kinds that happen not to occur.
constexpr CUpti_ActivityKind kSilentKinds[] = {
    CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
};

// "This activity cannot be directly enabled or disabled": the client writes
// such records itself, from what callbacks tell.
constexpr CUpti_ActivityKind kWrittenByClients[] = {
    CUPTI_ACTIVITY_KIND_MODULE,
};

// "Starting with the CUDA 13.0 release, this enum is unsupported. Enabling it
// will return the error code CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED."
constexpr uint32_t kLegacyUntil = 130000;
constexpr CUpti_ActivityKind kLegacyKinds[] = {
    CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR,
    CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS,
    CUPTI_ACTIVITY_KIND_BRANCH,
    CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION,
    CUPTI_ACTIVITY_KIND_SHARED_ACCESS,
    CUPTI_ACTIVITY_KIND_PC_SAMPLING,
    CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO,
    CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION,
};

bool Holds(std::span<const CUpti_ActivityKind> kinds, CUpti_ActivityKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

CUptiResult Check(CUpti_ActivityKind kind) {
  if (!SimulationEnabled()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (Holds(kLegacyKinds, kind) && CuptiApiVersion() >= kLegacyUntil) {
    return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
  }
  const bool known = Holds(kSilentKinds, kind) || RecordBytes(kind) != 0;
  return known && !Holds(kWrittenByClients, kind) ? CUPTI_SUCCESS
                                                  : CUPTI_ERROR_INVALID_KIND;
}

// "V1 APIs and V2 APIs cannot be used together": a subscriber of
// cuptiSubscribe_v2 has functions of its own.
bool IsExcluded() {
  return HasScopedActivity() && Client::Get().subscriber().is_scoped();
}

CUptiResult SetKind(CUpti_ActivityKind kind, bool enable) {
  if (IsExcluded()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  const CUptiResult checked = Check(kind);
  if (checked != CUPTI_SUCCESS) return checked;
  if (enable) BeginClientTime();
  Client::Get().selection().SetKind(kind, enable);
  Client::Get().Apply();
  return CUPTI_SUCCESS;
}

CUptiResult SetKindInContext(CUcontext context, CUpti_ActivityKind kind,
                             bool enable) {
  const CUptiResult checked = Check(kind);
  if (checked != CUPTI_SUCCESS) return checked;
  const uint32_t id = ContextIdOf(context);
  if (id == 0) return CUPTI_ERROR_INVALID_CONTEXT;
  Client::Get().selection().SetKindInContext(kind, id, enable);
  Client::Get().Apply();
  return CUPTI_SUCCESS;
}

// Once there is a context, CUPTI 13.0 takes a call that is switched on alone,
// but delivers nothing of it unless its kind is on: see tests/gpu/results.
bool ComesTooLate(ApiDomain domain) {
  const CUpti_ActivityKind kind = domain == ApiDomain::kRuntime
                                      ? CUPTI_ACTIVITY_KIND_RUNTIME
                                      : CUPTI_ACTIVITY_KIND_DRIVER;
  return !Client::Get().selection().HasKind(kind) &&
         !Inventory(CUPTI_ACTIVITY_KIND_CONTEXT).empty();
}

CUptiResult SetFunction(ApiDomain domain, uint32_t cbid, bool enable) {
  if (enable && ComesTooLate(domain)) return CUPTI_SUCCESS;
  if (!Client::Get().selection().SetFunction(domain, cbid, enable)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  Client::Get().Apply();
  return CUPTI_SUCCESS;
}

CUptiResult NextRecord(uint8_t* buffer, size_t valid_bytes,
                       CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  uint8_t* next = buffer;
  if (*record != nullptr) {
    const size_t size = RecordBytes((*record)->kind);
    if (size == 0) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<uint8_t*>(*record) + size;
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

CUptiResult CUPTIAPI
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  return Cupti<"cuptiActivityRegisterCallbacks">([&] {
    if (request == nullptr || complete == nullptr) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    if (IsExcluded()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    Client::Get().delivery().SetCallbacks(request, complete);
    Client::Get().Apply();
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  return Cupti<"cuptiActivityEnable">([&] { return SetKind(kind, true); });
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  return Cupti<"cuptiActivityDisable">([&] { return SetKind(kind, false); });
}

CUptiResult CUPTIAPI cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  return Cupti<"cuptiActivityEnableAndDump">([&] {
    const CUptiResult result = SetKind(kind, true);
    if (result == CUPTI_SUCCESS) Client::Get().Describe(kind);
    return result;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnableContext(CUcontext context,
                                                CUpti_ActivityKind kind) {
  return Cupti<"cuptiActivityEnableContext">(
      [&] { return SetKindInContext(context, kind, true); });
}

CUptiResult CUPTIAPI cuptiActivityDisableContext(CUcontext context,
                                                 CUpti_ActivityKind kind) {
  return Cupti<"cuptiActivityDisableContext">(
      [&] { return SetKindInContext(context, kind, false); });
}

CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid,
                                                   uint8_t enable) {
  return Cupti<"cuptiActivityEnableRuntimeApi">(
      [&] { return SetFunction(ApiDomain::kRuntime, cbid, enable != 0); });
}

CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId cbid,
                                                  uint8_t enable) {
  return Cupti<"cuptiActivityEnableDriverApi">(
      [&] { return SetFunction(ApiDomain::kDriver, cbid, enable != 0); });
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  return Cupti<"cuptiActivityFlushAll">([&] {
    const bool forced = (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
    Client::Get().delivery().Pump(true, forced);
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return cuptiActivityFlushAll(flag);
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer,
                                                size_t valid_bytes,
                                                CUpti_Activity** record) {
  return Cupti<"cuptiActivityGetNextRecord">(
      [&] { return NextRecord(buffer, valid_bytes, record); });
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                                       size_t* dropped) {
  return Cupti<"cuptiActivityGetNumDroppedRecords">([&] {
    if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *dropped = Client::Get().delivery().TakeDropped();
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityPushExternalCorrelationId(
    CUpti_ExternalCorrelationKind kind, uint64_t id) {
  return Cupti<"cuptiActivityPushExternalCorrelationId">([&] {
    return ExternalIds::OfThread().Push(kind, id)
               ? CUPTI_SUCCESS
               : CUPTI_ERROR_INVALID_PARAMETER;
  });
}

CUptiResult CUPTIAPI cuptiActivityPopExternalCorrelationId(
    CUpti_ExternalCorrelationKind kind, uint64_t* last_id) {
  return Cupti<"cuptiActivityPopExternalCorrelationId">([&] {
    if (!ExternalIds::IsKind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
    return ExternalIds::OfThread().Pop(kind, last_id) ? CUPTI_SUCCESS
                                                      : CUPTI_ERROR_QUEUE_EMPTY;
  });
}

CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  return Cupti<"cuptiActivityRegisterTimestampCallback">([&] {
    if (callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    SetTimestampCallback(callback);
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  return Cupti<"cuptiSetThreadIdType">([&] {
    return SetThreadIdType(type) ? CUPTI_SUCCESS
                                 : CUPTI_ERROR_INVALID_PARAMETER;
  });
}

CUptiResult CUPTIAPI cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  return Cupti<"cuptiGetThreadIdType">([&] {
    if (type == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *type = ThreadIdType();
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  return Cupti<"cuptiActivityEnableLatencyTimestamps">([&] {
    Client::Get().options().latencies = enable != 0;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI
cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  return Cupti<"cuptiActivityEnableCudaEventDeviceTimestamps">([&] {
    Client::Get().options().event_times = enable != 0;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnableAllocationSource(uint8_t enable) {
  return Cupti<"cuptiActivityEnableAllocationSource">([&] {
    Client::Get().options().allocation_source = enable != 0;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  return Cupti<"cuptiActivityEnableAllSyncRecords">([&] {
    Client::Get().options().unready_queries = enable != 0;
    return CUPTI_SUCCESS;
  });
}

// No graph is launched by a simulated device.
CUptiResult CUPTIAPI cuptiActivityEnableDeviceGraph(uint8_t) {
  return Cupti<"cuptiActivityEnableDeviceGraph">([] { return CUPTI_SUCCESS; });
}

// "This option is only available on Blackwell architecture." Times are exact
// with and without it.
CUptiResult CUPTIAPI cuptiActivityEnableHWTrace(uint8_t) {
  return Cupti<"cuptiActivityEnableHWTrace">([] {
    constexpr int kBlackwell = 10;
    const Device* device = FindDevice(0);
    if (device == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
    return device->gpu.compute_major >= kBlackwell ? CUPTI_SUCCESS
                                                   : CUPTI_ERROR_NOT_SUPPORTED;
  });
}

CUptiResult CUPTIAPI cuptiActivityFlushPeriod(uint32_t time) {
  return Cupti<"cuptiActivityFlushPeriod">([&] {
    Client::Get().delivery().SetPeriod(std::chrono::milliseconds(time));
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiFinalize(void) {
  return Cupti<"cuptiFinalize">([] {
    Client::Get().Detach();
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
