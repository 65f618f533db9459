// SPDX-License-Identifier: Apache-2.0
// The part of KernelTracing that deals with other users of CUPTI.
#include <sched.h>

#include <cstring>

#include "shim/tap/activity/cupti/kernel_tracing.h"

namespace dltap::shim::cupti {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
// A client that does not flush after it has switched everything off is taken
// to have left after this.
constexpr uint64_t kClientGoneNs = 2 * kSecondNs;

uint64_t BitOf(int32_t kind) {
  return kind >= 0 && kind < 64 ? uint64_t{1} << kind : 0;
}

}  // namespace

// Hands CUPTI over, on the client's thread. Only our own callbacks run in here,
// so no lock of the client's is needed. True: it was ours.
bool KernelTracing::StepAside() {
  if (!IsCurrentSession()) return false;
  for (;;) {
    Owner owner = owner_.load(std::memory_order_acquire);
    if (owner == Owner::kNobody || owner == Owner::kClient) return false;
    if (owner != Owner::kOurs && owner != Owner::kPaused) {
      sched_yield();  // the collector is taking back
      continue;
    }
    if (!owner_.compare_exchange_weak(owner, Owner::kYielding,
                                      std::memory_order_acquire)) {
      continue;
    }
    // From here a launch of another thread may lack its kernel.
    yielded_ns_.store(Now(), std::memory_order_relaxed);
    if (owner == Owner::kOurs) SwitchOff();
    HandOver();
    return true;
  }
}

void KernelTracing::HandOver() {
  api_.activity_flush_all(0);
  client_flushed_.store(false, std::memory_order_relaxed);
  // From now: a client that only looks in leaves by itself.
  client_left_ns_.store(runtime_.monotonic_ns(), std::memory_order_relaxed);
  runtime_.lost(trace::LossKind::kActivityYielded, 1);
  owner_.store(Owner::kClient, std::memory_order_release);
}

// Collector. No callback of the client's runs in here, unless it left without
// a flush.
void KernelTracing::TakeBackIfLeft() {
  if (client_kinds_.load(std::memory_order_acquire) != 0) return;
  const uint64_t left_ns = client_left_ns_.load(std::memory_order_relaxed);
  const bool flushed = client_flushed_.load(std::memory_order_relaxed);
  if (!flushed && runtime_.monotonic_ns() - left_ns < kClientGoneNs) return;
  if (!flushed) api_.activity_flush_all(0);  // its records are still its own
  Owner owner = Owner::kClient;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking,
                                      std::memory_order_acquire)) {
    return;
  }
  if (client_kinds_.load(std::memory_order_acquire) != 0) {
    owner_.store(Owner::kClient, std::memory_order_release);
    return;
  }
  const uint64_t yielded_ns = yielded_ns_.load(std::memory_order_relaxed);
  if (!TakeOver()) return;
  flush_began_ns_ = 0;
  WriteNotObserved(yielded_ns, Now(), trace::NotObservedCause::kYielded);
}

void KernelTracing::BeforeRegister() { StepAside(); }

void KernelTracing::AfterRegister(CUpti_BuffersCallbackRequestFunc requested,
                                  CUpti_BuffersCallbackCompleteFunc completed) {
  client_requested_.store(requested, std::memory_order_relaxed);
  client_completed_.store(completed, std::memory_order_release);
  if (IsCurrentSession() &&
      owner_.load(std::memory_order_acquire) == Owner::kClient) {
    RegisterDispatch();
  }
}

// A client that kept its registration switches a kind on again.
void KernelTracing::BeforeEnable() {
  if (client_completed_.load(std::memory_order_acquire) != nullptr) StepAside();
}

void KernelTracing::AfterEnable(int32_t kind) {
  client_kinds_.fetch_or(BitOf(kind), std::memory_order_release);
  client_flushed_.store(false, std::memory_order_relaxed);
  if (IsCurrentSession() &&
      owner_.load(std::memory_order_acquire) == Owner::kClient) {
    StageClientBuffer();
  }
}

void KernelTracing::AfterDisable(int32_t kind) {
  const uint64_t before =
      client_kinds_.fetch_and(~BitOf(kind), std::memory_order_acq_rel);
  if ((before & ~BitOf(kind)) != 0 || before == 0) return;
  if (IsCurrentSession()) {
    client_left_ns_.store(runtime_.monotonic_ns(), std::memory_order_relaxed);
  }
}

void KernelTracing::AfterFlush() {
  if (client_kinds_.load(std::memory_order_acquire) == 0) {
    client_flushed_.store(true, std::memory_order_release);
    if (staged_ != nullptr) CompleteClientBuffer(nullptr, nullptr, 0);
    // The sooner the collector takes back, the less is not observed.
    if (IsCurrentSession() &&
        owner_.load(std::memory_order_acquire) == Owner::kClient) {
      runtime_.wake();
    }
  }
}

// Records made before it still have the old clock, so they are fetched first.
void KernelTracing::BeforeTimestampCallback() {
  if (!IsCurrentSession()) return;
  StepAside();
  if (!clock_lost_.load(std::memory_order_relaxed)) {
    clock_offset_ns_.store(
        static_cast<int64_t>(Now() - runtime_.monotonic_ns()),
        std::memory_order_relaxed);
  }
}

void KernelTracing::AfterTimestampCallback(
    CUpti_TimestampCallbackFunc callback) {
  clock_.SetCallback(callback);
  if (!IsCurrentSession()) return;
  uint64_t now = 0;
  api_.get_timestamp(&now);
  const auto expected = static_cast<int64_t>(runtime_.monotonic_ns()) +
                        clock_offset_ns_.load(std::memory_order_relaxed);
  const int64_t jump = static_cast<int64_t>(now) - expected;
  const bool follows = jump > static_cast<int64_t>(kSecondNs) ||
                       jump < -static_cast<int64_t>(kSecondNs);
  clock_lost_.store(callback != nullptr && follows, std::memory_order_release);
}

// CUPTI forgets everything; the collector begins anew afterwards.
void KernelTracing::BeforeFinalize() {
  StepAside();
  nodes_.StepAside();
  client_kinds_.store(0, std::memory_order_relaxed);
  client_flushed_.store(true, std::memory_order_release);
}

void KernelTracing::BeforeSubscribe() {
  if (IsCurrentSession()) nodes_.StepAside();
}

void KernelTracing::AfterUnsubscribe() { nodes_.MaybeFree(); }

// ---- Buffers ---------------------------------------------------------------

void KernelTracing::BufferRequested(uint8_t** buffer, size_t* size,
                                    size_t* max_records) {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (owner_.load(std::memory_order_acquire) == Owner::kClient &&
      requested != nullptr) {
    requested(buffer, size, max_records);
    return;
  }
  *buffer = pool_.Take();
  *size = *buffer != nullptr ? BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
  if (*buffer == nullptr) {
    runtime_.lost(trace::LossKind::kActivityBuffer, 1);
  } else {
    our_buffers_outside_.fetch_add(1, std::memory_order_relaxed);
  }
}

void KernelTracing::BufferCompleted(CUcontext context, uint32_t stream,
                                    uint8_t* buffer, size_t size,
                                    size_t valid_bytes) {
  const Owner owner = owner_.load(std::memory_order_acquire);
  if (pool_.Owns(buffer)) {
    our_buffers_outside_.fetch_sub(1, std::memory_order_relaxed);
    const bool is_clients = owner == Owner::kClient && valid_bytes > 0;
    if (is_clients) CopyToClient(context, buffer, valid_bytes);
    pool_.Deliver(buffer, is_clients ? 0 : valid_bytes);
    return;
  }
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  if (owner == Owner::kOurs && valid_bytes > 0 &&
      client_kinds_.load(std::memory_order_relaxed) == 0) {
    // The client gave it away before it left; what is in it now is ours.
    uint8_t* copy = pool_.Take();
    if (copy != nullptr && valid_bytes <= BufferPool::kBufferBytes) {
      memcpy(copy, buffer, valid_bytes);
      pool_.Deliver(copy, valid_bytes);
      valid_bytes = 0;
    }
  }
  completed(context, stream, buffer, size, valid_bytes);
}

// PyTorch's profiler flushes only if it has been asked for a buffer, which does
// not happen while CUPTI still has one of ours.
void KernelTracing::StageClientBuffer() {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (staged_ != nullptr || requested == nullptr ||
      our_buffers_outside_.load(std::memory_order_relaxed) <= 0) {
    return;
  }
  size_t max_records = 0;
  requested(&staged_, &staged_bytes_, &max_records);
}

void KernelTracing::CompleteClientBuffer(CUcontext context, const uint8_t* data,
                                         size_t bytes) {
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (staged_ == nullptr || completed == nullptr) return;
  uint8_t* buffer = staged_;
  staged_ = nullptr;
  if (bytes > 0) memcpy(buffer, data, bytes);
  completed(context, 0, buffer, staged_bytes_, bytes);
}

// Whole records, into as many of the client's buffers as they need.
void KernelTracing::CopyToClient(CUcontext context, uint8_t* data,
                                 size_t valid_bytes) {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (requested == nullptr) return;
  CUpti_Activity* record = nullptr;
  size_t begin = 0;
  size_t fits = 0;
  for (bool more = true; more;) {
    size_t max_records = 0;
    if (staged_ == nullptr) requested(&staged_, &staged_bytes_, &max_records);
    if (staged_ == nullptr) return;
    more = api_.activity_get_next_record(data, valid_bytes, &record) ==
           CUPTI_SUCCESS;
    const size_t end =
        more ? static_cast<size_t>(reinterpret_cast<uint8_t*>(record) - data)
             : valid_bytes;
    if (end - begin > staged_bytes_) {
      CompleteClientBuffer(context, data + begin, fits - begin);
      begin = fits;
    }
    fits = end;
  }
  if (staged_ == nullptr) {
    size_t max_records = 0;
    requested(&staged_, &staged_bytes_, &max_records);
  }
  if (fits - begin <= staged_bytes_) {
    CompleteClientBuffer(context, data + begin, fits - begin);
  }
}

}  // namespace dltap::shim::cupti
