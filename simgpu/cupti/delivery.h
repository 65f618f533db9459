// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_DELIVERY_H_
#define DLTAP_SIMGPU_CUPTI_DELIVERY_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "simgpu/base/fault_rules.h"
#include "simgpu/cupti/pending_queue.h"
#include "simgpu/cupti/record_layout.h"

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

  void Add(const PendingRecord& record);

  // CUPTI asks for its first buffer at the first API call after enabling; in
  // per-thread mode, of each thread.
  void RequestFirstBuffer();

  // What a thread that is over has left is handed over soon.
  void EndThread(uint32_t thread_id);

  // Moves what has ended into buffers. `flush`: hands over the last ones too.
  // `forced`: also what still runs, with an end of 0.
  void Pump(bool flush, bool forced);

  // Starts the thread that pumps now and then; true: it was not there yet.
  bool StartWorker();

  // How often it does; 0: as CUPTI likes.
  void SetPeriod(std::chrono::milliseconds period);

  // Whether asking for buffers and handing them over is recorded as overhead.
  void set_overhead(bool wanted) { overhead_ = wanted; }

  // Forgets all records and the buffers, which the client may have freed.
  void Abandon();

  uint64_t TakeDropped() { return dropped_.exchange(0); }

 private:
  struct Buffer {
    uint8_t* bytes = nullptr;
    size_t size = 0;
    size_t used = 0;
    size_t max_records = 0;  // 0: as many as fit
    size_t records = 0;
    bool HasRoomFor(size_t more) const {
      return used + more <= size && (max_records == 0 || records < max_records);
    }
  };

  // REQUIRES: pump_mutex_, here and below.
  std::vector<PendingRecord> TakeEnded(bool forced);
  // The buffer that takes records of this thread, with room; null: the client
  // gives none that is large enough.
  Buffer* BufferFor(uint32_t thread_id, size_t bytes);
  void Request(Buffer& buffer);
  void Complete(Buffer buffer);
  void Write(PendingRecord& record);
  void AddSpoilt(const FaultRule& rule, PendingRecord record);
  void Keep(const PendingRecord& record);
  void TellOverhead(CUpti_ActivityOverheadKind kind, int64_t begin_ns);
  void RunWorker();
  void Steal();
  void CompleteEnded();

  PendingQueue incoming_;
  std::mutex ended_mutex_;
  std::vector<uint32_t> ended_threads_;

  // Serialises pumps.
  std::mutex pump_mutex_;
  std::vector<PendingRecord> waiting_;  // for their work to end
  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  // By thread, or all under 0 (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER).
  std::map<uint32_t, Buffer> buffers_;
  // Counts buffers handed over. A thread that has seen another number looks
  // again.
  std::atomic<uint64_t> completions_{1};

  std::mutex worker_mutex_;
  std::condition_variable worker_wakes_;
  std::chrono::milliseconds period_{0};  // guarded by worker_mutex_
  uint64_t period_changes_ = 0;          // likewise
  std::atomic<bool> has_worker_{false};
  std::atomic<bool> overhead_{false};
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_DELIVERY_H_
