// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "shim/tap/cupti/host.h"
#include "shim/tap/cupti/kernel_tracing.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/real_symbol.h"
#include "shim/tap/runtime/session.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/trace_output.h"
#include "shim/tap/tagging/host.h"

// Gives the CUPTI part what it needs of the runtime, and makes it part of the
// collector's work.
namespace dltap::shim {
namespace {

using cupti::g_kernel_tracing;

// Threads of the API records of one pass, by tid. Collector only.
struct KnownThread {
  uint32_t tid;
  uint32_t index;
};
constinit std::array<KnownThread, 256> g_known_threads{};

uint32_t ThreadIndex(uint32_t tid) {
  KnownThread& known = g_known_threads[tid % g_known_threads.size()];
  if (known.tid != tid) known = {tid, ThreadIndexOf(tid)};
  return known.index;
}

bool CurrentCall(uint32_t* thread_index, uint64_t* begin_ticks) {
  const ThreadState& thread = t_thread;
  if (thread.depth == 0 || thread.buffer == nullptr) return false;
  *thread_index = thread.buffer->thread_index;
  *begin_ticks = thread.outermost_ticks;
  return true;
}

void WriteLevel(trace::Level level, const char* why) {
  trace::LevelRecord record = {};
  record.ticks = Ticks();
  record.level = static_cast<uint8_t>(level);
  record.wanted = static_cast<uint8_t>(trace::Level::kKernels);
  WriteRecord(trace::BlockKind::kSamples, record,
              trace::Piece::String(why, strlen(why)));
  if (level != trace::Level::kKernels) {
    Log(LogLevel::kWarning, "no kernel records: %s", why);
  }
}

cupti::Host MakeHost() {
  return {
      .session = SessionNumber,
      .recording = [] { return !IsOff(g_process.word.load()); },
      .real = FindReal,
      .current_call = CurrentCall,
      .set_pushing = SetPushing,
      .lost = [](trace::LossKind loss,
                 uint64_t count) { CountLoss(loss, count); },
      .monotonic_ns = MonotonicNs,
      .wake = WakeCollector,
      .append =
          [](trace::BlockKind kind, const uint8_t* records, uint32_t bytes) {
            BuilderFor(kind, bytes).AppendRaw(records, bytes);
          },
      .define =
          [](const uint8_t* record, uint32_t bytes) {
            return g_output.ring_file().AppendDefinition({record, bytes});
          },
      .text = DefineText,
      .thread_index = ThreadIndex,
      .level = WriteLevel,
  };
}

int32_t ReadTimestamp(uint64_t* now) {
  return g_kernel_tracing.Timestamp(now) ? 0 : -1;
}

// The collector begins before the session has its number.
constinit bool g_is_pending = false;

void Begin() { g_is_pending = SessionConfig().level == Level::kKernels; }

void Start() {
  SetCorrelationHooks({[](uint64_t id) { return g_kernel_tracing.PushId(id); },
                       [] { g_kernel_tracing.PopId(); }});
  g_kernel_tracing.Start(MakeHost());
  // Where Ticks() reads CUPTI's clock, the vendor's function is in use already.
  const auto clock = static_cast<ClockKind>(g_process.clock.load());
  if (clock != ClockKind::kCupti) UseCuptiTimestamp(ReadTimestamp);
}

void Pass() {
  if (g_is_pending && SessionNumber() != 0) {
    g_is_pending = false;
    Start();
  }
  g_known_threads.fill({});
  g_kernel_tracing.Pass();
}

[[gnu::constructor]] void ConnectCupti() {
  tagging::g_host.capture_begins = [] { g_kernel_tracing.CaptureBegins(); };
  tagging::g_host.capturing = [](bool now) {
    t_thread.record_flags = now ? trace::kCallCapturing : 0;
  };
  AddParticipant(
      {Begin, Pass, nullptr, [](uint64_t) { g_kernel_tracing.Finish(); }});
}

}  // namespace
}  // namespace dltap::shim
