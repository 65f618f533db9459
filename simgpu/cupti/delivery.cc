// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/delivery.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <thread>
#include <utility>

#include "simgpu/base/blocked_signals.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/client_clock.h"
#include "simgpu/cupti/overhead_records.h"
#include "simgpu/cupti/thread_ids.h"
#include "simgpu/cupti/toolkit.h"

namespace dltap::simgpu {
namespace {

// CUPTI 12.9: the first that can do without a buffer.
constexpr uint32_t kNullSince = 27;

constexpr auto kDefaultPeriod = std::chrono::milliseconds(50);

// Delivery::completions_ when this thread last had a buffer.
constinit thread_local uint64_t t_seen_completions
    [[gnu::tls_model("initial-exec")]] = 0;

// Notices the end of a thread that had a buffer.
struct ThreadEnd {
  Delivery* delivery = nullptr;
  uint32_t thread_id = 0;
  ~ThreadEnd() {
    // In a forked child the lock may be held for ever.
    if (delivery == nullptr || IsOrphan()) return;
    delivery->EndThread(thread_id);
  }
};
thread_local ThreadEnd t_end;

// A client that flushes from its own callback must not wait for itself.
thread_local bool t_pumping = false;

class PumpGuard {
 public:
  explicit PumpGuard(std::mutex& mutex) {
    if (t_pumping) return;
    lock_ = std::unique_lock(mutex);
    t_pumping = true;
  }
  PumpGuard(std::mutex& mutex, std::try_to_lock_t how) {
    if (t_pumping) return;
    lock_ = std::unique_lock(mutex, how);
    if (lock_.owns_lock()) t_pumping = true;
  }
  ~PumpGuard() {
    if (lock_.owns_lock()) t_pumping = false;
  }
  bool entered() const { return lock_.owns_lock(); }

 private:
  std::unique_lock<std::mutex> lock_;
};

// DLTAP_SIM_FAULTS for a record.
void Spoil(const FaultRule& rule, PendingRecord& record) {
  switch (rule.action) {
    case FaultAction::kDelay: record.complete_ns += rule.value; break;
    case FaultAction::kZeroTime: ClearTimes(record); break;
    case FaultAction::kNoEnd: ClearEnd(record); break;
    default: break;
  }
}

}  // namespace

void Delivery::SetCallbacks(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc complete) {
  request_ = request;
  complete_ = complete;
}

// Callbacks of a client that nobody saw coming, for instance by a CUPTI that is
// linked statically. What it is handed it keeps.
void Delivery::Steal() {
  SetCallbacks(
      [](uint8_t** buffer, size_t* size, size_t* max_records) {
        constexpr size_t kBytes = size_t{1} << 16;
        *buffer = new uint8_t[kBytes];
        *size = kBytes;
        *max_records = 0;
      },
      [](CUcontext, uint32_t, uint8_t*, size_t, size_t) {});
}

void Delivery::Keep(const PendingRecord& record) {
  try {
    incoming_.Add(record, CurrentThread().thread_id);
  } catch (const std::bad_alloc&) {  // as CUPTI without memory
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Delivery::AddSpoilt(const FaultRule& rule, PendingRecord record) {
  if (rule.action == FaultAction::kUnseen) return;
  if (rule.action == FaultAction::kDrop) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Spoil(rule, record);
  if (rule.action == FaultAction::kStolen) Steal();
  Keep(record);
  if (rule.action == FaultAction::kTwice) Keep(record);
}

void Delivery::Add(const PendingRecord& record) {
  Fault* fault = FaultAt(FaultPoint::kRecord);
  if (fault != nullptr && IsDeviceWork(record)) [[unlikely]] {
    if (const FaultRule* rule = fault->Next()) return AddSpoilt(*rule, record);
  }
  Keep(record);
}

void Delivery::RequestFirstBuffer() {
  const uint64_t completions = completions_.load(std::memory_order_acquire);
  if (t_seen_completions == completions || !has_callbacks()) return;
  // A call of CUDA does not wait for a client's callback: the next one asks.
  const PumpGuard guard(pump_mutex_, std::try_to_lock);
  if (!guard.entered()) return;
  t_seen_completions = completions;
  t_end.delivery = this;
  t_end.thread_id = CurrentThread().thread_id;
  BufferFor(t_end.thread_id, sizeof(CUpti_ActivityKernel10));
}

std::vector<PendingRecord> Delivery::TakeEnded(bool forced) {
  const int64_t now = forced ? std::numeric_limits<int64_t>::max() : SimNow();
  incoming_.TakeAll(waiting_);
  const auto first_running = std::stable_partition(
      waiting_.begin(), waiting_.end(),
      [now](const PendingRecord& record) { return record.complete_ns <= now; });
  std::vector<PendingRecord> ended(std::make_move_iterator(waiting_.begin()),
                                   std::make_move_iterator(first_running));
  waiting_.erase(waiting_.begin(), first_running);
  return ended;
}

namespace {

// Where only calls move the clock, what a program has queued at its end would
// never be over: in virtual time a forced flush waits for it.
void EndInVirtualTime(const std::vector<PendingRecord>& running) {
  if (GetConfig().clock != ClockMode::kVirtual) return;
  for (const PendingRecord& record : running) WaitUntil(EndOf(record));
}

}  // namespace

void Delivery::Pump(bool flush, bool forced) {
  const PumpGuard guard(pump_mutex_);
  if (!guard.entered() || !has_callbacks()) return;
  RefreshClientClock();
  // What a forced flush cuts off has no end yet. Read the clock after taking:
  // by an older time a record that ended meanwhile would seem to be running.
  std::vector<PendingRecord> taken = TakeEnded(forced);
  if (forced) EndInVirtualTime(taken);
  const int64_t now = SimNow();
  for (PendingRecord& record : taken) {
    if (EndOf(record) > now) ClearEnd(record);
    Write(record);
  }
  CompleteEnded();
  if (!flush) return;
  for (auto& [thread_id, buffer] : buffers_) {
    if (buffer.used > 0) Complete(std::exchange(buffer, {}));
  }
}

void Delivery::EndThread(uint32_t thread_id) {
  const std::lock_guard lock(ended_mutex_);
  ended_threads_.push_back(thread_id);
}

// Also buffers without a record: they would never be filled.
void Delivery::CompleteEnded() {
  std::vector<uint32_t> ended;
  {
    const std::lock_guard lock(ended_mutex_);
    ended.swap(ended_threads_);
  }
  for (const uint32_t thread_id : ended) {
    const auto found = buffers_.find(thread_id);
    if (found == buffers_.end()) continue;
    const Buffer buffer = found->second;
    buffers_.erase(found);
    if (buffer.bytes != nullptr) Complete(buffer);
  }
}

void Delivery::Write(PendingRecord& record) {
  Buffer* buffer = BufferFor(record.thread_id, record.bytes);
  if (buffer == nullptr) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ConvertTimes(record, ToClientTime, LengthConversion());
  std::memcpy(buffer->bytes + buffer->used, record.layout.data(), record.bytes);
  buffer->used += record.bytes;
  ++buffer->records;
}

Delivery::Buffer* Delivery::BufferFor(uint32_t thread_id, size_t bytes) {
  Buffer& buffer = buffers_[PerThreadBuffers() ? thread_id : 0];
  if (buffer.bytes != nullptr && !buffer.HasRoomFor(bytes)) {
    Complete(std::exchange(buffer, {}));
  }
  if (buffer.bytes == nullptr) Request(buffer);
  return buffer.bytes != nullptr && bytes <= buffer.size ? &buffer : nullptr;
}

void Delivery::Request(Buffer& buffer) {
  const CUpti_BuffersCallbackRequestFunc request = request_;
  if (request == nullptr) return;
  const int64_t begin_ns = SimNow();
  request(&buffer.bytes, &buffer.size, &buffer.max_records);
  if (buffer.bytes == nullptr && CuptiApiVersion() < kNullSince) {
    std::fprintf(stderr,
                 "dltap: simgpu: a client gave no buffer to CUPTI before "
                 "12.9, which crashes\n");
    std::abort();
  }
  if (buffer.bytes != nullptr && !ZeroedBuffers()) {
    std::memset(buffer.bytes, 0, buffer.size);
  }
  TellOverhead(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, begin_ns);
}

void Delivery::Complete(Buffer buffer) {
  completions_.fetch_add(1, std::memory_order_release);
  const CUpti_BuffersCallbackCompleteFunc complete = complete_;
  if (complete == nullptr) return;
  const int64_t begin_ns = SimNow();
  complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  TellOverhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, begin_ns);
}

void Delivery::TellOverhead(CUpti_ActivityOverheadKind kind, int64_t begin_ns) {
  if (!overhead_.load(std::memory_order_relaxed)) return;
  const auto record = ToRecord({.kind = kind,
                                .begin_ns = begin_ns,
                                .end_ns = SimNow(),
                                .thread_id = ClientThreadId()});
  if (record) Add(*record);
}

bool Delivery::StartWorker() {
  if (has_worker_.exchange(true)) return false;
  const BlockedSignals blocked;
  std::thread([this] { RunWorker(); }).detach();
  return true;
}

void Delivery::RunWorker() {
  pthread_setname_np(pthread_self(), "sim-cupti");
  while (true) {
    {
      std::unique_lock lock(worker_mutex_);
      const uint64_t changes = period_changes_;
      const auto period = period_.count() == 0 ? kDefaultPeriod : period_;
      const bool changed = worker_wakes_.wait_for(
          lock, period, [&] { return period_changes_ != changes; });
      if (changed) continue;
    }
    Pump(false, false);
  }
}

void Delivery::SetPeriod(std::chrono::milliseconds period) {
  const std::lock_guard lock(worker_mutex_);
  period_ = period;
  ++period_changes_;
  worker_wakes_.notify_all();
}

void Delivery::Abandon() {
  const PumpGuard guard(pump_mutex_);
  incoming_.TakeAll(waiting_);
  waiting_.clear();
  buffers_.clear();
  completions_.fetch_add(1, std::memory_order_release);
}

}  // namespace dltap::simgpu
