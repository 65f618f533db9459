// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/subscriber.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "simgpu/base/call_wants.h"
#include "simgpu/base/cbid_table.h"
#include "simgpu/base/host_cost.h"
#include "simgpu/cupti/toolkit.h"
#include "simgpu/launch/handle_facts.h"

namespace dltap::simgpu {
namespace {

// correlationData: one word of the client's per call, from enter to exit; the
// second for a driver call in a call of the runtime.
constinit thread_local uint64_t t_correlation_data[2]
    [[gnu::tls_model("initial-exec")]] = {};

// The call that callbacks were last told of, likewise.
struct SeenLaunch {
  const ApiFunction* function = nullptr;
  const char* symbol_name = nullptr;
  uint32_t correlation_id = 0;
};
constinit thread_local SeenLaunch t_seen_launch[2]
    [[gnu::tls_model("initial-exec")]] = {};

CUpti_CallbackDomain DomainOf(ApiDomain domain) {
  return domain == ApiDomain::kRuntime ? CUPTI_CB_DOMAIN_RUNTIME_API
                                       : CUPTI_CB_DOMAIN_DRIVER_API;
}

// Where the parameters of a launch hold the kernel: the first pointer, or the
// one after the configuration. symbolName is valid for launches only.
enum class KernelPlace : uint8_t { kNotKnown = 0, kNone, kFirst, kSecond };

KernelPlace PlaceInParameters(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  const bool launches =
      name.starts_with("cuLaunch") || name.starts_with("cudaLaunch");
  const bool of_kernel = name.find("Kernel") != std::string_view::npos;
  if (!launches || !of_kernel) return KernelPlace::kNone;
  return name.find("KernelEx") != std::string_view::npos ? KernelPlace::kSecond
                                                         : KernelPlace::kFirst;
}

// Of a launch's kernel, when the call begins.
const char* FindSymbolName(const ApiActivity& call) {
  static std::array<std::array<std::atomic<KernelPlace>, Subscriber::kMaxCbid>,
                    2>
      places{};
  const ApiFunction& function = *call.function;
  if (call.params == nullptr || function.cbid >= Subscriber::kMaxCbid) {
    return nullptr;
  }
  std::atomic<KernelPlace>& known =
      places[function.domain == ApiDomain::kRuntime ? 0 : 1][function.cbid];
  KernelPlace place = known.load(std::memory_order_relaxed);
  if (place == KernelPlace::kNotKnown) {
    place = PlaceInParameters(function.name);
    known.store(place, std::memory_order_relaxed);
  }
  if (place == KernelPlace::kNone) return nullptr;
  const void* kernel = nullptr;
  std::memcpy(&kernel,
              static_cast<const std::byte*>(call.params) +
                  (place == KernelPlace::kSecond ? sizeof(void*) : 0),
              sizeof kernel);
  return NameOfKernel(kernel);
}

// The same at both sites of a call; looked up once.
const char* SymbolNameOf(const ApiActivity& call, CUpti_ApiCallbackSite site) {
  SeenLaunch& seen = t_seen_launch[call.nested ? 1 : 0];
  const bool is_known = site == CUPTI_API_EXIT &&
                        seen.correlation_id == call.correlation_id &&
                        seen.function == call.function;
  if (!is_known) {
    seen = {call.function, FindSymbolName(call), call.correlation_id};
  }
  return seen.symbol_name;
}

// The functions that put no work anywhere, by callback id.
class CheapCalls {
 public:
  CheapCalls() {
    for (const ApiDomain api : {ApiDomain::kRuntime, ApiDomain::kDriver}) {
      for (uint32_t cbid = 0; cbid < Subscriber::kMaxCbid; ++cbid) {
        const char* name = NameOfCbid(api, cbid);
        Of(api)[cbid] = name != nullptr && HostCostOf(name) <= kCheapCallNs;
      }
    }
  }
  bool Has(ApiDomain api, uint32_t cbid) const {
    return (api == ApiDomain::kRuntime ? runtime_ : driver_)[cbid];
  }

 private:
  using Calls = std::array<bool, Subscriber::kMaxCbid>;
  Calls& Of(ApiDomain api) {
    return api == ApiDomain::kRuntime ? runtime_ : driver_;
  }
  Calls runtime_{};
  Calls driver_{};
};

// One above the last callback of a domain, newest release first.
struct DomainSize {
  CUpti_CallbackDomain domain;
  uint32_t since;
  uint32_t end;
};
constexpr DomainSize kDomainSizes[] = {
    {CUPTI_CB_DOMAIN_DRIVER_API, 0, CUPTI_DRIVER_TRACE_CBID_SIZE},
    {CUPTI_CB_DOMAIN_RUNTIME_API, 0, CUPTI_RUNTIME_TRACE_CBID_SIZE},
    {CUPTI_CB_DOMAIN_RESOURCE, 130000, CUPTI_CBID_RESOURCE_SIZE},
    {CUPTI_CB_DOMAIN_RESOURCE, 22,
     CUPTI_CBID_RESOURCE_STREAM_ATTRIBUTE_CHANGED + 1},
    {CUPTI_CB_DOMAIN_RESOURCE, 0, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED + 1},
    {CUPTI_CB_DOMAIN_SYNCHRONIZE, 0, CUPTI_CBID_SYNCHRONIZE_SIZE},
    {CUPTI_CB_DOMAIN_NVTX, 0, CUPTI_CBID_NVTX_SIZE},
    {CUPTI_CB_DOMAIN_STATE, 22, CUPTI_CBID_STATE_SIZE},
};

enum class Described : uint8_t { kByHandle, kGraph, kModule, kAttribute };

struct ResourceRow {
  ResourceEvent event;
  CUpti_CallbackIdResource cbid;
  Described described;
};

constexpr ResourceRow kResources[] = {
    {ResourceEvent::kContextCreated, CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
     Described::kByHandle},
    {ResourceEvent::kContextDestroyed,
     CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, Described::kByHandle},
    {ResourceEvent::kStreamCreated, CUPTI_CBID_RESOURCE_STREAM_CREATED,
     Described::kByHandle},
    {ResourceEvent::kStreamDestroyed,
     CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, Described::kByHandle},
    {ResourceEvent::kDriverInitialized, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED,
     Described::kByHandle},
    {ResourceEvent::kModuleLoaded, CUPTI_CBID_RESOURCE_MODULE_LOADED,
     Described::kModule},
    {ResourceEvent::kModuleUnloaded, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
     Described::kModule},
    {ResourceEvent::kStreamAttributeChanged,
     CUPTI_CBID_RESOURCE_STREAM_ATTRIBUTE_CHANGED, Described::kAttribute},
    {ResourceEvent::kGraphCreated, CUPTI_CBID_RESOURCE_GRAPH_CREATED,
     Described::kGraph},
    {ResourceEvent::kGraphCloned, CUPTI_CBID_RESOURCE_GRAPH_CLONED,
     Described::kGraph},
    {ResourceEvent::kGraphDestroyed, CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
     Described::kGraph},
    {ResourceEvent::kGraphNodeCreateStarting,
     CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, Described::kGraph},
    {ResourceEvent::kGraphNodeCreated, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
     Described::kGraph},
    {ResourceEvent::kGraphNodeCloned, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
     Described::kGraph},
    {ResourceEvent::kGraphNodeDestroyed,
     CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, Described::kGraph},
    {ResourceEvent::kGraphDependencyCreated,
     CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, Described::kGraph},
    {ResourceEvent::kGraphDependencyDestroyed,
     CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING,
     Described::kGraph},
    {ResourceEvent::kGraphExecCreateStarting,
     CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, Described::kGraph},
    {ResourceEvent::kGraphExecCreated, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
     Described::kGraph},
    {ResourceEvent::kGraphExecDestroyed,
     CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, Described::kGraph},
};

CUpti_GraphData GraphDataOf(const ResourceActivityRecord& resource) {
  const bool is_exec =
      resource.event == ResourceEvent::kGraphExecCreateStarting ||
      resource.event == ResourceEvent::kGraphExecCreated ||
      resource.event == ResourceEvent::kGraphExecDestroyed;
  CUpti_GraphData data{};
  data.graph =
      static_cast<CUgraph>(is_exec ? resource.original_graph : resource.handle);
  data.originalGraph = static_cast<CUgraph>(resource.original_graph);
  data.node = static_cast<CUgraphNode>(resource.node);
  data.originalNode = static_cast<CUgraphNode>(resource.original_node);
  data.nodeType = static_cast<CUgraphNodeType>(resource.node_type);
  data.dependency = static_cast<CUgraphNode>(resource.dependent);
  data.graphExec =
      static_cast<CUgraphExec>(is_exec ? resource.handle : nullptr);
  return data;
}

CUpti_StreamAttrData AttributeDataOf(const ResourceActivityRecord& resource) {
  const StreamAttributeFacts& facts = *resource.stream_attribute;
  return {.stream = static_cast<CUstream>(resource.handle),
          .attr = static_cast<CUstreamAttrID>(facts.attribute),
          .value = static_cast<const CUstreamAttrValue*>(facts.value)};
}

}  // namespace

CUptiResult Subscriber::Subscribe(CUpti_CallbackFunc callback, void* user_data,
                                  const char* name,
                                  CUpti_SubscriberHandle* handle) {
  if (handle == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(mutex_);
  if (subscribed_) {
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  name_ = name == nullptr ? "" : name;
  user_data_ = user_data;
  callback_ = callback;
  subscribed_ = true;
  *handle = Handle();
  return CUPTI_SUCCESS;
}

CUptiResult Subscriber::Unsubscribe(CUpti_SubscriberHandle handle) {
  if (!IsCurrent(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  Clear();
  return CUPTI_SUCCESS;
}

void Subscriber::Clear() {
  const std::lock_guard lock(mutex_);
  subscribed_ = false;
  callback_ = nullptr;
  for (auto& domain : enabled_) {
    for (auto& cbid : domain) cbid = false;
  }
}

CUptiResult Subscriber::EnableCallback(bool enable,
                                       CUpti_SubscriberHandle handle,
                                       CUpti_CallbackDomain domain,
                                       CUpti_CallbackId cbid) {
  if (!IsCurrent(handle) || !IsCallback(domain, cbid)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  enabled_[domain][cbid] = enable;
  return CUPTI_SUCCESS;
}

CUptiResult Subscriber::EnableDomain(bool enable, CUpti_SubscriberHandle handle,
                                     CUpti_CallbackDomain domain) {
  if (!IsCurrent(handle) || domain <= CUPTI_CB_DOMAIN_INVALID ||
      domain >= CUPTI_CB_DOMAIN_SIZE) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  for (auto& cbid : enabled_[domain]) cbid = enable;
  return CUPTI_SUCCESS;
}

bool Subscriber::IsCallback(CUpti_CallbackDomain domain,
                            CUpti_CallbackId cbid) {
  for (const DomainSize& row : kDomainSizes) {
    if (row.domain == domain && row.since <= CuptiApiVersion()) {
      // 0 stands for no callback, and changes nothing: Triton's profiler
      // switches it on with the others.
      return cbid < row.end;
    }
  }
  return false;
}

bool Subscriber::IsEnabled(CUpti_CallbackDomain domain,
                           CUpti_CallbackId cbid) const {
  return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE &&
         cbid < kMaxCbid &&
         enabled_[domain][cbid].load(std::memory_order_relaxed);
}

bool Subscriber::HasCheapCalls() const {
  static const CheapCalls cheap;
  for (const ApiDomain api : {ApiDomain::kRuntime, ApiDomain::kDriver}) {
    const auto& enabled = enabled_[DomainOf(api)];
    for (uint32_t cbid = 0; cbid < kMaxCbid; ++cbid) {
      if (enabled[cbid].load() && cheap.Has(api, cbid)) return true;
    }
  }
  return false;
}

uint32_t Subscriber::CoreBits() const {
  const auto any = [this](CUpti_CallbackDomain domain) {
    return std::any_of(enabled_[domain].begin(), enabled_[domain].end(),
                       [](const auto& cbid) { return cbid.load(); });
  };
  uint32_t bits = 0;
  if (any(CUPTI_CB_DOMAIN_RUNTIME_API) || any(CUPTI_CB_DOMAIN_DRIVER_API)) {
    bits |= kApiCallbacks;
  }
  if (HasCheapCalls()) bits |= kEveryCall;
  if (any(CUPTI_CB_DOMAIN_RESOURCE)) bits |= kResourceActivity;
  if (any(CUPTI_CB_DOMAIN_SYNCHRONIZE)) bits |= kSynchronizationActivity;
  return bits;
}

void Subscriber::Call(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                      const void* data) {
  const CUpti_CallbackFunc callback = callback_;
  if (callback != nullptr) callback(user_data_, domain, cbid, data);
}

void Subscriber::OnApi(const ApiActivity& call, CUpti_ApiCallbackSite site) {
  if (call.function->domain == ApiDomain::kNone) return;
  const CUpti_CallbackDomain domain = DomainOf(call.function->domain);
  if (!IsEnabled(domain, call.function->cbid)) return;
  int result = call.result;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call.function->name;
  data.functionParams = call.params;
  data.functionReturnValue = site == CUPTI_API_EXIT ? &result : nullptr;
  const CallContext context = CurrentCallContext();
  data.context = static_cast<CUcontext>(context.handle);
  data.contextUid = context.id;
  data.symbolName = SymbolNameOf(call, site);
  data.correlationData = &t_correlation_data[call.nested ? 1 : 0];
  data.correlationId = call.correlation_id;
  Call(domain, call.function->cbid, &data);
}

void Subscriber::OnResource(const ResourceActivityRecord& resource) {
  const auto* row = std::find_if(
      std::begin(kResources), std::end(kResources),
      [&](const ResourceRow& r) { return r.event == resource.event; });
  if (row == std::end(kResources) ||
      !IsEnabled(CUPTI_CB_DOMAIN_RESOURCE, row->cbid)) {
    return;
  }
  CUpti_ResourceData data{};
  data.context = static_cast<CUcontext>(resource.context);
  CUpti_GraphData graph{};
  CUpti_ModuleResourceData module{};
  CUpti_StreamAttrData attribute{};
  switch (row->described) {
    case Described::kByHandle:
      data.resourceHandle.stream = static_cast<CUstream>(resource.handle);
      break;
    case Described::kGraph:
      graph = GraphDataOf(resource);
      data.resourceDescriptor = &graph;
      break;
    case Described::kModule:
      module = {.moduleId = resource.module->id,
                .cubinSize = resource.module->image_bytes,
                .pCubin = static_cast<const char*>(resource.module->image)};
      data.resourceDescriptor = &module;
      break;
    case Described::kAttribute:
      attribute = AttributeDataOf(resource);
      data.resourceHandle.stream = attribute.stream;
      data.resourceDescriptor = &attribute;
      break;
  }
  Call(CUPTI_CB_DOMAIN_RESOURCE, row->cbid, &data);
}

void Subscriber::OnNvtx(CUpti_nvtx_api_trace_cbid cbid,
                        const CUpti_NvtxData& data) {
  if (IsEnabled(CUPTI_CB_DOMAIN_NVTX, cbid)) {
    Call(CUPTI_CB_DOMAIN_NVTX, cbid, &data);
  }
}

void Subscriber::OnSynchronization(const SynchronizationActivityRecord& sync) {
  CUpti_CallbackId cbid = CUPTI_CBID_SYNCHRONIZE_INVALID;
  if (sync.kind == SynchronizationKind::kStream) {
    cbid = CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
  } else if (sync.kind == SynchronizationKind::kContext) {
    cbid = CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED;
  }
  if (cbid == CUPTI_CBID_SYNCHRONIZE_INVALID ||
      !IsEnabled(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid)) {
    return;
  }
  const CUpti_SynchronizeData data{
      .context = static_cast<CUcontext>(sync.context),
      .stream = static_cast<CUstream>(sync.stream)};
  Call(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid, &data);
}

}  // namespace dltap::simgpu
