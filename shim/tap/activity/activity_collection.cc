// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/activity_collection.h"

#include <array>
#include <cstring>

#include "shim/tap/runtime/activity_hooks.h"
#include "shim/tap/runtime/call_delay.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/injection.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/own_cost.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

[[gnu::section("dltap_at_load")]] constinit const ActivitySource* g_source =
    nullptr;
[[gnu::section("dltap_at_load")]] constinit RealFinder g_find_real = nullptr;

// Threads of the API records of one pass, by tid. Collector only.
struct KnownThread {
  uint32_t tid;
  uint32_t index;
};
constinit std::array<KnownThread, 256> g_known_threads{};

// By counter index: launches, copies and memsets.
constinit std::array<bool, specs::kCounterCount> g_submits{};
constinit uint64_t g_submissions = 0;  // collector

bool Submits(specs::EntryPoint entry) {
  const specs::ArgLayout& layout = specs::LayoutOf(entry);
  const specs::ArgField* fields = specs::FieldsOf(layout);
  for (int i = 0; i < layout.field_count; ++i) {
    if (fields[i].meaning == specs::Meaning::kKernel) return true;
  }
  const char* symbol = specs::SymbolOf(entry);
  static constexpr const char* kStems[] = {"cudaMemcpy", "cudaMemset",
                                           "cuMemcpy", "cuMemset"};
  for (const char* stem : kStems) {
    if (strncmp(symbol, stem, strlen(stem)) == 0) return true;
  }
  return false;
}

void CountSubmissions(std::span<const trace::CallSlot> slots, uint32_t) {
  for (size_t i = 0; i < slots.size();) {
    const trace::CallSlot& slot = slots[i];
    i += slot.slots > 0 ? slot.slots : 1;
    if (slot.entry_point < trace::kFirstEntryPointId) continue;
    const auto entry = static_cast<specs::EntryPoint>(
        slot.entry_point - trace::kFirstEntryPointId);
    if (g_submits[specs::CounterOf(entry)]) ++g_submissions;
  }
}

uint32_t ThreadIndex(uint32_t tid) {
  KnownThread& known = g_known_threads[tid % g_known_threads.size()];
  if (known.tid != tid) known = {tid, g_buffers.IndexOf(tid)};
  return known.index;
}

bool CurrentCall(uint32_t* thread_index, uint64_t* begin_ticks) {
  const ThreadState& thread = t_thread;
  if (thread.depth == 0 || thread.buffer == nullptr) return false;
  *thread_index = thread.buffer->thread_index;
  *begin_ticks = thread.outermost_ticks;
  return true;
}

// The runtime's launch is told of first, then the driver's inside it: the last
// slot of this thread then says the same.
bool IsNoted(const ThreadState& thread, const trace::LaunchPayload& launch) {
  if (thread.head == 0) return false;
  const trace::CallSlot& last = thread.slots[(thread.head - 1) & thread.mask];
  return last.entry_point ==
             static_cast<uint16_t>(trace::SpecialSlot::kLaunch) &&
         memcmp(last.payload, &launch, sizeof(launch)) == 0;
}

// What no wrapper has seen is not told of either: its kernel has no launch.
void NoteLaunch(uint64_t correlation) {
  const ThreadState& thread = t_thread;
  if (thread.depth == 0 || thread.session != g_process.word.load()) return;
  const trace::LaunchPayload launch = {correlation, thread.outermost_ticks};
  if (IsNoted(thread, launch)) return;
  AppendSpecial(trace::SpecialSlot::kLaunch, &launch, sizeof(launch));
}

constexpr char kNoCalls[] =
    "calls are not seen: the driver loaded the tap, too late to stand before "
    "them; name it in LD_PRELOAD instead of CUDA_INJECTION64_PATH";

void WriteLevel(trace::Level level, const char* why) {
  if (*why == '\0' && InjectionKind() == Injection::kAlone) why = kNoCalls;
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

SourceRuntime MakeRuntime() {
  return {
      .session =
          [] {
            return g_process.activity_session.load(std::memory_order_acquire);
          },
      .recording =
          [] {
            return !IsOff(g_process.word.load()) && WantsActivities() &&
                   !HasSteppedDown();
          },
      .is_injected = [] { return InjectionKind() != Injection::kNone; },
      .real = g_find_real,
      .current_call = CurrentCall,
      .launched = NoteLaunch,
      .set_pushing = SetPushing,
      .lost = [](trace::LossKind loss,
                 uint64_t count) { CountLoss(loss, count); },
      .monotonic_ns = MonotonicNs,
      .wake = WakeCollector,
      .append =
          [](trace::BlockKind kind, const uint8_t* records, uint32_t bytes) {
            g_output.BuilderFor(kind, bytes).AppendRaw(records, bytes);
          },
      .define =
          [](const uint8_t* record, uint32_t bytes) {
            MakeDefinitionRoom();
            return g_output.ring_file().definitions().AppendAll(
                {record, bytes});
          },
      .text = DefineText,
      .submissions = [] { return g_submissions; },
      .thread_index = ThreadIndex,
      .level = WriteLevel,
  };
}

// The collector begins before the session has its number.
constinit bool g_is_pending = false;

void Begin() {
  g_is_pending = SessionConfig().level == Level::kKernels;
  g_submissions = 0;
  for (int i = 0; i < specs::kCounterCount; ++i) {
    g_submits[i] = Submits(specs::OfCounter(i));
  }
}

void Start() {
  g_process.activity_session.store(SessionNumber(), std::memory_order_release);
  g_source->start(MakeRuntime());
  // Where Ticks() reads that clock, the vendor's function is in use already.
  const auto clock = static_cast<ClockKind>(g_process.clock.load());
  if (clock != ClockKind::kActivity) UseActivityTimestamp(g_source->timestamp);
}

void Pass() {
  if (g_is_pending && SessionNumber() != 0) {
    g_is_pending = false;
    Start();
  }
  if (g_process.activity_session.load(std::memory_order_relaxed) == 0) return;
  g_known_threads.fill({});
  g_source->pass();
}

void Stop() {
  if (g_process.activity_session.load(std::memory_order_relaxed) != 0) {
    g_source->stop();
  }
}

}  // namespace

void CollectActivities(const ActivitySource& source, RealFinder real) {
  g_source = &source;
  g_find_real = real;
  SetActivityHooks({
      .push = source.push,
      .pop = source.pop,
      .capture_begins = source.capture_begins,
      .find_timestamp = [] { return g_source->find_timestamp(g_find_real); },
  });
  AddParticipant({Begin, Pass, CountSubmissions, g_source->finish, Stop,
                  g_source->forget});
}

}  // namespace dltap::shim
