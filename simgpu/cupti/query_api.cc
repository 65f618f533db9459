// SPDX-License-Identifier: Apache-2.0
// Ids, versions, times and texts.
#include <algorithm>
#include <iterator>
#include <utility>

#include "simgpu/base/activity.h"
#include "simgpu/base/cbid_table.h"
#include "simgpu/cupti/client_clock.h"
#include "simgpu/cupti/cupti_call.h"
#include "simgpu/cupti/toolkit.h"
#include "simgpu/launch/handle_facts.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// Writes what a getter found; 0 is no id.
template <typename Id, typename Value>
CUptiResult Give(Id* id, Value value) {
  if (id == nullptr || value == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = value;
  return CUPTI_SUCCESS;
}

struct ResultText {
  CUptiResult result;
  const char* name;
  const char* message;
};

#define DLTAP_RESULT(name, message) \
  { name, #name, message }
constexpr ResultText kResults[] = {
    DLTAP_RESULT(CUPTI_SUCCESS, "no error"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_PARAMETER, "invalid parameter"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_DEVICE, "invalid device"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_CONTEXT, "invalid context"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_EVENT_DOMAIN_ID,
                 "invalid event domain id"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_EVENT_ID, "invalid event id"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_EVENT_NAME, "invalid event name"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_OPERATION, "invalid operation"),
    DLTAP_RESULT(CUPTI_ERROR_OUT_OF_MEMORY, "out of memory"),
    DLTAP_RESULT(CUPTI_ERROR_HARDWARE, "hardware"),
    DLTAP_RESULT(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT,
                 "parameter size is not sufficient"),
    DLTAP_RESULT(CUPTI_ERROR_API_NOT_IMPLEMENTED, "api not implemented"),
    DLTAP_RESULT(CUPTI_ERROR_MAX_LIMIT_REACHED, "no more records"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_READY, "not ready"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_COMPATIBLE, "not compatible"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_INITIALIZED, "not initialized"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_METRIC_ID, "invalid metric id"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_METRIC_NAME, "invalid metric name"),
    DLTAP_RESULT(CUPTI_ERROR_QUEUE_EMPTY, "queue is empty"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_HANDLE, "invalid handle"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_STREAM, "invalid stream"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_KIND, "invalid activity kind"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_EVENT_VALUE, "invalid event value"),
    DLTAP_RESULT(CUPTI_ERROR_DISABLED, "disabled"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_MODULE, "invalid module"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_METRIC_VALUE, "invalid metric value"),
    DLTAP_RESULT(CUPTI_ERROR_HARDWARE_BUSY, "hardware resource is busy"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_SUPPORTED, "not supported"),
    DLTAP_RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED,
                 "um profiling not supported"),
    DLTAP_RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE,
                 "um profiling not supported on device"),
    DLTAP_RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES,
                 "um profiling not supported on non p2p devices"),
    DLTAP_RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS,
                 "um profiling not supported with mps"),
    DLTAP_RESULT(CUPTI_ERROR_CDP_TRACING_NOT_SUPPORTED,
                 "cdp tracing not supported"),
    DLTAP_RESULT(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
                 "virtualized device not supported"),
    DLTAP_RESULT(CUPTI_ERROR_CUDA_COMPILER_NOT_COMPATIBLE,
                 "cuda compiler not compatible"),
    DLTAP_RESULT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
                 "insufficient privileges"),
    DLTAP_RESULT(CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED,
                 "old profiler api initialized"),
    DLTAP_RESULT(CUPTI_ERROR_OPENACC_UNDEFINED_ROUTINE,
                 "openacc undefined routine"),
    DLTAP_RESULT(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED,
                 "legacy profiler not supported"),
    DLTAP_RESULT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                 "multiple subscribers are not supported"),
    DLTAP_RESULT(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
                 "virtualized device insufficient privileges"),
    DLTAP_RESULT(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
                 "confidential computing not supported"),
    DLTAP_RESULT(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED,
                 "cmp device not supported"),
    DLTAP_RESULT(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
                 "mig device not supported"),
    DLTAP_RESULT(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED,
                 "sli device not supported"),
    DLTAP_RESULT(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
                 "wsl device not supported"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_CHIP_NAME, "invalid chip name"),
    DLTAP_RESULT(CUPTI_ERROR_UNKNOWN, "unknown"),
};
#undef DLTAP_RESULT

const ResultText& TextOf(CUptiResult result) {
  const auto* row = std::find_if(
      std::begin(kResults), std::end(kResults),
      [result](const ResultText& text) { return text.result == result; });
  return row == std::end(kResults) ? *std::prev(row) : *row;
}

thread_local CUptiResult t_last_error = CUPTI_SUCCESS;

// The oldest architecture that the release's CUPTI traces (release notes).
int OldestMajor() {
  constexpr uint32_t k13 = 130000;
  constexpr int kTuring = 7;
  constexpr int kMaxwell = 5;
  return CuptiApiVersion() >= k13 ? kTuring : kMaxwell;
}

bool IsSupported(int major, int minor) {
  constexpr int kTuringMinor = 5;
  const int oldest = OldestMajor();
  if (oldest >= 7 && major == oldest) return minor >= kTuringMinor;
  return major >= oldest;
}

}  // namespace

void RememberCuptiError(CUptiResult result) { t_last_error = result; }

CUptiResult TakeCuptiError() {
  return std::exchange(t_last_error, CUPTI_SUCCESS);
}

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  return Cupti<"cuptiGetVersion">(
      [&] { return Give(version, CuptiApiVersion()); });
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
  return Cupti<"cuptiGetTimestamp">(
      [&] { return Give(timestamp, ClientNow()); });
}

CUptiResult CUPTIAPI cuptiGetContextId(CUcontext context, uint32_t* id) {
  return Cupti<"cuptiGetContextId">(
      [&] { return Give(id, ContextIdOf(context)); });
}

CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  return Cupti<"cuptiGetDeviceId">([&] {
    if (id == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *id = DeviceIdOfContext(context);  // 0 is the first device
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetStreamId(CUcontext, CUstream stream,
                                      uint32_t* id) {
  return Cupti<"cuptiGetStreamId">(
      [&] { return Give(id, StreamIdOf(stream)); });
}

CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext, CUstream stream,
                                        uint8_t per_thread, uint32_t* id) {
  return Cupti<"cuptiGetStreamIdEx">([&] {
    const bool is_default = stream == nullptr && per_thread != 0;
    return Give(id, StreamIdOf(is_default ? CU_STREAM_PER_THREAD : stream));
  });
}

CUptiResult CUPTIAPI cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  return Cupti<"cuptiGetGraphNodeId">(
      [&] { return Give(id, GraphNodeIdOf(node)); });
}

CUptiResult CUPTIAPI cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  return Cupti<"cuptiGetGraphId">([&] {
    // Of an executable graph too: a function for these came with CUDA 12.3, and
    // XLA's profiler, which does without it, gives up at an error.
    const uint32_t found = GraphIdOf(graph);
    return Give(id, found != 0 ? found : GraphExecIdOf(graph));
  });
}

CUptiResult CUPTIAPI cuptiGetGraphExecId(CUgraphExec graph_exec, uint32_t* id) {
  return Cupti<"cuptiGetGraphExecId">(
      [&] { return Give(id, GraphExecIdOf(graph_exec)); });
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result,
                                          const char** text) {
  return Cupti<"cuptiGetResultString">([&] {
    if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *text = TextOf(result).name;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain,
                                          uint32_t cbid, const char** name) {
  return Cupti<"cuptiGetCallbackName">([&] {
    if (name == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    if (!runtime && domain != CUPTI_CB_DOMAIN_DRIVER_API) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    *name =
        NameOfCbid(runtime ? ApiDomain::kRuntime : ApiDomain::kDriver, cbid);
    return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetLastError(void) {
  return Cupti<"cuptiGetLastError">([] { return CUPTI_SUCCESS; }) ==
                 CUPTI_SUCCESS
             ? TakeCuptiError()
             : CUPTI_ERROR_UNKNOWN;
}

CUptiResult CUPTIAPI cuptiComputeCapabilitySupported(int major, int minor,
                                                     int* support) {
  return Cupti<"cuptiComputeCapabilitySupported">([&] {
    if (support == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *support = IsSupported(major, minor) ? 1 : 0;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiDeviceSupported(CUdevice ordinal, int* support) {
  return Cupti<"cuptiDeviceSupported">([&] {
    if (support == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    const Device* device = FindDevice(ordinal);
    if (device == nullptr) return CUPTI_ERROR_INVALID_DEVICE;
    const bool supported =
        IsSupported(device->gpu.compute_major, device->gpu.compute_minor);
    *support = supported ? 1 : 0;
    return CUPTI_SUCCESS;
  });
}

// A simulated GPU is not virtualised.
CUptiResult CUPTIAPI cuptiDeviceVirtualizationMode(
    CUdevice ordinal, CUpti_DeviceVirtualizationMode* mode) {
  return Cupti<"cuptiDeviceVirtualizationMode">([&] {
    if (mode == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    if (FindDevice(ordinal) == nullptr) return CUPTI_ERROR_INVALID_DEVICE;
    *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetErrorMessage(CUptiResult result,
                                          const char** text) {
  return Cupti<"cuptiGetErrorMessage">([&] {
    if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *text = TextOf(result).message;
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
