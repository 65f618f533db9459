// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/selection.h"

#include <algorithm>
#include <mutex>

#include "simgpu/base/activity.h"
#include "simgpu/base/call_wants.h"

namespace dltap::simgpu {
namespace {

CUpti_ActivityKind KindOf(ApiDomain domain) {
  return domain == ApiDomain::kRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME
                                       : CUPTI_ACTIVITY_KIND_DRIVER;
}

struct KindBits {
  CUpti_ActivityKind kind;
  uint32_t bits;
};
constexpr KindBits kKindBits[] = {
    {CUPTI_ACTIVITY_KIND_MEMCPY, kCopyActivity},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, kCopyActivity},
    {CUPTI_ACTIVITY_KIND_MEMSET, kMemsetActivity},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, kSynchronizationActivity},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, kEventActivity},
    {CUPTI_ACTIVITY_KIND_MEMORY, kMemoryActivity},
    {CUPTI_ACTIVITY_KIND_MEMORY2, kMemoryActivity},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL, kPoolActivity},
    {CUPTI_ACTIVITY_KIND_OVERHEAD,
     kKernelActivity | kResourceActivity | kCallTimes},
    {CUPTI_ACTIVITY_KIND_FUNCTION, kResourceActivity},
    {CUPTI_ACTIVITY_KIND_JIT, kResourceActivity},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
     kKernelActivity | kCopyActivity | kMemsetActivity},
    {CUPTI_ACTIVITY_KIND_DEVICE, kResourceActivity},
    {CUPTI_ACTIVITY_KIND_STREAM, kResourceActivity},
    {CUPTI_ACTIVITY_KIND_CONTEXT, kResourceActivity},
};

}  // namespace

void Selection::SetKind(CUpti_ActivityKind kind, bool enable) {
  if (static_cast<size_t>(kind) >= kinds_.size()) return;
  const std::unique_lock lock(contexts_mutex_);
  everywhere_[kind] = enable;
  UpdateKind(kind);
  for (const ApiDomain domain : {ApiDomain::kRuntime, ApiDomain::kDriver}) {
    if (kind == KindOf(domain)) ClearFunctions(domain);
  }
}

void Selection::SetKindInContext(CUpti_ActivityKind kind, uint32_t context_id,
                                 bool enable) {
  if (static_cast<size_t>(kind) >= kinds_.size()) return;
  const std::unique_lock lock(contexts_mutex_);
  contexts_[{kind, context_id}] = enable;
  has_contexts_ = true;
  UpdateKind(kind);
}

void Selection::UpdateKind(CUpti_ActivityKind kind) {
  kinds_[kind] =
      everywhere_[kind] ||
      std::any_of(contexts_.begin(), contexts_.end(),
                  [kind](const auto& context) {
                    return context.first.first == kind && context.second;
                  });
}

bool Selection::FindKindIn(CUpti_ActivityKind kind, uint32_t context_id) const {
  const std::shared_lock lock(contexts_mutex_);
  const auto found = contexts_.find({kind, context_id});
  return found == contexts_.end() ? everywhere_[kind] : found->second;
}

bool Selection::SetFunction(ApiDomain domain, uint32_t cbid, bool enable) {
  const uint32_t end = domain == ApiDomain::kRuntime
                           ? uint32_t{CUPTI_RUNTIME_TRACE_CBID_SIZE}
                           : uint32_t{CUPTI_DRIVER_TRACE_CBID_SIZE};
  if (cbid == 0 || cbid >= end) return false;
  Of(domain)[cbid] = enable ? kOn : kOff;
  return true;
}

bool Selection::WantsApi(ApiDomain domain, uint32_t cbid,
                         uint32_t context_id) const {
  if (domain == ApiDomain::kNone || cbid >= kMaxCbid) return false;
  const Overrides& overrides =
      domain == ApiDomain::kRuntime ? runtime_ : driver_;
  const uint8_t value = overrides[cbid].load(std::memory_order_relaxed);
  return value == kNone ? HasKindIn(KindOf(domain), context_id) : value == kOn;
}

void Selection::Clear() {
  for (auto& kind : kinds_) kind = false;
  {
    const std::unique_lock lock(contexts_mutex_);
    everywhere_.fill(false);
    contexts_.clear();
    has_contexts_ = false;
  }
  ClearFunctions(ApiDomain::kRuntime);
  ClearFunctions(ApiDomain::kDriver);
}

void Selection::ClearFunctions(ApiDomain domain) {
  for (auto& value : Of(domain)) value = kNone;
}

uint32_t Selection::CoreBits() const {
  const auto any_on = [](const Overrides& overrides) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [](const auto& value) { return value == kOn; });
  };
  uint32_t bits = 0;
  if (HasKind(CUPTI_ACTIVITY_KIND_RUNTIME) || any_on(runtime_)) {
    bits |= kRuntimeApiActivity | kCallTimes;
  }
  if (HasKind(CUPTI_ACTIVITY_KIND_DRIVER) || any_on(driver_)) {
    bits |= kDriverApiActivity | kCallTimes;
  }
  if (HasKind(CUPTI_ACTIVITY_KIND_KERNEL) ||
      HasKind(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) {
    bits |= kKernelActivity;
  }
  for (const KindBits& row : kKindBits) {
    if (HasKind(row.kind)) bits |= row.bits;
  }
  any_ = bits != 0;
  constexpr uint32_t kOfDevices =
      kKernelActivity | kCopyActivity | kMemsetActivity;
  if ((bits & ~kOfDevices) != 0) bits |= kEveryCall;
  return bits;
}

}  // namespace dltap::simgpu
