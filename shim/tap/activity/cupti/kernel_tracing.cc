// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/kernel_tracing.h"

#include <stdlib.h>

namespace dltap::shim::cupti {
namespace {

constexpr uint64_t kFlushPeriodNs = 500'000'000;
constexpr uint64_t kKernelsBeforeApiDoubt = 64;

uint64_t TracingNow() {
  uint64_t now = 0;
  g_kernel_tracing.Timestamp(&now);
  return now;
}

}  // namespace

constinit KernelTracing g_kernel_tracing;

// ---- Begin, end ------------------------------------------------------------

bool KernelTracing::IsCurrentSession() const {
  // In a forked child nothing of this holds, and CUPTI must not be called.
  const uint32_t session = session_.load(std::memory_order_acquire);
  return session != 0 && runtime_.session() == session;
}

void KernelTracing::Start(const SourceRuntime& runtime) {
  runtime_ = runtime;
  owner_.store(Owner::kNobody, std::memory_order_relaxed);
  const char* injected = secure_getenv("CUDA_INJECTION64_PATH");
  if (injected != nullptr && *injected != '\0') {
    runtime_.level(trace::Level::kHost,
                   "another tool is injected (CUDA_INJECTION64_PATH is set)");
    return;
  }
  if (!Connect()) return;
  reader_.Begin(&api_, &runtime_, version_);
  nodes_.Begin(&api_, &runtime_);
  session_.store(runtime_.session(), std::memory_order_release);
  if (client_kinds_.load(std::memory_order_relaxed) != 0) {
    yielded_ns_.store(Now(), std::memory_order_relaxed);
    owner_.store(Owner::kClient, std::memory_order_release);
    runtime_.lost(trace::LossKind::kActivityYielded, 1);
  } else if (!runtime_.recording()) {
    paused_ns_ = Now();
    owner_.store(Owner::kPaused, std::memory_order_release);
  } else {
    owner_.store(Owner::kTaking, std::memory_order_relaxed);
    if (!TakeOver()) return;
  }
  // The first flush is due a period later, when the trace says that we trace:
  // a flush that never returns would keep it from being written.
  flushed_at_ns_ = runtime_.monotonic_ns();
  runtime_.level(trace::Level::kKernels, "");
}

void KernelTracing::Finish() {
  if (!IsCurrentSession()) return;
  if (owner_.load(std::memory_order_acquire) == Owner::kOurs) {
    Flush(true);
    ReadDelivered();
    WriteWatermark(flush_began_ns_);
  } else if (owner_.load(std::memory_order_relaxed) == Owner::kClient) {
    WriteNotObserved(yielded_ns_.load(std::memory_order_relaxed), Now(),
                     trace::NotObservedCause::kYielded);
  } else if (owner_.load(std::memory_order_relaxed) == Owner::kPaused) {
    WriteNotObserved(paused_ns_, Now(), trace::NotObservedCause::kRecordingOff);
  }
  ReadNodes();
  reader_.Flush();
}

// ---- Each pass -------------------------------------------------------------

void KernelTracing::Pass() {
  if (!IsCurrentSession()) return;
  clock_.Sample(TracingNow);
  switch (owner_.load(std::memory_order_acquire)) {
    case Owner::kOurs:
      if (!runtime_.recording()) {
        Pause();
      } else if (runtime_.monotonic_ns() - flushed_at_ns_ >= kFlushPeriodNs) {
        Flush(false);
      }
      break;
    case Owner::kPaused:
      if (runtime_.recording()) Resume();
      break;
    case Owner::kClient: TakeBackIfLeft(); break;
    default: break;
  }
  ReadDelivered();
  ReadNodes();
  reader_.Flush();
}

void KernelTracing::Pause() {
  Owner owner = Owner::kOurs;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking)) return;
  paused_ns_ = Now();
  SwitchOff();
  Flush(false);
  owner_.store(Owner::kPaused, std::memory_order_release);
}

void KernelTracing::Resume() {
  Owner owner = Owner::kPaused;
  if (!owner_.compare_exchange_strong(owner, Owner::kTaking)) return;
  if (!TakeOver()) return;
  flush_began_ns_ = 0;
  WriteNotObserved(paused_ns_, Now(), trace::NotObservedCause::kRecordingOff);
}

void KernelTracing::Flush(bool forced) {
  const uint64_t before = Now();
  flushed_at_ns_ = runtime_.monotonic_ns();
  // FORCED in the middle of a run would hand out running kernels with an end
  // of 0, and lose them.
  api_.activity_flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  // Buffers may arrive a little after the flush returns, so what is complete
  // now is what the flush before this one had to deliver.
  if (flush_began_ns_ != 0 && !forced) WriteWatermark(flush_began_ns_);
  flush_began_ns_ = before;
  CountDropped();
}

void KernelTracing::ReadDelivered() {
  BufferPool::Buffer buffers[32];
  for (int count; (count = pool_.Delivered(buffers, 32)) > 0;) {
    reader_.Read({buffers, static_cast<size_t>(count)}, clock_);
    for (int i = 0; i < count; ++i) pool_.Give(buffers[i]);
  }
  // Some library may want the whole kind on before it delivers single calls.
  if (!whole_api_kinds_ && reader_.api_calls() == 0 &&
      reader_.kernels() > kKernelsBeforeApiDoubt) {
    whole_api_kinds_ = true;
    if (owner_.load(std::memory_order_acquire) == Owner::kOurs) {
      api_.activity_enable(CUPTI_ACTIVITY_KIND_RUNTIME);
      api_.activity_enable(CUPTI_ACTIVITY_KIND_DRIVER);
    }
  }
}

void KernelTracing::ReadNodes() {
  NodeOrigin origin;
  while (nodes_.Pop(&origin)) {
    trace::GraphNodeRecord record{};
    record.node = origin.node;
    record.original_node = origin.original_node;
    record.call_begin_ticks = origin.call_begin_ticks;
    record.thread = origin.thread;
    record.graph = origin.graph;
    reader_.Write(record);
  }
}

void KernelTracing::CountDropped() {
  size_t dropped = 0;
  if (api_.activity_get_dropped(nullptr, 0, &dropped) != CUPTI_SUCCESS ||
      dropped == 0) {
    return;
  }
  runtime_.lost(trace::LossKind::kActivityDropped, dropped);
}

template <typename Record>
void KernelTracing::WriteSample(const Record& record) {
  uint8_t bytes[sizeof(Record) + 8];
  trace::RecordBuffer buffer(bytes, sizeof(bytes));
  buffer.Append(record);
  runtime_.append(trace::BlockKind::kSamples, buffer.data(),
                  static_cast<uint32_t>(buffer.size()));
}

void KernelTracing::WriteWatermark(uint64_t complete_until_ns) {
  // The records it vouches for go first.
  reader_.Flush();
  trace::WatermarkRecord record{};
  record.complete_until_ns = complete_until_ns;
  record.device = trace::kNoIndex;
  WriteSample(record);
}

void KernelTracing::WriteNotObserved(uint64_t begin_ns, uint64_t end_ns,
                                     trace::NotObservedCause cause) {
  trace::NotObservedRecord record{};
  record.begin_ns = begin_ns;
  record.end_ns = end_ns;
  record.device = trace::kNoIndex;
  record.cause = static_cast<uint32_t>(cause);
  WriteSample(record);
}

// ---- Clock, ids, captures --------------------------------------------------

bool KernelTracing::Timestamp(uint64_t* ns) {
  if (!IsCurrentSession()) return false;
  *ns = Now();
  return *ns != 0;
}

uint64_t KernelTracing::Now() {
  if (clock_lost_.load(std::memory_order_acquire)) {
    return runtime_.monotonic_ns() +
           static_cast<uint64_t>(
               clock_offset_ns_.load(std::memory_order_relaxed));
  }
  uint64_t now = 0;
  return api_.get_timestamp(&now) == CUPTI_SUCCESS ? now : 0;
}

bool KernelTracing::PushId(uint64_t id) {
  return owner_.load(std::memory_order_relaxed) == Owner::kOurs &&
         api_.push_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, id) ==
             CUPTI_SUCCESS;
}

void KernelTracing::PopId() {
  uint64_t id = 0;
  api_.pop_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, &id);
}

void KernelTracing::CaptureBegins() {
  if (IsCurrentSession()) {
    nodes_.CaptureBegins();
  } else {
    nodes_.WantCaptures();
  }
}

}  // namespace dltap::shim::cupti
