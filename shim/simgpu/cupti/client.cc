// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cupti/client.h"

#include <pthread.h>

#include <algorithm>

#include "shim/simgpu/cupti/external_ids.h"
#include "shim/simgpu/cupti/resource_records.h"

namespace dltap::simgpu {
namespace {

// The graph launch that this thread is in, from its first node to its last;
// correlation id 0: none.
thread_local WorkPlace t_graph_launch{};

}  // namespace

Client& Client::Get() {
  static Client& client = *new Client;
  return client;
}

void Client::Apply() {
  SetActivitySink(this);
  const uint32_t bits = selection_.CoreBits();
  if (bits != 0 && delivery_.has_callbacks()) delivery_.StartWorker();
  SetActivityMask(bits | subscriber_.CoreBits());
}

uint32_t Client::ThreadIdOf(const ApiActivity& call) const {
  if (thread_id_type_ == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {
    return call.thread_id;
  }
  return static_cast<uint32_t>(pthread_self());
}

void Client::OnApiEnter(const ApiActivity& call) {
  if (selection_.CoreBits() != 0) delivery_.RequestFirstBuffer();
  subscriber_.OnApi(call, CUPTI_API_ENTER);
  if (call.nested ||
      !selection_.WantsApi(call.function->domain, call.function->cbid)) {
    return;
  }
  // Ahead of the work that the call submits: clients link a kernel to an id
  // when they meet the kernel's record.
  if (selection_.HasKind(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
    ExternalIds::OfThread().VisitInnermost(
        [&](CUpti_ExternalCorrelationKind kind, uint64_t id) {
          delivery_.Add(ToExternalRecord(call, kind, id));
        });
  }
}

void Client::OnApiExit(const ApiActivity& call) {
  FinishGraph(call);
  subscriber_.OnApi(call, CUPTI_API_EXIT);
  if (call.nested ||
      !selection_.WantsApi(call.function->domain, call.function->cbid)) {
    return;
  }
  delivery_.Add(ToRecord(call, ThreadIdOf(call)));
}

bool Client::GoesIntoGraph(const WorkPlace& place) {
  if (place.graph_id == 0 ||
      !selection_.HasKind(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) {
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
  if (GoesIntoGraph(kernel.place)) return;
  const bool concurrent =
      selection_.HasKind(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (!concurrent && !selection_.HasKind(CUPTI_ACTIVITY_KIND_KERNEL)) return;
  delivery_.Add(
      ToRecord(kernel, {.serial_kind = !concurrent, .latencies = latencies_}));
}

// Copies between devices are a kind of their own.
void Client::OnCopy(const CopyActivityRecord& copy) {
  if (GoesIntoGraph(copy.place)) return;
  const bool is_peer = copy.direction == CopyDirection::kPeer;
  if (!selection_.HasKind(is_peer ? CUPTI_ACTIVITY_KIND_MEMCPY2
                                  : CUPTI_ACTIVITY_KIND_MEMCPY)) {
    return;
  }
  delivery_.Add(is_peer ? ToPeerRecord(copy) : ToRecord(copy));
}

void Client::OnMemset(const MemsetActivityRecord& memset) {
  if (GoesIntoGraph(memset.place) ||
      !selection_.HasKind(CUPTI_ACTIVITY_KIND_MEMSET)) {
    return;
  }
  delivery_.Add(ToRecord(memset));
}

void Client::OnSynchronization(const SynchronizationActivityRecord& sync) {
  delivery_.Add(ToRecord(sync));
}

void Client::OnMemory(const MemoryActivityRecord& memory) {
  delivery_.Add(ToRecord(memory));
}

void Client::OnResource(const ResourceActivityRecord& resource) {
  subscriber_.OnResource(resource);
  if (const auto record = ToResourceRecord(resource)) {
    const auto kind =
        reinterpret_cast<const CUpti_Activity*>(record->layout.data())->kind;
    if (selection_.HasKind(kind)) delivery_.Add(*record);
  }
}

void Client::Describe(CUpti_ActivityKind kind) {
  for (const PendingRecord& record : Inventory(kind)) delivery_.Add(record);
}

}  // namespace dltap::simgpu
