// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/other_clients.h"

#include <sched.h>

namespace dltap::shim::cupti {
namespace {

// A client that does not flush after it has switched everything off is taken
// to have left after this.
constexpr uint64_t kClientGoneNs = 2'000'000'000;

uint64_t BitOf(int32_t kind) {
  return kind >= 0 && kind < 64 ? uint64_t{1} << kind : 0;
}

}  // namespace

// ---- Collector -------------------------------------------------------------

bool OtherClients::Begin(bool paused) {
  if (kinds_.load(std::memory_order_relaxed) != 0) {
    yielded_ns_.store(parts_.clock->Now(), std::memory_order_relaxed);
    owner_.store(Owner::kClient, std::memory_order_release);
    parts_.session->runtime().lost(trace::LossKind::kActivityYielded, 1);
    return true;
  }
  if (paused) {
    owner_.store(Owner::kPaused, std::memory_order_release);
    return true;
  }
  owner_.store(Owner::kTaking, std::memory_order_relaxed);
  return TakeOver();
}

// REQUIRES: the owner is kTaking. On failure everything is off again.
bool OtherClients::TakeOver() {
  const bool done = parts_.cupti->On();
  owner_.store(done ? Owner::kOurs : Owner::kNobody, std::memory_order_release);
  if (done) parts_.session->runtime().set_pushing(true);
  return done;
}

bool OtherClients::BeginPause() {
  Owner owner = Owner::kOurs;
  return owner_.compare_exchange_strong(owner, Owner::kTaking);
}

void OtherClients::EndPause() {
  owner_.store(Owner::kPaused, std::memory_order_release);
}

bool OtherClients::Resume() {
  Owner owner = Owner::kPaused;
  return owner_.compare_exchange_strong(owner, Owner::kTaking) && TakeOver();
}

// No callback of the client's runs in here, unless it left without a flush.
bool OtherClients::TakeBackIfLeft() {
  if (kinds_.load(std::memory_order_acquire) != 0) return false;
  const uint64_t left_ns = left_ns_.load(std::memory_order_relaxed);
  const bool flushed = flushed_.load(std::memory_order_relaxed);
  const uint64_t now_ns = parts_.session->runtime().monotonic_ns();
  if (!flushed && now_ns - left_ns < kClientGoneNs) return false;
  // Its records are still its own.
  if (!flushed) parts_.cupti->api().activity_flush_all(0);
  Owner owner = Owner::kClient;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking,
                                      std::memory_order_acquire)) {
    return false;
  }
  if (kinds_.load(std::memory_order_acquire) != 0) {
    owner_.store(Owner::kClient, std::memory_order_release);
    return false;
  }
  return TakeOver();
}

// ---- Calls of other clients ------------------------------------------------

bool OtherClients::IsClients() const {
  return parts_.session->IsCurrent() && owner() == Owner::kClient;
}

// Hands CUPTI over, on the client's thread. Only our own callbacks run in here,
// so no lock of the client's is needed. True: it was ours.
bool OtherClients::StepAside() {
  if (!parts_.session->IsCurrent()) return false;
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
    yielded_ns_.store(parts_.clock->Now(), std::memory_order_relaxed);
    if (owner == Owner::kOurs) parts_.cupti->Off();
    HandOver();
    return true;
  }
}

void OtherClients::HandOver() {
  parts_.cupti->api().activity_flush_all(0);
  flushed_.store(false, std::memory_order_relaxed);
  // From now: a client that only looks in leaves by itself.
  const SourceRuntime& runtime = parts_.session->runtime();
  left_ns_.store(runtime.monotonic_ns(), std::memory_order_relaxed);
  runtime.lost(trace::LossKind::kActivityYielded, 1);
  owner_.store(Owner::kClient, std::memory_order_release);
}

void OtherClients::BeforeRegister() { StepAside(); }

void OtherClients::AfterRegister(CUpti_BuffersCallbackRequestFunc requested,
                                 CUpti_BuffersCallbackCompleteFunc completed) {
  parts_.buffers->SetClient(requested, completed);
  if (IsClients()) parts_.cupti->Register();
}

// A client that kept its registration switches a kind on again.
void OtherClients::BeforeEnable() {
  if (parts_.buffers->has_client()) StepAside();
}

void OtherClients::AfterEnable(int32_t kind) {
  kinds_.fetch_or(BitOf(kind), std::memory_order_release);
  flushed_.store(false, std::memory_order_relaxed);
  if (IsClients()) parts_.buffers->Stage();
}

void OtherClients::AfterDisable(int32_t kind) {
  const uint64_t before =
      kinds_.fetch_and(~BitOf(kind), std::memory_order_acq_rel);
  if ((before & ~BitOf(kind)) != 0 || before == 0) return;
  if (parts_.session->IsCurrent()) {
    left_ns_.store(parts_.session->runtime().monotonic_ns(),
                   std::memory_order_relaxed);
  }
}

void OtherClients::AfterFlush() {
  if (kinds_.load(std::memory_order_acquire) != 0) return;
  flushed_.store(true, std::memory_order_release);
  parts_.buffers->GiveStagedBack();
  // The sooner the collector takes back, the less is not observed.
  if (IsClients()) parts_.session->runtime().wake();
}

// Records made before it still have the old clock, so they are fetched first.
void OtherClients::BeforeTimestampCallback() {
  if (!parts_.session->IsCurrent()) return;
  StepAside();
  parts_.clock->BeforeCallback();
}

void OtherClients::AfterTimestampCallback(
    CUpti_TimestampCallbackFunc callback) {
  parts_.clock->AfterCallback(callback);
}

// CUPTI forgets everything; the collector begins anew afterwards.
void OtherClients::BeforeFinalize() {
  StepAside();
  parts_.nodes->StepAside();
  kinds_.store(0, std::memory_order_relaxed);
  flushed_.store(true, std::memory_order_release);
}

void OtherClients::BeforeSubscribe() {
  if (parts_.session->IsCurrent()) parts_.nodes->StepAside();
}

void OtherClients::AfterUnsubscribe() { parts_.nodes->MaybeFree(); }

// ---- CUPTI's buffer callbacks ----------------------------------------------

void OtherClients::BufferRequested(uint8_t** buffer, size_t* size,
                                   size_t* max_records) {
  parts_.buffers->Requested(owner() == Owner::kClient, buffer, size,
                            max_records);
}

void OtherClients::BufferCompleted(
    const BufferExchange::Completion& completion) {
  const Owner owner = owner_.load(std::memory_order_acquire);
  const bool is_ours =
      owner == Owner::kOurs && kinds_.load(std::memory_order_relaxed) == 0;
  parts_.buffers->Completed(owner == Owner::kClient, is_ours, completion);
}

}  // namespace dltap::shim::cupti
