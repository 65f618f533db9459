// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUPTI_DELIVERY_H_
#define DLTAP_SHIM_SIMGPU_CUPTI_DELIVERY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "shim/simgpu/cupti/record_layout.h"

namespace dltap::simgpu {

// Takes records as work is submitted and hands them to the client in its own
// buffers after the work has ended, as CUPTI does: a full buffer when it is
// full, the rest at a flush. Any thread; the client's callbacks run without a
// lock that another CUPTI call would take.
class Delivery {
 public:
  void SetCallbacks(CUpti_BuffersCallbackRequestFunc request,
                    CUpti_BuffersCallbackCompleteFunc complete);
  bool has_callbacks() const { return request_ != nullptr; }

  void Add(PendingRecord record);

  // CUPTI asks for its first buffer at the first API call after enabling.
  void RequestFirstBuffer();

  // Moves what has ended into buffers. `flush`: hands over the last one too.
  // `forced`: also what still runs, with an end of 0.
  void Pump(bool flush, bool forced);

  // Starts the thread that pumps now and then; once.
  void StartWorker();

  // Forgets all records and the buffer, which the client may have freed.
  void Abandon();

  uint64_t TakeDropped() { return dropped_.exchange(0); }

 private:
  std::vector<PendingRecord> TakeEnded(bool forced);
  bool EnsureBuffer(size_t bytes);
  void CompleteBuffer();
  void Write(PendingRecord& record);

  std::mutex pending_mutex_;
  std::vector<PendingRecord> pending_;  // in the order of submission

  // Serialises pumps; never held while pending_mutex_ is wanted by a client.
  std::mutex pump_mutex_;
  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  uint8_t* buffer_ = nullptr;
  size_t buffer_bytes_ = 0;
  size_t used_bytes_ = 0;
  size_t max_records_ = 0;  // 0: as many as fit
  size_t records_ = 0;
  std::atomic<bool> has_buffer_{false};
  std::atomic<bool> has_worker_{false};
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUPTI_DELIVERY_H_
