// SPDX-License-Identifier: Apache-2.0
// The part of KernelTracing that deals with other users of CUPTI.
#include <sched.h>

#include "shim/tap/cupti/kernel_tracing.h"

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
    if (owner == Owner::kOurs) SwitchOff();
    HandOver();
    return true;
  }
}

void KernelTracing::HandOver() {
  api_.activity_flush_all(0);
  yielded_ns_.store(Now(), std::memory_order_relaxed);
  client_flushed_.store(false, std::memory_order_relaxed);
  // From now: a client that only looks in leaves by itself.
  client_left_ns_.store(host_.monotonic_ns(), std::memory_order_relaxed);
  host_.lost(trace::LossKind::kCuptiYielded, 1);
  owner_.store(Owner::kClient, std::memory_order_release);
}

// Collector. No callback of the client's runs in here, unless it left without
// a flush.
void KernelTracing::TakeBackIfLeft() {
  if (client_kinds_.load(std::memory_order_acquire) != 0) return;
  const uint64_t left_ns = client_left_ns_.load(std::memory_order_relaxed);
  const bool flushed = client_flushed_.load(std::memory_order_relaxed);
  if (!flushed && host_.monotonic_ns() - left_ns < kClientGoneNs) return;
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
}

// A client that kept its registration switches a kind on again.
void KernelTracing::BeforeEnable() {
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (completed == nullptr || !StepAside()) return;
  api_.activity_register_callbacks(
      client_requested_.load(std::memory_order_relaxed), completed);
}

void KernelTracing::AfterEnable(int32_t kind) {
  client_kinds_.fetch_or(BitOf(kind), std::memory_order_release);
  client_flushed_.store(false, std::memory_order_relaxed);
}

void KernelTracing::AfterDisable(int32_t kind) {
  const uint64_t before =
      client_kinds_.fetch_and(~BitOf(kind), std::memory_order_acq_rel);
  if ((before & ~BitOf(kind)) != 0 || before == 0) return;
  if (IsCurrentSession()) {
    client_left_ns_.store(host_.monotonic_ns(), std::memory_order_relaxed);
  }
}

void KernelTracing::AfterFlush() {
  if (client_kinds_.load(std::memory_order_acquire) == 0) {
    client_flushed_.store(true, std::memory_order_release);
    // The sooner the collector takes back, the less is not observed.
    if (IsCurrentSession() &&
        owner_.load(std::memory_order_acquire) == Owner::kClient) {
      host_.wake();
    }
  }
}

// Records made before it still have the old clock, so they are fetched first.
void KernelTracing::BeforeTimestampCallback() {
  if (!IsCurrentSession()) return;
  StepAside();
  if (!clock_lost_.load(std::memory_order_relaxed)) {
    clock_offset_ns_.store(static_cast<int64_t>(Now() - host_.monotonic_ns()),
                           std::memory_order_relaxed);
  }
}

void KernelTracing::AfterTimestampCallback(
    CUpti_TimestampCallbackFunc callback) {
  clock_.SetCallback(callback);
  if (!IsCurrentSession()) return;
  uint64_t now = 0;
  api_.get_timestamp(&now);
  const auto expected = static_cast<int64_t>(host_.monotonic_ns()) +
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

}  // namespace dltap::shim::cupti
