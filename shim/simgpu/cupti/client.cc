// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cupti/client.h"

#include <pthread.h>

#include "shim/simgpu/cupti/external_ids.h"

namespace dltap::simgpu {

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
  if (!selection_.WantsApi(call.function->domain, call.function->cbid)) return;
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
  subscriber_.OnApi(call, CUPTI_API_EXIT);
  if (!selection_.WantsApi(call.function->domain, call.function->cbid)) return;
  delivery_.Add(ToRecord(call, ThreadIdOf(call)));
}

void Client::OnKernel(const KernelActivityRecord& kernel) {
  delivery_.Add(ToRecord(kernel));
}

void Client::OnCopy(const CopyActivityRecord& copy) {
  delivery_.Add(ToRecord(copy));
}

void Client::OnMemset(const MemsetActivityRecord& memset) {
  delivery_.Add(ToRecord(memset));
}

void Client::OnSynchronization(const SynchronizationActivityRecord& sync) {
  delivery_.Add(ToRecord(sync));
}

void Client::OnMemory(const MemoryActivityRecord&) {
  // CUPTI_ACTIVITY_KIND_MEMORY2 is refused by cuptiActivityEnable.
}

void Client::OnResource(const ResourceActivityRecord& resource) {
  subscriber_.OnResource(resource);
}

}  // namespace dltap::simgpu
