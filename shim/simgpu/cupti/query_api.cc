// SPDX-License-Identifier: Apache-2.0
// Ids, versions, times and texts.
#include <algorithm>
#include <iterator>

#include "shim/simgpu/cupti/client_clock.h"
#include "shim/simgpu/cupti/cupti_call.h"
#include "shim/simgpu/cupti/toolkit.h"
#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/cbid_table.h"

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
    DLTAP_RESULT(CUPTI_ERROR_NOT_INITIALIZED, "not initialized"),
    DLTAP_RESULT(CUPTI_ERROR_HARDWARE_BUSY, "hardware resource is busy"),
    DLTAP_RESULT(CUPTI_ERROR_INVALID_KIND, "invalid activity kind"),
    DLTAP_RESULT(CUPTI_ERROR_QUEUE_EMPTY, "queue is empty"),
    DLTAP_RESULT(CUPTI_ERROR_MAX_LIMIT_REACHED, "no more records"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_COMPATIBLE, "not compatible"),
    DLTAP_RESULT(CUPTI_ERROR_NOT_SUPPORTED, "not supported"),
    DLTAP_RESULT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
                 "insufficient privileges"),
    DLTAP_RESULT(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT,
                 "parameter size is not sufficient"),
    DLTAP_RESULT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                 "multiple subscribers are not supported"),
    DLTAP_RESULT(CUPTI_ERROR_UNKNOWN, "unknown error"),
};
#undef DLTAP_RESULT

const ResultText& TextOf(CUptiResult result) {
  const auto* row = std::find_if(
      std::begin(kResults), std::end(kResults),
      [result](const ResultText& text) { return text.result == result; });
  return row == std::end(kResults) ? *std::prev(row) : *row;
}

}  // namespace
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
  return Cupti<"cuptiGetGraphId">([&] { return Give(id, GraphIdOf(graph)); });
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

CUptiResult CUPTIAPI cuptiGetErrorMessage(CUptiResult result,
                                          const char** text) {
  return Cupti<"cuptiGetErrorMessage">([&] {
    if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *text = TextOf(result).message;
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
