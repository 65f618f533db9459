// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_

#include <cstdint>

#include "shim/tap/activity/cupti/activity_clock.h"
#include "shim/tap/activity/cupti/activity_reader.h"
#include "shim/tap/activity/cupti/buffer_exchange.h"
#include "shim/tap/activity/cupti/buffer_pool.h"
#include "shim/tap/activity/cupti/client_wants.h"
#include "shim/tap/activity/cupti/cupti_switch.h"
#include "shim/tap/activity/cupti/graph_nodes.h"
#include "shim/tap/activity/cupti/other_clients.h"
#include "shim/tap/activity/cupti/subscription.h"
#include "shim/tap/activity/cupti/tracing_session.h"
#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// The large tables of KernelTracing: mapped by the first session that traces.
struct TracingTables {
  ActivityReader reader;
  GraphNodes nodes;
};

extern constinit BufferPool g_buffer_pool;

// Kernel, copy and memset records of one session, from CUPTI's activity API.
// The time in which another client has CUPTI is written as not observed. CUPTI
// is never finalized, no timestamp callback is ever registered.
//
// A failure of any step leaves the session at level `host`, with the reason.
class KernelTracing {
 public:
  constexpr KernelTracing()
      : switch_(&session_, &wants_, {OnBufferRequested, OnBufferCompleted}),
        clock_(&session_, &switch_.api()),
        buffers_(&session_, &switch_.api(), &g_buffer_pool),
        clients_({&session_, &wants_, &switch_, &buffers_, &clock_,
                  &subscription_}) {}

  // ---- Collector
  void Start(const SourceRuntime& runtime);
  // Each drain. Flushes twice a second at most.
  void Pass();
  // The last records, also of what still runs. CUPTI may not come back: the
  // process goes on when `is_awaited()` has become false, and ends.
  void Finish(bool (*is_awaited)());
  // The trace takes no more, the process goes on: everything off, all memory
  // given back. Again: what has come back meanwhile.
  void Stop();
  // Names, variants and streams are defined anew before their next use.
  void Forget() {
    if (tables_ != nullptr) tables_->reader.Forget();
  }

  // ---- Any thread
  // CUPTI's clock; false: there is none (yet).
  bool Timestamp(uint64_t* ns);
  // Around outermost library calls, while the runtime has been told to push.
  bool PushId(uint64_t id);
  void PopId();
  void CaptureBegins();

  OtherClients& clients() { return clients_; }

 private:
  using Owner = OtherClients::Owner;

  // Of g_kernel_tracing: CUPTI knows no object.
  static void CUPTIAPI OnBufferRequested(uint8_t** buffer, size_t* size,
                                         size_t* max_records);
  static void CUPTIAPI OnBufferCompleted(CUcontext context, uint32_t stream,
                                         uint8_t* buffer, size_t size,
                                         size_t valid_bytes);

  const SourceRuntime& runtime() const { return session_.runtime(); }
  bool Connect();
  bool MakeTables();
  void Pause();
  void Resume();
  void TakeBackIfLeft();
  void Flush(bool forced);
  void ReadDelivered();
  void ReadNodes();
  void CountDropped();
  bool IsServed();
  void DoubtCallbacks();
  void DoubtApiRecords();
  void WriteNotObserved(uint64_t begin_ns, uint64_t end_ns,
                        trace::NotObservedCause cause);
  void WriteWatermark(uint64_t complete_until_ns);
  template <typename Record>
  void WriteSample(const Record& record);

  TracingSession session_;
  ClientWants wants_;
  CuptiSwitch switch_;
  ActivityClock clock_;
  BufferExchange buffers_;
  Subscription subscription_;
  OtherClients clients_;

  // After Stop() or Finish(): CUPTI is not called again.
  std::atomic<bool> is_over_{false};

  // Ids that were pushed; not counted beyond the number that makes us doubt.
  std::atomic<uint32_t> pushes_{0};

  // Collector.
  enum class Ids { kUnknown, kTryingWholeKinds, kCome, kNone };
  Ids ids_ = Ids::kUnknown;
  uint64_t tried_at_calls_ = 0;  // API records, when whole kinds came on
  uint64_t flushed_at_ns_ = 0;   // monotonic
  uint64_t flush_began_ns_ = 0;  // CUPTI, of the last flush
  uint64_t paused_ns_ = 0;       // CUPTI
  // When CUPTI last delivered a buffer, or nothing was to be delivered.
  uint64_t served_submissions_ = 0;
  uint64_t served_completions_ = 0;
  // Since then, and since CUPTI last asked for a buffer.
  struct Doubt {
    uint64_t requests;
    uint64_t submissions;
    uint64_t begin_ns;  // monotonic
    uint32_t flushes;
  };
  Doubt doubt_ = {};
  TracingTables* tables_ = nullptr;  // there while a session is current
};

extern constinit KernelTracing g_kernel_tracing;

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_H_
