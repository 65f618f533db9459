// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cupti/delivery.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <thread>

#include "shim/simgpu/cupti/client_clock.h"
#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/faults.h"

namespace dltap::simgpu {
namespace {

constexpr auto kWorkerPeriod = std::chrono::milliseconds(50);

// A client that flushes from its own callback must not wait for itself.
thread_local bool t_pumping = false;

class PumpGuard {
 public:
  explicit PumpGuard(std::mutex& mutex) {
    if (t_pumping) return;
    lock_ = std::unique_lock(mutex);
    t_pumping = true;
  }
  ~PumpGuard() {
    if (lock_.owns_lock()) t_pumping = false;
  }
  bool entered() const { return lock_.owns_lock(); }

 private:
  std::unique_lock<std::mutex> lock_;
};

// DLTAP_SIM_FAULTS for a record; false: it is lost.
bool Spoil(const FaultRule& rule, PendingRecord& record) {
  switch (rule.action) {
    case FaultAction::kDrop: return false;
    case FaultAction::kDelay: record.complete_ns += rule.value; break;
    case FaultAction::kZeroTime: ClearTimes(record); break;
    case FaultAction::kNoEnd: ClearEnd(record); break;
    default: break;
  }
  return true;
}

}  // namespace

void Delivery::SetCallbacks(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc complete) {
  request_ = request;
  complete_ = complete;
}

void Delivery::Add(PendingRecord record) {
  const FaultRule* rule = nullptr;
  Fault* fault = FaultAt(FaultPoint::kRecord);
  if (fault != nullptr && IsDeviceWork(record)) [[unlikely]]
    rule = fault->Next();
  if (rule != nullptr && !Spoil(*rule, record)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard lock(pending_mutex_);
  pending_.push_back(record);
  if (rule != nullptr && rule->action == FaultAction::kTwice) {
    pending_.push_back(record);
  }
}

void Delivery::RequestFirstBuffer() {
  if (has_buffer_.load(std::memory_order_relaxed) || !has_callbacks()) return;
  const PumpGuard guard(pump_mutex_);
  if (guard.entered()) EnsureBuffer(sizeof(CUpti_ActivityKernel10));
}

std::vector<PendingRecord> Delivery::TakeEnded(bool forced) {
  const int64_t now = forced ? std::numeric_limits<int64_t>::max() : SimNow();
  const std::lock_guard lock(pending_mutex_);
  const auto first_running = std::stable_partition(
      pending_.begin(), pending_.end(),
      [now](const PendingRecord& record) { return record.complete_ns <= now; });
  std::vector<PendingRecord> ended(std::make_move_iterator(pending_.begin()),
                                   std::make_move_iterator(first_running));
  pending_.erase(pending_.begin(), first_running);
  return ended;
}

void Delivery::Pump(bool flush, bool forced) {
  const PumpGuard guard(pump_mutex_);
  if (!guard.entered() || !has_callbacks()) return;
  RefreshClientClock();
  // What a forced flush cuts off has no end yet. Read the clock after taking:
  // by an older time a record that ended meanwhile would seem to be running.
  std::vector<PendingRecord> taken = TakeEnded(forced);
  const int64_t now = SimNow();
  for (PendingRecord& record : taken) {
    if (EndOf(record) > now) ClearEnd(record);
    Write(record);
  }
  if (flush && used_bytes_ > 0) CompleteBuffer();
}

void Delivery::Write(PendingRecord& record) {
  if (!EnsureBuffer(record.bytes)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ConvertTimes(record, ToClientTime);
  std::memcpy(buffer_ + used_bytes_, record.layout.data(), record.bytes);
  used_bytes_ += record.bytes;
  ++records_;
}

bool Delivery::EnsureBuffer(size_t bytes) {
  const bool full =
      buffer_ != nullptr && (used_bytes_ + bytes > buffer_bytes_ ||
                             (max_records_ != 0 && records_ == max_records_));
  if (full) CompleteBuffer();
  if (buffer_ == nullptr) {
    const CUpti_BuffersCallbackRequestFunc request = request_;
    if (request == nullptr) return false;
    buffer_bytes_ = max_records_ = used_bytes_ = records_ = 0;
    request(&buffer_, &buffer_bytes_, &max_records_);
    has_buffer_ = buffer_ != nullptr;
  }
  return buffer_ != nullptr && bytes <= buffer_bytes_;
}

void Delivery::CompleteBuffer() {
  uint8_t* const buffer = buffer_;
  buffer_ = nullptr;
  has_buffer_ = false;
  const size_t used = used_bytes_;
  used_bytes_ = 0;
  const CUpti_BuffersCallbackCompleteFunc complete = complete_;
  if (complete != nullptr) complete(nullptr, 0, buffer, buffer_bytes_, used);
}

void Delivery::StartWorker() {
  if (has_worker_.exchange(true)) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // The thread inherits the mask: the program's signals are not for it.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] {
    pthread_setname_np(pthread_self(), "sim-cupti");
    while (true) {
      std::this_thread::sleep_for(kWorkerPeriod);
      Pump(false, false);
    }
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Delivery::Abandon() {
  const PumpGuard guard(pump_mutex_);
  const std::lock_guard lock(pending_mutex_);
  pending_.clear();
  buffer_ = nullptr;
  has_buffer_ = false;
  used_bytes_ = 0;
}

}  // namespace dltap::simgpu
