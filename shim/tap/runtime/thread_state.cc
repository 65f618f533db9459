// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_state.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_buffers.h"

namespace dltap::shim {

constinit thread_local ThreadState t_thread;

namespace {

using trace::LossKind;

void UseRing(ThreadState& thread, const Ring& ring) {
  thread.ring = ring.header;
  thread.slots = ring.slots;
  thread.mask = ring.capacity_slots - 1;
}

// The ring is filling up faster than it is drained: move on to a larger one,
// if the collector has one ready.
bool SwitchToLargeRing(ThreadState& thread) {
  if (thread.mask + 1 >= kLargeRingSlots) return false;
  if (thread.buffer->second.load(std::memory_order_relaxed) != nullptr) {
    return false;
  }
  Ring* large = g_buffers.TakeLargeRing();
  if (large == nullptr) return false;
  RingFile::Assign(*large, thread.buffer->thread_index, thread.head);
  std::atomic_ref open_call(thread.ring->open_call);
  large->header->tid = thread.ring->tid;
  large->header->open_call = open_call.load(std::memory_order_relaxed);
  open_call.store(0, std::memory_order_relaxed);
  UseRing(thread, *large);
  thread.buffer->second.store(large, std::memory_order_release);
  return true;
}

bool MayAttach(const ThreadState& thread) {
  return g_process.word.load(std::memory_order_acquire) >= kFirstSession &&
         thread.session != kOwnThread;
}

bool HasRing(const ThreadState& thread) {
  return thread.session == g_process.word.load(std::memory_order_acquire);
}

// Many threads may begin at once: the pool is refilled at its first shortage.
// nullptr: as many are recorded as can be, or the collector is stuck.
ThreadBuffer* WaitForBuffer() {
  constexpr int kMaxWaits = 100;
  ThreadBuffer* buffer = g_buffers.TakeReady();
  for (int i = 0; buffer == nullptr && i < kMaxWaits; ++i) {
    if (g_buffers.is_full() || !WaitForRings()) break;
    buffer = g_buffers.TakeReady();
  }
  return buffer;
}

// The collector can make none where all are in use.
void AskForBuffers() {
  if (!g_buffers.is_full()) WakeCollector();
}

void UseBuffer(ThreadState& thread, ThreadBuffer* buffer) {
  const int saved_errno = errno;
  const auto tid = static_cast<uint32_t>(gettid());
  buffer->first->header->tid = tid;
  buffer->tid.store(tid, std::memory_order_relaxed);
  buffer->attached_ns = BootNs();
  buffer->pthread = pthread_self();
  UseRing(thread, *buffer->first);
  thread.head = 0;
  thread.limit = buffer->first->capacity_slots / 2;
  thread.counters = buffer->counters;
  thread.buffer = buffer;
  thread.appending = 0;
  if (SessionConfig().sites != Sites::kOff) thread.record_flags |= kTakesSites;
  thread.session = g_process.word.load(std::memory_order_acquire);
  buffer->state.store(static_cast<uint32_t>(BufferState::kOwned),
                      std::memory_order_release);
  errno = saved_errno;
}

// The number of the first slot that is not free.
uint64_t RingEnd(const ThreadState& thread) {
  std::atomic_ref tail(thread.ring->tail);
  return tail.load(std::memory_order_acquire) + thread.mask + 1;
}

// By the simulation's clock no time passes meanwhile, and two runs give the
// same trace only if none loses records.
bool WaitForDrain() {
  const uint32_t clock = g_process.clock.load(std::memory_order_relaxed);
  if (clock != static_cast<uint32_t>(ClockKind::kActivity)) return false;
  const int saved_errno = errno;
  const bool drained = FinishPass(Finish::kDrain);
  errno = saved_errno;
  return drained;
}

}  // namespace

// Reached every quarter of the ring. Half full wakes the collector. What is
// held becomes part of the trace: it cannot be taken to another ring.
[[gnu::cold]] bool MakeRoom(ThreadState& thread, int slots) {
  std::atomic_ref(thread.ring->head)
      .store(thread.head, std::memory_order_release);
  uint64_t end = RingEnd(thread);
  if (end - thread.head <= (thread.mask + 1) / 2) {
    WakeCollector();
    if (SwitchToLargeRing(thread)) end = thread.head + kLargeRingSlots;
  }
  const uint64_t needed = thread.head + static_cast<uint64_t>(slots);
  if (needed > end && WaitForDrain()) end = RingEnd(thread);
  if (needed > end) {
    thread.appending = 0;
    CountLoss(LossKind::kRingFull);
    std::atomic_ref dropped(thread.ring->dropped);
    dropped.store(dropped.load(std::memory_order_relaxed) + 1,
                  std::memory_order_relaxed);
    return false;
  }
  const uint64_t quarter = thread.head + (thread.mask + 1) / 4;
  const uint64_t limit = quarter > needed ? quarter : needed;
  thread.limit = limit < end ? limit : end;
  return true;
}

// An append is open: this is a signal handler that interrupted it, and its call
// is dropped, or the append was left by siglongjmp and never goes on. That is
// certain when the frame that made it has been left; a handler may have a stack
// of its own, though. No handler makes hundreds of calls.
[[gnu::cold]] bool WasAbandoned(ThreadState& thread, uintptr_t frame) {
  constexpr uint32_t kMaxDrops = 256;
  const int saved_errno = errno;
  stack_t stack = {};
  const bool in_handler =
      sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
  errno = saved_errno;
  const bool is_left = frame >= thread.appending && !in_handler;
  if (is_left || thread.drops >= kMaxDrops) {
    thread.drops = 0;
    return true;
  }
  ++thread.drops;
  CountLoss(LossKind::kSignalHandler);
  return false;
}

// The return address lies above the frame's own address. The memory may be gone
// (the stack of a coroutine), so the kernel is asked whether it can be read: it
// copies the set before it finds that the first argument makes no sense.
[[gnu::cold]] bool OutermostIsGone(const ThreadState& thread) {
  const auto* at = reinterpret_cast<void* const*>(thread.outermost_frame) + 1;
  constexpr int kNoOperation = -1;
  const int saved_errno = errno;
  const bool is_mapped = syscall(SYS_rt_sigprocmask, kNoOperation, at, nullptr,
                                 sizeof(*at)) == 0 ||
                         errno != EFAULT;
  errno = saved_errno;
  return !is_mapped || *at != thread.outermost_return;
}

// The record ran over the ring's end: its rest belongs to the front.
[[gnu::cold]] void CopyWrapped(ThreadState& thread, int slots) {
  const uint64_t at = thread.head & thread.mask;
  const uint64_t over = at + static_cast<uint64_t>(slots) - (thread.mask + 1);
  memcpy(static_cast<void*>(thread.slots),
         static_cast<const void*>(thread.slots + thread.mask + 1),
         over * sizeof(trace::CallSlot));
}

// Else the window was closed, or recording stopped, during the call.
[[gnu::cold]] bool LeaveParentsRing(ThreadState& thread) {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word != kIdle && thread.session == LastSession()) return false;
  thread = ThreadState{};
  return true;
}

[[gnu::cold]] bool AttachThread(ThreadState& thread) {
  if (!MayAttach(thread)) return false;
  if (HasRing(thread)) return true;
  ThreadBuffer* buffer = WaitForBuffer();
  if (buffer == nullptr) {
    const bool too_many = g_buffers.is_full() && !g_buffers.lacks_memory();
    CountLoss(too_many ? LossKind::kThreadCap : LossKind::kRingUnavailable);
    AskForBuffers();
    return false;
  }
  UseBuffer(thread, buffer);
  return true;
}

[[gnu::cold]] void CountCall(int counter_index) {
  const ThreadState& thread = t_thread;
  if (thread.session == kOwnThread) return;
  g_process.unattached[counter_index].fetch_add(1, std::memory_order_relaxed);
}

[[gnu::cold]] void CountUnattached(int counter_index) {
  ThreadState& thread = t_thread;
  if (!MayAttach(thread)) return CountCall(counter_index);
  if (!HasRing(thread)) {
    ThreadBuffer* buffer = g_buffers.TakeReady();
    if (buffer == nullptr) {
      AskForBuffers();
      return CountCall(counter_index);
    }
    UseBuffer(thread, buffer);
  }
  ++thread.counters[counter_index];
}

namespace {

// In its place in the ring, not committed. nullptr: not now, or no room.
trace::CallSlot* WriteSpecial(trace::SpecialSlot kind, const void* payload,
                              uint32_t payload_bytes) {
  ThreadState& thread = t_thread;
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  if (word < kFirstSession) return nullptr;
  if (thread.session != word && !AttachThread(thread)) return nullptr;
  trace::CallSlot* slot = Reserve(thread, 1);
  if (slot == nullptr) return nullptr;
  slot->begin_ticks = Ticks();
  slot->duration_ticks = 0;
  slot->entry_point = static_cast<uint16_t>(kind);
  slot->slots = 1;
  slot->flags = 0;
  memset(slot->payload, 0, sizeof(slot->payload));
  memcpy(slot->payload, payload, payload_bytes);
  return slot;
}

}  // namespace

bool AppendSpecial(trace::SpecialSlot kind, const void* payload,
                   uint32_t payload_bytes) {
  if (WriteSpecial(kind, payload, payload_bytes) == nullptr) return false;
  Commit(t_thread, 1);
  return true;
}

bool HoldSpecial(trace::SpecialSlot kind, const void* payload,
                 uint32_t payload_bytes) {
  if (WriteSpecial(kind, payload, payload_bytes) == nullptr) return false;
  ++t_thread.head;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t_thread.appending = 0;
  return true;
}

// A signal handler that comes between must not append: what it wrote would be
// taken back.
bool DropHeld() {
  ThreadState& thread = t_thread;
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  if (word != kPaused && word < kFirstSession) return false;
  if (thread.session != LastSession() || thread.appending != 0) return false;
  thread.appending = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool holds =
      thread.head !=
      std::atomic_ref(thread.ring->head).load(std::memory_order_relaxed);
  if (holds) --thread.head;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.appending = 0;
  return holds;
}

}  // namespace dltap::shim
