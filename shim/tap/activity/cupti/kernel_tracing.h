// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/cupti/activity_clock.h"
#include "shim/tap/activity/cupti/activity_reader.h"
#include "shim/tap/activity/cupti/buffer_pool.h"
#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/graph_nodes.h"
#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// Kernel, copy and memset records of one session, from CUPTI's activity API.
//
// CUPTI has one pair of buffer callbacks, one set of kinds and one subscriber
// per process. Another client's rights come first: when it registers, our
// records are flushed and our kinds switched off before its call reaches CUPTI;
// when its last kind is off and it has flushed, the collector takes back. The
// time between is written as not observed. CUPTI is never finalized, no
// timestamp callback is ever registered.
//
// A failure of any step leaves the session at level `host`, with the reason.
class KernelTracing {
 public:
  // ---- Collector
  void Start(const SourceRuntime& runtime);
  // Each drain. Flushes twice a second at most.
  void Pass();
  // The last records, also of what still runs. The caller waits with a
  // deadline: CUPTI may not come back.
  void Finish();

  // ---- Any thread
  // CUPTI's clock; false: there is none (yet).
  bool Timestamp(uint64_t* ns);
  // Around outermost library calls, while the runtime has been told to push.
  bool PushId(uint64_t id);
  void PopId();
  void CaptureBegins();

  // ---- Calls of other clients, from the hooks around them
  void BeforeRegister();
  void AfterRegister(CUpti_BuffersCallbackRequestFunc requested,
                     CUpti_BuffersCallbackCompleteFunc completed);
  void BeforeTimestampCallback();
  void AfterTimestampCallback(CUpti_TimestampCallbackFunc callback);
  void BeforeEnable();
  void AfterEnable(int32_t kind);
  void AfterDisable(int32_t kind);
  void AfterFlush();
  void BeforeFinalize();
  void BeforeSubscribe();
  void AfterUnsubscribe();

  // ---- CUPTI's buffer callbacks
  void BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records);
  void BufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer,
                       size_t size, size_t valid_bytes);

 private:
  // Who has CUPTI. The two changes are short and exclusive.
  enum class Owner : uint32_t {
    kNobody = 0,  // we do not trace
    kOurs = 1,
    kYielding = 2,
    kClient = 3,
    kTaking = 4,
    kPaused = 5,  // ours, switched off: nothing is recorded now
  };

  bool IsCurrentSession() const;
  bool Connect();
  bool TakeOver();
  void SwitchOff();
  bool SwitchOnKinds();
  bool SwitchOnApis();
  bool SwitchApiCalls(uint8_t enable);
  CUptiResult RegisterDispatch();
  void Pause();
  void Resume();
  bool StepAside();
  void HandOver();
  void StageClientBuffer();
  void CopyToClient(CUcontext context, uint8_t* data, size_t valid_bytes);
  void CompleteClientBuffer(CUcontext context, const uint8_t* data,
                            size_t bytes);
  void TakeBackIfLeft();
  void GiveUp(const char* step, CUptiResult result);
  bool Check(const char* step, CUptiResult result);
  void Flush(bool forced);
  void ReadDelivered();
  void ReadNodes();
  void CountDropped();
  void WriteNotObserved(uint64_t begin_ns, uint64_t end_ns,
                        trace::NotObservedCause cause);
  void WriteWatermark(uint64_t complete_until_ns);
  template <typename Record>
  void WriteSample(const Record& record);
  uint64_t Now();

  SourceRuntime runtime_{};
  CuptiApi api_{};
  std::atomic<uint32_t> session_{0};  // that api_ and runtime_ belong to
  std::atomic<Owner> owner_{Owner::kNobody};
  uint32_t version_ = 0;
  bool whole_api_kinds_ = false;
  bool thread_ids_changed_ = false;
  CUpti_ActivityThreadIdType thread_id_type_{};

  // Collector.
  uint64_t flushed_at_ns_ = 0;   // monotonic
  uint64_t flush_began_ns_ = 0;  // CUPTI, of the last flush
  uint64_t paused_ns_ = 0;       // CUPTI
  ActivityReader reader_;
  GraphNodes nodes_;

  // Clients.
  std::atomic<CUpti_BuffersCallbackRequestFunc> client_requested_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> client_completed_{nullptr};
  std::atomic<uint64_t> client_kinds_{0};    // bit per kind
  std::atomic<uint64_t> client_left_ns_{0};  // monotonic; 0: has not
  std::atomic<bool> client_flushed_{false};
  std::atomic<uint64_t> yielded_ns_{0};  // CUPTI
  // CUPTI may keep a buffer of ours while a client has it, and the reverse: so
  // our callbacks stay registered and hand on what belongs to the other.
  std::atomic<int32_t> our_buffers_outside_{0};
  uint8_t* staged_ = nullptr;  // of the client, for what lands in ours
  size_t staged_bytes_ = 0;
  // cuptiGetTimestamp follows a client's callback: our clock goes on by the
  // monotonic one.
  std::atomic<bool> clock_lost_{false};
  std::atomic<int64_t> clock_offset_ns_{0};

  ActivityClock clock_;
  BufferPool pool_;
};

extern constinit KernelTracing g_kernel_tracing;

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_
