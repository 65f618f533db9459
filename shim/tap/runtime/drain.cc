// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/drain.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shim/specs/arg_layout.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

uint64_t HeadOf(const Ring& ring) {
  return std::atomic_ref(ring.header->head).load(std::memory_order_acquire);
}

// Copies slots [begin, end) of the ring into the output's buffer.
void CopySlots(const Ring& ring, uint64_t begin, uint64_t end) {
  const uint64_t mask = ring.capacity_slots - 1;
  const uint64_t at = begin & mask;
  uint64_t until_end = ring.capacity_slots - at;
  if (until_end > end - begin) until_end = end - begin;
  auto* out = g_output.slot_buffer();
  memcpy(static_cast<void*>(out), ring.slots + at,
         until_end * sizeof(trace::CallSlot));
  memcpy(static_cast<void*>(out + until_end), ring.slots,
         (end - begin - until_end) * sizeof(trace::CallSlot));
}

uint64_t CountRecords(const trace::CallSlot* slots, uint64_t count) {
  uint64_t records = 0;
  for (uint64_t i = 0; i < count; ++records) {
    i += slots[i].slots > 0 ? slots[i].slots : 1;
  }
  return records;
}

// Slots that were gathered; their places are free once they are written.
struct Gathered {
  const Ring* ring;
  ThreadBuffer* buffer;
  uint64_t end;
  uint64_t records;
};
constexpr uint32_t kMaxGathered = 256;
constinit Gathered g_gathered[kMaxGathered] = {};
constinit uint32_t g_gathered_count = 0;

// What is not drained stays: a trace that gets no end block keeps its ring
// file.
void SettleRings() {
  const bool written = g_output.Settle();
  for (uint32_t i = 0; i < g_gathered_count; ++i) {
    const Gathered& gathered = g_gathered[i];
    if (written) {
      CountWritten(gathered.records);
      std::atomic_ref(gathered.ring->header->tail)
          .store(gathered.end, std::memory_order_release);
    } else {
      g_output.CountUnwritten(gathered.records);
      gathered.buffer->unwritten_end = gathered.end;
    }
  }
  g_gathered_count = 0;
  g_output.Gather();
}

void DrainRing(const Ring& ring, ThreadBuffer& buffer, uint64_t end) {
  const uint32_t thread_index = buffer.thread_index;
  const uint64_t tail = ring.header->tail > buffer.unwritten_end
                            ? ring.header->tail
                            : buffer.unwritten_end;
  if (end <= tail) return;
  const uint64_t count = end - tail;
  CopySlots(ring, tail, end);
  trace::CallSlot* slots = g_output.slot_buffer();
  if (!SessionConfig().pointers) ClearPointers(slots, count);
  ObserveSlots({slots, count}, thread_index);
  const uint64_t records = CountRecords(slots, count);
  if (!g_output.WriteSlots(thread_index, tail, count)) {
    g_output.CountUnwritten(records);
    buffer.unwritten_end = end;
    return;
  }
  g_gathered[g_gathered_count++] = {&ring, &buffer, end, records};
  if (g_gathered_count == kMaxGathered ||
      g_output.gathered_bytes() > TraceOutput::kGatherBytes / 4) {
    SettleRings();
  }
}

// Both kinds of end are seen: the thread is gone, or its id was given to a
// new thread. One that has lived for a while is asked less often: most threads
// end soon, or live on. So is one of many, unless others wait for its buffer.
bool HasEnded(ThreadBuffer& buffer) {
  constexpr uint32_t kYoungLooks = 20;
  constexpr uint32_t kLooksBetweenQuestions = 10;
  constexpr uint32_t kBuffersALook = 100;
  if (buffer.is_replaced) return true;
  ++buffer.looks;
  const uint32_t many =
      g_buffers.is_full() ? 0 : g_buffers.count() / kBuffersALook;
  if (buffer.looks > kYoungLooks &&
      (buffer.looks + buffer.thread_index) % (kLooksBetweenQuestions + many) !=
          0) {
    return false;
  }
  const auto tid =
      static_cast<pid_t>(buffer.tid.load(std::memory_order_relaxed));
  return tgkill(getpid(), tid, 0) != 0 && errno == ESRCH;
}

void DrainBuffer(ThreadBuffer& buffer) {
  // Asked before the last look at the ring: what a thread that has ended wrote
  // is all there.
  const bool has_ended = HasEnded(buffer);
  Ring* second = buffer.second.load(std::memory_order_acquire);
  if (has_ended) {
    buffer.drain_to[0] = HeadOf(*buffer.first);
    buffer.drain_to[1] = second != nullptr ? HeadOf(*second) : 0;
  }
  DrainRing(*buffer.first, buffer, buffer.drain_to[0]);
  if (second != nullptr && buffer.drain_to[1] != 0) {
    DrainRing(*second, buffer, buffer.drain_to[1]);
    SettleRings();
    if (buffer.unwritten_end == 0) g_buffers.DropFirstRing(buffer);
  }
  if (has_ended) SettleRings();
  if (buffer.unwritten_end != 0) return;
  if (has_ended && buffer.second.load(std::memory_order_relaxed) == nullptr) {
    NoteThreadEnd(buffer);
    AddEndedThread(buffer);
    g_buffers.Recycle(buffer);
  }
}

template <typename Function>
void ForEachOwned(Function function) {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (buffer.is_owned()) function(buffer);
  }
}

}  // namespace

// The second ring's head is read first: if it is there, the first one has got
// its last record.
void SnapshotRings() {
  ForEachOwned([](ThreadBuffer& buffer) {
    Ring* second = buffer.second.load(std::memory_order_acquire);
    buffer.drain_to[1] = second != nullptr ? HeadOf(*second) : 0;
    buffer.drain_to[0] = HeadOf(*buffer.first);
  });
}

void DrainRings() {
  g_gathered_count = 0;  // a parent process's
  g_output.Gather();
  ForEachOwned(DrainBuffer);
  SettleRings();
  g_output.Settle();
}

void ClearPointers(trace::CallSlot* slots, uint64_t count) {
  for (uint64_t i = 0; i < count;) {
    trace::CallSlot& slot = slots[i];
    if (slot.entry_point >= trace::kFirstEntryPointId) {
      const auto entry = static_cast<specs::EntryPoint>(
          slot.entry_point - trace::kFirstEntryPointId);
      const specs::ArgLayout& layout = specs::LayoutOf(entry);
      const specs::ArgField* fields = specs::FieldsOf(layout);
      for (int f = 0; f < layout.field_count; ++f) {
        if (fields[f].kind != specs::ArgKind::kPointer) continue;
        memset(slot.payload + fields[f].offset, 0, fields[f].width);
      }
    }
    i += slot.slots > 0 ? slot.slots : 1;
  }
}

}  // namespace dltap::shim
