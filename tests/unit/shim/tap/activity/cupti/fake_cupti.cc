// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/shim/tap/activity/cupti/fake_cupti.h"

#include <cstring>

#include "shim/tap/activity/cupti/activity_view.h"

namespace dltap::shim::cupti {
namespace {

FakeCupti* g_fake = nullptr;

}  // namespace

// The C functions, in front of the one FakeCupti that lives.
struct FakeCuptiFunctions {
  static CUptiResult Fails(const char* name) {
    if (g_fake->on_call) g_fake->on_call(name);
    const auto found = g_fake->failing.find(name);
    return found == g_fake->failing.end() ? CUPTI_SUCCESS : found->second;
  }

  static CUptiResult GetVersion(uint32_t* version) {
    *version = g_fake->version;
    return Fails("cuptiGetVersion");
  }
  static CUptiResult GetTimestamp(uint64_t* now) {
    const bool follows = g_fake->timestamp_follows_callback &&
                         g_fake->timestamp_callback != nullptr;
    *now = follows ? g_fake->timestamp_callback() : g_fake->now;
    return Fails("cuptiGetTimestamp");
  }
  static CUptiResult RegisterCallbacks(
      CUpti_BuffersCallbackRequestFunc requested,
      CUpti_BuffersCallbackCompleteFunc completed) {
    const CUptiResult result = Fails("cuptiActivityRegisterCallbacks");
    if (result == CUPTI_SUCCESS) {
      g_fake->requested = requested;
      g_fake->completed = completed;
    }
    return result;
  }
  static CUptiResult Enable(CUpti_ActivityKind kind) {
    CUptiResult result = Fails("cuptiActivityEnable");
    if (result == CUPTI_SUCCESS) {
      result = Fails(("kind " + std::to_string(kind)).c_str());
    }
    if (result != CUPTI_SUCCESS) return result;
    g_fake->kinds.insert(kind);
    g_fake->ForgetIds(kind);
    return result;
  }
  static CUptiResult SetAttribute(CUpti_ActivityAttribute attribute,
                                  size_t* bytes, void* value) {
    uint64_t number = 0;
    memcpy(&number, value, *bytes);
    g_fake->attributes[attribute] = number;
    g_fake->limited_first |= g_fake->kinds.empty();
    return Fails("cuptiActivitySetAttribute");
  }
  static CUptiResult Disable(CUpti_ActivityKind kind) {
    g_fake->kinds.erase(kind);
    g_fake->ForgetIds(kind);
    return Fails("cuptiActivityDisable");
  }
  static CUptiResult FlushAll(uint32_t flags) {
    g_fake->Flush(flags);
    return Fails("cuptiActivityFlushAll");
  }
  static CUptiResult GetNextRecord(uint8_t* buffer, size_t valid_bytes,
                                   CUpti_Activity** record) {
    size_t offset = 0;
    if (*record != nullptr) {
      offset =
          static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - buffer) +
          g_fake->SizeOf(*record);
    }
    if (offset >= valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(buffer + offset);
    return g_fake->SizeOf(*record) == 0 ? CUPTI_ERROR_INVALID_KIND
                                        : CUPTI_SUCCESS;
  }
  static CUptiResult GetDropped(CUcontext, uint32_t, size_t* dropped) {
    *dropped = g_fake->dropped;
    g_fake->dropped = 0;
    return CUPTI_SUCCESS;
  }
  static CUptiResult Push(CUpti_ExternalCorrelationKind kind, uint64_t id) {
    const CUptiResult result = Fails("cuptiActivityPushExternalCorrelationId");
    if (kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 &&
        result == CUPTI_SUCCESS) {
      g_fake->external_ids.push_back(id);
    }
    return result;
  }
  static CUptiResult Pop(CUpti_ExternalCorrelationKind, uint64_t* id) {
    Fails("cuptiActivityPopExternalCorrelationId");
    if (g_fake->external_ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    *id = g_fake->external_ids.back();
    g_fake->external_ids.pop_back();
    return CUPTI_SUCCESS;
  }
  static CUptiResult EnableRuntime(CUpti_CallbackId id, uint8_t enable) {
    g_fake->SetRuntimeId(id, enable != 0);
    return Fails("cuptiActivityEnableRuntimeApi");
  }
  static CUptiResult EnableDriver(CUpti_CallbackId id, uint8_t enable) {
    if (enable == 0) {
      g_fake->driver_off.insert(id);
    } else {
      g_fake->driver_off.erase(id);
    }
    return Fails("cuptiActivityEnableDriverApi");
  }
  static CUptiResult GetThreadIdType(CUpti_ActivityThreadIdType* type) {
    *type = g_fake->thread_id_type;
    return CUPTI_SUCCESS;
  }
  static CUptiResult SetThreadIdType(CUpti_ActivityThreadIdType type) {
    g_fake->thread_id_type = type;
    return CUPTI_SUCCESS;
  }
  static CUptiResult Subscribe(CUpti_SubscriberHandle* subscriber,
                               CUpti_CallbackFunc callback, void* data) {
    if (g_fake->busy_subscriber || g_fake->subscribed) {
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    g_fake->subscribed = true;
    g_fake->callback_ = callback;
    g_fake->callback_data_ = data;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(g_fake);
    return CUPTI_SUCCESS;
  }
  static CUptiResult Unsubscribe(CUpti_SubscriberHandle) {
    g_fake->subscribed = false;
    g_fake->callbacks_on_.clear();
    return Fails("cuptiUnsubscribe");
  }
  static CUptiResult EnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                    CUpti_CallbackDomain domain,
                                    CUpti_CallbackId id) {
    if (enable != 0) {
      g_fake->callbacks_on_.insert({domain, id});
    } else {
      g_fake->callbacks_on_.erase({domain, id});
    }
    return Fails("cuptiEnableCallback");
  }
  // Graph nodes of the fake are their ids.
  static CUptiResult GetGraphNodeId(CUgraphNode node, uint64_t* id) {
    *id = reinterpret_cast<uint64_t>(node);
    return Fails("cuptiGetGraphNodeId");
  }
  static CUptiResult GetGraphId(CUgraph graph, uint32_t* id) {
    *id = static_cast<uint32_t>(reinterpret_cast<uint64_t>(graph));
    return CUPTI_SUCCESS;
  }
  static CUptiResult GetResultString(CUptiResult result, const char** text) {
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                : "CUPTI_ERROR";
    return CUPTI_SUCCESS;
  }
};

void* FakeCupti::Real(const char* name) {
  using F = FakeCuptiFunctions;
  static const std::map<std::string, void*> functions = {
#define X(name, function) {name, reinterpret_cast<void*>(&F::function)}
      X("cuptiGetVersion", GetVersion),
      X("cuptiGetTimestamp", GetTimestamp),
      X("cuptiActivityRegisterCallbacks", RegisterCallbacks),
      X("cuptiActivityEnable", Enable),
      X("cuptiActivityDisable", Disable),
      X("cuptiActivitySetAttribute", SetAttribute),
      X("cuptiActivityFlushAll", FlushAll),
      X("cuptiActivityGetNextRecord", GetNextRecord),
      X("cuptiActivityGetNumDroppedRecords", GetDropped),
      X("cuptiActivityPushExternalCorrelationId", Push),
      X("cuptiActivityPopExternalCorrelationId", Pop),
      X("cuptiActivityEnableRuntimeApi", EnableRuntime),
      X("cuptiActivityEnableDriverApi", EnableDriver),
      X("cuptiGetThreadIdType", GetThreadIdType),
      X("cuptiSetThreadIdType", SetThreadIdType),
      X("cuptiSubscribe", Subscribe),
      X("cuptiUnsubscribe", Unsubscribe),
      X("cuptiEnableCallback", EnableCallback),
      X("cuptiGetGraphNodeId", GetGraphNodeId),
      X("cuptiGetGraphId", GetGraphId),
      X("cuptiGetResultString", GetResultString),
#undef X
  };
  if (g_fake->missing.count(name) != 0) return nullptr;
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

FakeCupti::FakeCupti(uint32_t cupti_version) : version(cupti_version) {
  g_fake = this;
}
FakeCupti::~FakeCupti() { g_fake = nullptr; }

size_t FakeCupti::SizeOf(const CUpti_Activity* record) const {
  const ActivitySizes sizes = SizesOf(version);
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizes.kernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizes.memcpy;
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizes.memset;
    case CUPTI_ACTIVITY_KIND_RUNTIME: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default: return 0;
  }
}

void FakeCupti::Append(const void* record, size_t bytes) {
  if (requested == nullptr) return;
  if (buffer_ != nullptr && used_ + bytes > buffer_bytes_) Flush(0);
  if (buffer_ == nullptr) {
    size_t max_records = 0;
    requested(&buffer_, &buffer_bytes_, &max_records);
    used_ = 0;
  }
  memcpy(buffer_ + used_, record, bytes);
  used_ += bytes;
}

void FakeCupti::SetRuntimeId(uint32_t id, bool on) {
  (on ? runtime_on : runtime_off).insert(id);
  (on ? runtime_off : runtime_on).erase(id);
}

// A kind overrides what was set for single calls.
void FakeCupti::ForgetIds(int kind) {
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
    runtime_on.clear();
    runtime_off.clear();
  }
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER) driver_off.clear();
}

void FakeCupti::HoldBuffer() {
  size_t max_records = 0;
  requested(&buffer_, &buffer_bytes_, &max_records);
  used_ = 0;
}

void FakeCupti::Flush(uint32_t flags) {
  flushes.push_back(flags);
  if (on_flush) on_flush();
  if (buffer_ == nullptr || used_ == 0) return;
  uint8_t* buffer = buffer_;
  buffer_ = nullptr;
  completed(nullptr, 0, buffer, buffer_bytes_, used_);
}

void FakeCupti::Call(uint32_t correlation, uint64_t start, uint64_t end,
                     uint32_t thread, uint32_t cbid) {
  if (subscribed && !is_mute &&
      callbacks_on_.count({CUPTI_CB_DOMAIN_RUNTIME_API, cbid}) != 0) {
    CUpti_CallbackData data{};
    data.correlationId = correlation;
    for (const auto site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
      data.callbackSite = site;
      callback_(callback_data_, CUPTI_CB_DOMAIN_RUNTIME_API, cbid, &data);
    }
  }
  if (!external_ids.empty() &&
      kinds.count(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) != 0) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
    external.externalId = external_ids.back();
    external.correlationId = correlation;
    Append(&external, sizeof(external));
  }
  if (runtime_on.count(cbid) == 0 &&
      (kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME) == 0 ||
       runtime_off.count(cbid) != 0)) {
    return;
  }
  CUpti_ActivityAPI api{};
  api.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  api.cbid = cbid;
  api.start = start;
  api.end = end;
  api.threadId = thread;
  api.correlationId = correlation;
  Append(&api, sizeof(api));
}

void FakeCupti::Kernel(const char* name, uint32_t correlation, uint64_t start,
                       uint64_t end, uint64_t graph_node, uint32_t graph) {
  if (kinds.count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 0) return;
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = start;
  kernel.end = end;
  kernel.deviceId = 1;
  kernel.contextId = 2;
  kernel.streamId = 7;
  kernel.gridX = 8;
  kernel.gridY = 4;
  kernel.gridZ = 1;
  kernel.blockX = 128;
  kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 40;
  kernel.dynamicSharedMemory = 1024;
  kernel.correlationId = correlation;
  kernel.graphNodeId = graph_node;
  kernel.graphId = graph;
  kernel.name = names_.emplace_back(name).c_str();
  Append(&kernel, SizesOf(version).kernel);
}

void FakeCupti::Memcpy(uint32_t correlation, uint64_t start, uint64_t end,
                       uint64_t bytes) {
  if (kinds.count(CUPTI_ACTIVITY_KIND_MEMCPY) == 0) return;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = bytes;
  copy.start = start;
  copy.end = end;
  copy.deviceId = 1;
  copy.contextId = 2;
  copy.streamId = 7;
  copy.correlationId = correlation;
  Append(&copy, SizesOf(version).memcpy);
}

void FakeCupti::Memset(uint32_t correlation, uint64_t start, uint64_t end,
                       uint64_t bytes) {
  if (kinds.count(CUPTI_ACTIVITY_KIND_MEMSET) == 0) return;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = bytes;
  set.start = start;
  set.end = end;
  set.deviceId = 1;
  set.contextId = 2;
  set.streamId = 9;
  set.correlationId = correlation;
  Append(&set, SizesOf(version).memset);
}

void FakeCupti::Garbage() {
  const uint64_t bytes[4] = {12345, 0, 0, 0};
  Append(bytes, sizeof(bytes));
}

void FakeCupti::NodeCreated(uint64_t node, uint32_t graph) {
  if (!subscribed ||
      callbacks_on_.count({CUPTI_CB_DOMAIN_RESOURCE,
                           CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED}) == 0) {
    return;
  }
  CUpti_GraphData data{};
  data.node = reinterpret_cast<CUgraphNode>(node);
  data.graph = reinterpret_cast<CUgraph>(uint64_t{graph});
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &data;
  callback_(callback_data_, CUPTI_CB_DOMAIN_RESOURCE,
            CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &resource);
}

void FakeCupti::NodeCloned(uint64_t original, uint64_t node, uint32_t graph) {
  if (!subscribed) return;
  CUpti_GraphData data{};
  data.originalNode = reinterpret_cast<CUgraphNode>(original);
  data.node = reinterpret_cast<CUgraphNode>(node);
  data.graph = reinterpret_cast<CUgraph>(uint64_t{graph});
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &data;
  callback_(callback_data_, CUPTI_CB_DOMAIN_RESOURCE,
            CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &resource);
}

}  // namespace dltap::shim::cupti
