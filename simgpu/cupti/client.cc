// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/client.h"

#include <algorithm>

#include "simgpu/base/api_scope.h"
#include "simgpu/base/call_wants.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/client_clock.h"
#include "simgpu/cupti/external_ids.h"
#include "simgpu/cupti/overhead_records.h"
#include "simgpu/cupti/resource_records.h"
#include "simgpu/cupti/thread_ids.h"
#include "simgpu/cupti/toolkit.h"
#include "simgpu/launch/handle_facts.h"

namespace dltap::simgpu {
namespace {

// The first release with a result in synchronisation records, and so with
// records of queries.
constexpr uint32_t kQueriesSince = 26;

// The graph launch that this thread is in, from its first node to its last;
// correlation id 0: none.
constinit thread_local WorkPlace t_graph_launch
    [[gnu::tls_model("initial-exec")]]{};

// When the API call under way began.
constinit thread_local int64_t t_call_begin_ns
    [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

// Locks may be held for ever in the child of a process that used CUDA, whose
// calls all fail: nothing is recorded there.
Client::Client() {
  AddForkChildHandler([] {
    if (IsOrphan()) SetActivityMask(0);
  });
}

Client& Client::Get() {
  static Client& client = *new Client;
  return client;
}

void Client::Apply() {
  const int64_t begin_ns = SimNow();
  SetActivitySink(this);
  uint32_t bits = selection_.CoreBits();
  // Each thread asks for its own buffer at its first call, whichever it is.
  if (bits != 0 && PerThreadBuffers()) bits |= kEveryCall;
  delivery_.set_overhead(selection_.HasKind(CUPTI_ACTIVITY_KIND_OVERHEAD));
  const bool starts = (bits != 0 || selection_.HasNvtx()) &&
                      delivery_.has_callbacks() && delivery_.StartWorker();
  SetActivityMask(bits | subscriber_.CoreBits());
  if (starts) {
    AddOverhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, begin_ns, SimNow());
  }
}

void Client::Detach() {
  delivery_.Pump(true, true);
  selection_.Clear();
  subscriber_.Clear();
  Apply();
  delivery_.Abandon();
  delivery_.SetCallbacks(nullptr, nullptr);
  SetTimestampCallback(nullptr);
  memory_lifetimes_.Clear();
  const std::lock_guard lock(used_kernels_mutex_);
  used_kernels_.clear();
}

void Client::AddOverhead(CUpti_ActivityOverheadKind kind, int64_t begin_ns,
                         int64_t end_ns) {
  if (!selection_.HasKind(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  const auto record = ToRecord({.kind = kind,
                                .begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .thread_id = ClientThreadId(),
                                .correlation_id = CurrentCorrelationId()});
  if (record) delivery_.Add(*record);
}

// A call that began before anybody wanted the time has no record.
bool Client::WantsRecord(const ApiActivity& call) const {
  return !call.nested && call.begin_ns != 0 &&
         selection_.WantsApi(call.function->domain, call.function->cbid,
                             CurrentCallContext().id);
}

void Client::OnApiEnter(const ApiActivity& call) {
  t_call_begin_ns = call.begin_ns;
  if (selection_.any()) delivery_.RequestFirstBuffer();
  subscriber_.OnApi(call, CUPTI_API_ENTER);
  if (!WantsRecord(call)) return;
  // Ahead of the work that the call submits: clients link a kernel to an id
  // when they meet the kernel's record.
  Fault* unseen = FaultAt(FaultPoint::kExternal);
  if (selection_.HasKind(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) &&
      (unseen == nullptr || unseen->Next() == nullptr)) {
    ExternalIds::OfThread().VisitInnermost(
        [&](CUpti_ExternalCorrelationKind kind, uint64_t id) {
          delivery_.Add(ToExternalRecord(call, kind, id));
        });
  }
}

void Client::OnApiExit(const ApiActivity& call) {
  FinishGraph(call);
  subscriber_.OnApi(call, CUPTI_API_EXIT);
  if (!WantsRecord(call)) return;
  delivery_.Add(ToRecord(call, ClientThreadId()));
}

bool Client::GoesIntoGraph(const WorkPlace& place) {
  if (place.graph_id == 0 ||
      !selection_.HasKindIn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                            place.context_id)) {
    return false;
  }
  if (t_graph_launch.correlation_id != place.correlation_id) {
    t_graph_launch = place;
  }
  t_graph_launch.begin_ns = std::min(t_graph_launch.begin_ns, place.begin_ns);
  t_graph_launch.end_ns = std::max(t_graph_launch.end_ns, place.end_ns);
  return true;
}

void Client::FinishGraph(const ApiActivity& call) {
  if (t_graph_launch.correlation_id != call.correlation_id) return;
  delivery_.Add(ToGraphRecord(t_graph_launch));
  t_graph_launch = {};
}

void Client::OnKernel(const KernelActivityRecord& kernel) {
  if (selection_.HasKind(CUPTI_ACTIVITY_KIND_OVERHEAD)) TellFirstUse(kernel);
  if (GoesIntoGraph(kernel.place)) return;
  const uint32_t context = kernel.place.context_id;
  const bool concurrent =
      selection_.HasKindIn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, context);
  if (!concurrent &&
      !selection_.HasKindIn(CUPTI_ACTIVITY_KIND_KERNEL, context)) {
    return;
  }
  delivery_.Add(ToRecord(
      kernel, {.serial_kind = !concurrent, .latencies = options_.latencies}));
}

// A function is loaded, and made ready for tracing, when it is first launched.
void Client::TellFirstUse(const KernelActivityRecord& kernel) {
  {
    const std::lock_guard lock(used_kernels_mutex_);
    if (!used_kernels_.insert(kernel.name).second) return;
  }
  for (const auto kind : {CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING,
                          CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION}) {
    AddOverhead(kind, t_call_begin_ns, kernel.place.submitted_ns);
  }
}

// Copies between devices are a kind of their own.
void Client::OnCopy(const CopyActivityRecord& copy) {
  if (GoesIntoGraph(copy.place)) return;
  const bool is_peer = copy.direction == CopyDirection::kPeer;
  if (!selection_.HasKindIn(
          is_peer ? CUPTI_ACTIVITY_KIND_MEMCPY2 : CUPTI_ACTIVITY_KIND_MEMCPY,
          copy.place.context_id)) {
    return;
  }
  delivery_.Add(is_peer ? ToPeerRecord(copy) : ToRecord(copy));
}

void Client::OnMemset(const MemsetActivityRecord& memset) {
  if (GoesIntoGraph(memset.place) ||
      !selection_.HasKindIn(CUPTI_ACTIVITY_KIND_MEMSET,
                            memset.place.context_id)) {
    return;
  }
  delivery_.Add(ToRecord(memset));
}

void Client::OnSynchronization(const SynchronizationActivityRecord& sync) {
  if (!sync.query) subscriber_.OnSynchronization(sync);
  if (!selection_.HasKindIn(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                            sync.place.context_id)) {
    return;
  }
  const bool told = CuptiApiVersion() >= kQueriesSince &&
                    (sync.result == 0 || options_.unready_queries);
  if (!sync.query || told) delivery_.Add(ToRecord(sync));
}

void Client::OnEvent(const EventActivityRecord& event) {
  if (selection_.HasKindIn(CUPTI_ACTIVITY_KIND_CUDA_EVENT,
                           event.place.context_id)) {
    delivery_.Add(ToRecord(event, options_.event_times));
  }
}

void Client::OnMemory(const MemoryActivityRecord& memory) {
  const MemoryCaller caller = CallerOfMemory(options_.allocation_source);
  if (selection_.HasKindIn(CUPTI_ACTIVITY_KIND_MEMORY2, memory.context_id)) {
    delivery_.Add(ToRecord(memory, caller));
  }
  if (selection_.HasKindIn(CUPTI_ACTIVITY_KIND_MEMORY, memory.context_id)) {
    const auto record = memory_lifetimes_.Add(memory, caller);
    if (record) delivery_.Add(*record);
  }
}

void Client::OnPool(const PoolActivityRecord& pool) {
  delivery_.Add(ToRecord(pool));
}

void Client::OnResource(const ResourceActivityRecord& resource) {
  subscriber_.OnResource(resource);
  if (resource.event == ResourceEvent::kModuleLoaded) TellModule(resource);
  // "Device records are emitted on CUDA driver initialization."
  if (resource.event == ResourceEvent::kDriverInitialized &&
      selection_.HasKind(CUPTI_ACTIVITY_KIND_DEVICE)) {
    Describe(CUPTI_ACTIVITY_KIND_DEVICE);
  }
  if (const auto record = ToResourceRecord(resource)) {
    const auto kind =
        reinterpret_cast<const CUpti_Activity*>(record->layout.data())->kind;
    if (selection_.HasKind(kind)) delivery_.Add(*record);
  }
}

void Client::TellModule(const ResourceActivityRecord& resource) {
  const ModuleFacts& module = *resource.module;
  if (selection_.HasKind(CUPTI_ACTIVITY_KIND_FUNCTION)) {
    for (const PendingRecord& record : FunctionRecords(resource)) {
      delivery_.Add(record);
    }
  }
  if (module.compiled && selection_.HasKind(CUPTI_ACTIVITY_KIND_JIT)) {
    delivery_.Add(JitRecord(module));
  }
  AddOverhead(module.compiled
                  ? CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER
                  : CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING,
              module.begin_ns, module.end_ns);
}

void Client::Describe(CUpti_ActivityKind kind) {
  for (const PendingRecord& record : Inventory(kind)) delivery_.Add(record);
}

}  // namespace dltap::simgpu
