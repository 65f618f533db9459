// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/other_clients.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace dltap::shim::cupti {
namespace {

// A client that does not flush after it has switched everything off is taken
// to have left after this.
constexpr uint64_t kClientGoneNs = 2'000'000'000;

// How long a client's thread waits for the collector, which is in CUPTI, to
// come to the end of what it does there; and for it to stage a buffer.
constexpr int kCollectorPatience = 20'000;  // steps of some 100 us
constexpr int kStagingPatience = 200;

// Not nanosleep(): that is a cancellation point, and this the host's thread.
void WaitAStep() {
  static constexpr timespec kStep = {0, 50'000};
  const int saved_errno = errno;
  syscall(SYS_nanosleep, &kStep, nullptr);
  errno = saved_errno;
}

}  // namespace

// ---- Collector -------------------------------------------------------------

bool OtherClients::Begin(bool paused) {
  const bool is_free = !IsWanted();
  if (is_free && !parts_.buffers->has_client()) parts_.cupti->LimitMemory();
  if (!is_free) {
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
  has_callbacks_ =
      !callbacks_fail_ && parts_.subscription->SwitchLaunches(true);
  const bool done = parts_.cupti->On(/*api_records=*/!has_callbacks_);
  owner_.store(done ? Owner::kOurs : Owner::kNobody, std::memory_order_release);
  if (!done) return false;
  if (parts_.cupti->PromiseZeros(true)) parts_.buffers->PromiseZeros();
  parts_.session->runtime().set_pushing(!has_callbacks_);
  return true;
}

// Launches go off after kernels, as they come on before them: no kernel is
// delivered without its launch, however long this thread has no CPU in between.
void OtherClients::SwitchOff() {
  parts_.cupti->Off();
  if (has_callbacks_) parts_.subscription->SwitchLaunches(false);
}

// From callbacks to API records, or back. Kernels of launches in between have
// none, or one that is told of twice, which does no harm.
void OtherClients::TurnToOtherLaunches() {
  has_callbacks_ = !has_callbacks_;
  const SourceRuntime& runtime = parts_.session->runtime();
  if (has_callbacks_) {
    runtime.set_pushing(false);
    parts_.cupti->ApiRecordsOff();
  } else if (parts_.cupti->ApiRecordsOn()) {
    runtime.set_pushing(true);
  }
}

void OtherClients::ChooseLaunches(bool callbacks_fail) {
  Owner owner = Owner::kOurs;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking)) return;
  callbacks_fail_ |= callbacks_fail;
  Subscription& subscription = *parts_.subscription;
  if (callbacks_fail_) {
    if (has_callbacks_) subscription.SwitchLaunches(false);
  } else if (!subscription.TellsLaunches() && subscription.MayTellLaunches()) {
    subscription.SwitchLaunches(true);
  }
  if (has_callbacks_ != subscription.TellsLaunches()) TurnToOtherLaunches();
  owner_.store(Owner::kOurs, std::memory_order_release);
}

bool OtherClients::BeginPause() {
  Owner owner = Owner::kOurs;
  return owner_.compare_exchange_strong(owner, Owner::kTaking);
}

void OtherClients::EndPause() {
  owner_.store(Owner::kPaused, std::memory_order_release);
}

void OtherClients::Stop() {
  Owner owner = Owner::kOurs;
  if (owner_.compare_exchange_strong(owner, Owner::kTaking)) {
    SwitchOff();
    parts_.cupti->api().activity_flush_all(0);
    parts_.cupti->PromiseZeros(false);
    owner_.store(Owner::kOver, std::memory_order_release);
  } else {
    Exit();
  }
  parts_.subscription->End();
}

// A client keeps CUPTI: our callbacks go on handing it what is its own.
void OtherClients::Exit() {
  Owner ours = Owner::kOurs;
  Owner paused = Owner::kPaused;
  if (!owner_.compare_exchange_strong(ours, Owner::kOver)) {
    owner_.compare_exchange_strong(paused, Owner::kOver);
  }
}

bool OtherClients::Resume() {
  Owner owner = Owner::kPaused;
  return owner_.compare_exchange_strong(owner, Owner::kTaking) && TakeOver();
}

// No callback of the client's runs in here, unless it left without a flush.
bool OtherClients::TakeBackIfLeft() {
  if (IsWanted()) return false;
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
  // It may have come again, and even have switched off what it had on, while
  // this thread had no CPU: its flush is yet to come.
  if (IsWanted() || flushed_.load() != flushed || left_ns_.load() != left_ns) {
    owner_.store(Owner::kClient, std::memory_order_release);
    return false;
  }
  return TakeOver();
}

// ---- Calls of other clients ------------------------------------------------

bool OtherClients::IsWanted() const {
  return coming_.Any() || parts_.wants->Any() ||
         (parts_.wants->has_scoped() && parts_.cupti->HasScopedActivity());
}

bool OtherClients::IsClients() const {
  return parts_.session->IsCurrent() && owner() == Owner::kClient;
}

// Hands CUPTI over, on the client's thread. Only our own callbacks run in here,
// so no lock of the client's is needed.
void OtherClients::StepAside() {
  if (!parts_.session->IsCurrent()) return;
  Owner owner = owner_.load(std::memory_order_acquire);
  for (int steps = 0; owner != Owner::kNobody && owner != Owner::kClient;) {
    if (owner == Owner::kOver) {
      ServeAfterEnd();
      return;
    }
    const bool is_busy = owner == Owner::kTaking || owner == Owner::kYielding;
    if (is_busy && ++steps > kCollectorPatience) {
      // It hangs in CUPTI, where the client's call may as well; not in us.
      parts_.session->runtime().lost(trace::LossKind::kFlushDeadline, 1);
      return;
    }
    if (is_busy) {
      WaitAStep();
      owner = owner_.load(std::memory_order_acquire);
    } else if (owner_.compare_exchange_weak(owner, Owner::kYielding,
                                            std::memory_order_acquire)) {
      HandOver(/*is_on=*/owner == Owner::kOurs);
      return;
    }
  }
}

// CUPTI may have a buffer of ours, or our callbacks in front of the client's:
// they go on handing over what is the client's.
void OtherClients::ServeAfterEnd() {
  if (!parts_.buffers->has_client() && !parts_.buffers->has_buffers_outside()) {
    return;
  }
  Owner owner = Owner::kOver;
  owner_.compare_exchange_strong(owner, Owner::kClient);
}

void OtherClients::HandOver(bool is_on) {
  // From here a launch of another thread may lack its kernel.
  yielded_ns_.store(parts_.clock->Now(), std::memory_order_relaxed);
  if (is_on) SwitchOff();
  parts_.cupti->api().activity_flush_all(0);
  flushed_.store(false, std::memory_order_relaxed);
  // From now: a client that only looks in leaves by itself.
  const SourceRuntime& runtime = parts_.session->runtime();
  left_ns_.store(runtime.monotonic_ns(), std::memory_order_relaxed);
  runtime.lost(trace::LossKind::kActivityYielded, 1);
  owner_.store(Owner::kClient, std::memory_order_release);
}

// What a client wants is known after its call only: until then nobody may take
// back.
void OtherClients::BeforeRegister() {
  coming_.Begin();
  StepAside();
}

void OtherClients::AfterRegister(CUpti_BuffersCallbackRequestFunc requested,
                                 CUpti_BuffersCallbackCompleteFunc completed) {
  parts_.buffers->SetClient(requested, completed);
  if (IsClients()) parts_.cupti->Register();
}

// A client that kept its registration switches a kind on again.
void OtherClients::BeforeEnable() {
  coming_.Begin();
  if (parts_.buffers->has_client()) StepAside();
}

void OtherClients::HasCome() { coming_.End(); }

void OtherClients::AfterEnable(int32_t kind) {
  parts_.wants->SetKind(kind, true);
  HasEnabled();
}

void OtherClients::AfterDisable(int32_t kind) {
  HasDisabled(parts_.wants->SetKind(kind, false));
  RestoreOurs(static_cast<CUpti_ActivityKind>(kind));
}

void OtherClients::AfterFunction(ApiDomain domain, uint32_t id, bool on) {
  const bool was_last = parts_.wants->SetFunction(domain, id, on);
  if (on) {
    HasEnabled();
  } else {
    HasDisabled(was_last);
    RestoreOurs(domain, id);
  }
}

void OtherClients::HasEnabled() {
  flushed_.store(false);
  if (IsClients()) AskForStaging();
}

void OtherClients::HasDisabled(bool was_last) {
  if (was_last && parts_.session->IsCurrent()) {
    left_ns_.store(parts_.session->runtime().monotonic_ns());
  }
}

// We trace, and the client's call has switched off what is ours, too.
template <typename... What>
void OtherClients::RestoreOurs(What... what) {
  if (!parts_.session->IsCurrent()) return;
  Owner owner = Owner::kOurs;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking)) return;
  const bool was_ours = parts_.cupti->Restore(what...);
  owner_.store(Owner::kOurs, std::memory_order_release);
  if (was_ours) {
    parts_.session->runtime().lost(trace::LossKind::kActivityYielded, 1);
  }
}

// The collector asks the client for a buffer: this thread may hold the lock
// that the client's callback takes. Then the wait here is in vain, and short.
void OtherClients::AskForStaging() {
  const BufferExchange& buffers = *parts_.buffers;
  if (buffers.has_staged() || !buffers.has_buffers_outside()) return;
  wants_staging_.store(true, std::memory_order_release);
  parts_.session->runtime().wake();
  for (int steps = 0; steps < kStagingPatience; ++steps) {
    if (!wants_staging_.load(std::memory_order_acquire)) return;
    WaitAStep();
  }
}

void OtherClients::StageIfWanted() {
  if (!wants_staging_.load(std::memory_order_acquire)) return;
  parts_.buffers->Stage();
  wants_staging_.store(false, std::memory_order_release);
}

void OtherClients::AfterFlush() {
  if (parts_.wants->Any()) return;
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
  parts_.subscription->StepAside();
  parts_.wants->Clear();
  flushed_.store(true, std::memory_order_release);
}

// The collector turns to API records at once. If it just takes the place, as at
// the begin of a session, the client's call would find it taken.
void OtherClients::BeforeSubscribe() {
  parts_.subscription->ClientComes();
  if (!parts_.session->IsCurrent()) return;
  for (int steps = 0; steps < kCollectorPatience; ++steps) {
    if (parts_.subscription->StepAside()) break;
    WaitAStep();
  }
  parts_.session->runtime().wake();
}

// A client that was refused leaves the place as it was.
void OtherClients::AfterSubscribe(bool subscribed) {
  parts_.subscription->ClientHasCome(subscribed);
}

void OtherClients::BeforeScopedSubscribe() {
  coming_.Begin();
  if (parts_.session->IsCurrent() && parts_.cupti->HasScopedActivity()) {
    StepAside();
  }
  BeforeSubscribe();
}

void OtherClients::AfterScopedSubscribe(bool subscribed) {
  if (subscribed) parts_.wants->AddScoped();
  AfterSubscribe(subscribed);
  HasCome();
}

void OtherClients::AfterUnsubscribe() {
  HasDisabled(parts_.wants->RemoveScoped());
  parts_.subscription->MaybeFree();
}

// ---- CUPTI's buffer callbacks ----------------------------------------------

void OtherClients::BufferRequested(uint8_t** buffer, size_t* size,
                                   size_t* max_records) {
  parts_.buffers->Requested(owner() == Owner::kClient, buffer, size,
                            max_records);
}

void OtherClients::BufferCompleted(
    const BufferExchange::Completion& completion) {
  const Owner owner = owner_.load(std::memory_order_acquire);
  const bool is_ours = owner == Owner::kOurs && !parts_.wants->Any();
  parts_.buffers->Completed(owner == Owner::kClient, is_ours, completion);
}

}  // namespace dltap::shim::cupti
