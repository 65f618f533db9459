// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/kernel_tracing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dltap::shim::cupti {
namespace {

constexpr uint64_t kFlushPeriodNs = 500'000'000;
constexpr uint64_t kKernelsBeforeDoubt = 64;

// Launches may all lie outside of the calls that push.
constexpr uint32_t kPushesBeforeDoubt = 200;
constexpr uint64_t kCallsBeforeIdDoubt = 200;

// So many launches, in so long, have filled a buffer and ended: if none came in
// so many flushes, none will. (Where thousands of threads want a processor,
// time alone proves nothing: a single flush may take seconds.)
constexpr uint64_t kSubmissionsBeforeDoubt = 10'000;
constexpr uint64_t kNotServedNs = 5'000'000'000;
constexpr uint32_t kFlushesBeforeDoubt = 8;

// The driver passes over what is not there; other than a whole path, the loader
// may find it anywhere.
bool NamesATool(const char* injected) {
  if (injected == nullptr || *injected == '\0') return false;
  return *injected != '/' || access(injected, F_OK) == 0;
}

}  // namespace

constinit BufferPool g_buffer_pool;
[[gnu::section("dltap_at_load")]] constinit KernelTracing g_kernel_tracing;

void KernelTracing::OnBufferRequested(uint8_t** buffer, size_t* size,
                                      size_t* max_records) {
  g_kernel_tracing.clients_.BufferRequested(buffer, size, max_records);
}

void KernelTracing::OnBufferCompleted(CUcontext context, uint32_t stream,
                                      uint8_t* buffer, size_t size,
                                      size_t valid_bytes) {
  g_kernel_tracing.clients_.BufferCompleted(
      {context, stream, buffer, size, valid_bytes});
}

// ---- Begin, end ------------------------------------------------------------

// Zeros are what they begin with. Never unmapped: callbacks may still come.
bool KernelTracing::MakeTables() {
  if (tables_ != nullptr) return true;
  constexpr size_t kBytes = sizeof(TracingTables);
  void* memory = mmap(nullptr, kBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  // After mlockall(MCL_FUTURE) all of it would be filled here and now.
  munlock(memory, kBytes);
  if (mprotect(memory, kBytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, kBytes);
    return false;
  }
  tables_ = static_cast<TracingTables*>(memory);
  return true;
}

bool KernelTracing::Connect() {
  if (!switch_.Connect()) return false;
  if (MakeTables() && buffers_.Prepare()) return true;
  runtime().level(trace::Level::kHost, "no memory for activity buffers");
  return false;
}

void KernelTracing::Start(const SourceRuntime& given) {
  session_.Connect(given);
  is_over_.store(false);
  pushes_.store(0, std::memory_order_relaxed);
  ids_ = Ids::kUnknown;
  tried_at_calls_ = 0;
  clients_.Reset();
  if (!runtime().is_injected() &&
      NamesATool(secure_getenv("CUDA_INJECTION64_PATH"))) {
    runtime().level(
        trace::Level::kHost,
        "another tool may be injected (CUDA_INJECTION64_PATH is set)");
    return;
  }
  if (!Connect()) return;
  tables_->reader.Begin(&switch_.api(), &runtime(), switch_.version());
  subscription_.Begin(&switch_.api(), &runtime(), &tables_->nodes);
  session_.Begin();
  const bool is_recording = runtime().recording();
  if (!is_recording) paused_ns_ = clock_.Now();
  if (!clients_.Begin(/*paused=*/!is_recording)) return;
  // The first flush is due a period later, when the trace says that we trace:
  // a flush that never returns would keep it from being written.
  flushed_at_ns_ = runtime().monotonic_ns();
  runtime().level(trace::Level::kKernels, "");
}

// From here CUPTI is not called again: what follows are the exit handlers of
// the driver and of CUPTI itself.
void KernelTracing::Finish(bool (*is_awaited)()) {
  if (!session_.IsCurrent() || is_over_.exchange(true)) return;
  runtime().set_pushing(false);
  if (clients_.owner() == Owner::kOurs) {
    Flush(true);
    // Too late: kernels' names, for instance, may be gone.
    if (!is_awaited()) return;
    CountDropped();
    ReadDelivered();
    WriteWatermark(flush_began_ns_);
  } else if (clients_.owner() == Owner::kClient) {
    ReadDelivered();  // when the client came, perhaps just now
    WriteNotObserved(clients_.yielded_ns(), clock_.Now(),
                     trace::NotObservedCause::kYielded);
  } else if (clients_.owner() == Owner::kPaused) {
    ReadDelivered();
    WriteNotObserved(paused_ns_, clock_.Now(),
                     trace::NotObservedCause::kRecordingOff);
  }
  clients_.Exit();
  subscription_.Exit();
  ReadNodes();
  tables_->reader.Flush();
  buffers_.pool().Discard();
}

void KernelTracing::Stop() {
  if (!session_.IsCurrent()) return;
  if (!is_over_.exchange(true)) clients_.Stop();
  buffers_.pool().Discard();
}

// ---- Each pass -------------------------------------------------------------

void KernelTracing::Pass() {
  if (!session_.IsCurrent() || is_over_.load()) return;
  clock_.Sample();
  switch (clients_.owner()) {
    case Owner::kOurs:
      clients_.ChooseLaunches(/*callbacks_fail=*/false);
      if (!runtime().recording()) {
        Pause();
      } else if (runtime().monotonic_ns() - flushed_at_ns_ >= kFlushPeriodNs) {
        Flush(false);
      }
      break;
    case Owner::kPaused:
      if (runtime().recording()) Resume();
      break;
    case Owner::kClient:
      clients_.StageIfWanted();
      TakeBackIfLeft();
      break;
    default: break;
  }
  ReadDelivered();
  ReadNodes();
  tables_->reader.Flush();
}

void KernelTracing::Pause() {
  if (!clients_.BeginPause()) return;
  paused_ns_ = clock_.Now();
  clients_.SwitchOff();
  Flush(false);
  clients_.EndPause();
}

void KernelTracing::Resume() {
  if (!clients_.Resume()) return;
  flush_began_ns_ = 0;
  WriteNotObserved(paused_ns_, clock_.Now(),
                   trace::NotObservedCause::kRecordingOff);
}

void KernelTracing::TakeBackIfLeft() {
  const uint64_t yielded_ns = clients_.yielded_ns();
  if (!clients_.TakeBackIfLeft()) return;
  flush_began_ns_ = 0;
  WriteNotObserved(yielded_ns, clock_.Now(), trace::NotObservedCause::kYielded);
}

void KernelTracing::Flush(bool forced) {
  const uint64_t before = clock_.Now();
  flushed_at_ns_ = runtime().monotonic_ns();
  // FORCED in the middle of a run would hand out running kernels with an end
  // of 0, and lose them.
  switch_.api().activity_flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
                                          : 0);
  // Buffers may arrive a little after the flush returns, so what is complete
  // now is what the flush before this one had to deliver.
  if (forced) {
    flush_began_ns_ = before;
    return;
  }
  if (!IsServed()) return;
  if (flush_began_ns_ != 0) WriteWatermark(flush_began_ns_);
  flush_began_ns_ = before;
  CountDropped();
}

// Whether what was to be delivered is. A client that nobody saw come, for
// instance through a CUPTI that is linked statically, gets all buffers from
// then on: nothing is vouched for, and in the end CUPTI is left alone.
bool KernelTracing::IsServed() {
  const uint64_t submissions = runtime().submissions();
  const uint64_t completions = buffers_.completions();
  const uint64_t requests = buffers_.requests();
  const uint64_t now_ns = runtime().monotonic_ns();
  const bool is_served =
      completions != served_completions_ || submissions == served_submissions_;
  if (is_served) {
    served_completions_ = completions;
    served_submissions_ = submissions;
  }
  if (is_served || requests != doubt_.requests) {  // it is us that it asks
    doubt_ = {requests, submissions, now_ns, 0};
    return is_served;
  }
  if (++doubt_.flushes >= kFlushesBeforeDoubt &&
      submissions - doubt_.submissions >= kSubmissionsBeforeDoubt &&
      now_ns - doubt_.begin_ns >= kNotServedNs) {
    runtime().level(trace::Level::kHost,
                    "CUPTI delivers nothing any more: another tool may have "
                    "taken its callbacks");
    Stop();
  }
  return false;
}

void KernelTracing::ReadDelivered() {
  BufferPool::Buffer buffers[32];
  for (int count; (count = buffers_.pool().Delivered(buffers, 32)) > 0;) {
    tables_->reader.Read({buffers, static_cast<size_t>(count)}, clock_);
    for (int i = 0; i < count; ++i) buffers_.pool().Give(buffers[i]);
  }
  subscription_.NoteCorrelation(tables_->reader.newest_correlation());
  if (clients_.has_callbacks()) {
    DoubtCallbacks();
  } else {
    DoubtApiRecords();
  }
}

// A library without them, whatever it said.
void KernelTracing::DoubtCallbacks() {
  if (tables_->reader.kernels() > kKernelsBeforeDoubt && !is_over_.load() &&
      !subscription_.has_launches()) {
    clients_.ChooseLaunches(/*callbacks_fail=*/true);
  }
}

// Some library may want the whole kinds on before it delivers launches, or
// external ids with them. If those do not help with the ids, they cost too much
// to stay, and the reader of the trace goes by time.
void KernelTracing::DoubtApiRecords() {
  const bool is_ours = clients_.owner() == Owner::kOurs;
  const bool no_calls = tables_->reader.api_calls() == 0 &&
                        tables_->reader.kernels() > kKernelsBeforeDoubt;
  if (no_calls && !switch_.uses_whole_api_kinds() && !is_over_.load()) {
    switch_.UseWholeApiKinds(/*now=*/is_ours);
  }
  if (tables_->reader.external_ids() != 0) ids_ = Ids::kCome;
  const uint64_t calls = tables_->reader.api_calls() - tried_at_calls_;
  if (pushes_.load(std::memory_order_relaxed) < kPushesBeforeDoubt ||
      calls < kCallsBeforeIdDoubt) {
    return;
  }
  const bool may_try = !switch_.uses_whole_api_kinds() && !is_over_.load();
  if (ids_ == Ids::kUnknown && may_try) {
    ids_ = Ids::kTryingWholeKinds;
    tried_at_calls_ = tables_->reader.api_calls();
    switch_.UseWholeApiKinds(/*now=*/is_ours);
  } else if (ids_ == Ids::kUnknown || ids_ == Ids::kTryingWholeKinds) {
    if (ids_ == Ids::kTryingWholeKinds && !is_over_.load()) {
      switch_.UseApiCalls(/*now=*/is_ours);
    }
    ids_ = Ids::kNone;
    runtime().level(trace::Level::kKernels,
                    "CUPTI tells no external correlation ids: launches are "
                    "joined to library calls by time");
  }
}

void KernelTracing::ReadNodes() {
  NodeOrigin origin;
  while (tables_->nodes.Pop(&origin)) {
    trace::GraphNodeRecord record{};
    record.node = origin.node;
    record.original_node = origin.original_node;
    record.call_begin_ticks = origin.call_begin_ticks;
    record.thread = origin.thread;
    record.graph = origin.graph;
    tables_->reader.Write(record);
  }
}

void KernelTracing::CountDropped() {
  size_t dropped = 0;
  if (switch_.api().activity_get_dropped(nullptr, 0, &dropped) !=
          CUPTI_SUCCESS ||
      dropped == 0) {
    return;
  }
  runtime().lost(trace::LossKind::kActivityDropped, dropped);
}

template <typename Record>
void KernelTracing::WriteSample(const Record& record) {
  uint8_t bytes[sizeof(Record) + 8];
  trace::RecordBuffer buffer(bytes, sizeof(bytes));
  buffer.Append(record);
  runtime().append(trace::BlockKind::kSamples, buffer.data(),
                   static_cast<uint32_t>(buffer.size()));
}

void KernelTracing::WriteWatermark(uint64_t complete_until_ns) {
  // The records it vouches for go first.
  tables_->reader.Flush();
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
  if (!session_.IsCurrent() || is_over_.load()) return false;
  *ns = clock_.Now();
  return *ns != 0;
}

bool KernelTracing::PushId(uint64_t id) {
  const uint32_t pushes = pushes_.load(std::memory_order_relaxed);
  if (pushes < kPushesBeforeDoubt) {
    pushes_.store(pushes + 1, std::memory_order_relaxed);
  }
  return clients_.owner() == Owner::kOurs &&
         switch_.api().push_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2,
                                        id) == CUPTI_SUCCESS;
}

void KernelTracing::PopId() {
  if (is_over_.load(std::memory_order_relaxed)) return;
  uint64_t id = 0;
  switch_.api().pop_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, &id);
}

void KernelTracing::CaptureBegins() {
  if (is_over_.load()) return;
  if (session_.IsCurrent()) subscription_.CaptureBegins();
}

}  // namespace dltap::shim::cupti
