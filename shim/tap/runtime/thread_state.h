// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_THREAD_STATE_H_
#define DLTAP_SHIM_TAP_RUNTIME_THREAD_STATE_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/runtime/process_page.h"
#include "shim/trace/layout.h"

namespace dltap::shim {

struct ThreadBuffer;

// Values of ThreadState::session that are no session. Neither equals any value
// of the switch word, so the hot path's one comparison fails.
inline constexpr uint32_t kNotAttached = 0xFFFFFFFF;
inline constexpr uint32_t kOwnThread = 0xFFFFFFFE;  // the collector

// What the call path knows of its thread. In the initial-exec TLS block, so it
// costs no call; trivially destructible, so wrappers may run after every
// destructor of the thread.
struct ThreadState {
  uint32_t session = kNotAttached;  // whose ring this is
  uint32_t depth = 0;               // wrapped calls in progress
  uint32_t nested = 0;              // calls inside the outermost of them
  uint32_t drops = 0;               // calls dropped inside the open append
  uintptr_t outermost_frame = 0;    // frame address of the outermost call
  const void* outermost_return = nullptr;  // where that frame returns to
  uint64_t outermost_ticks = 0;            // when it began
  trace::CallSlot* slots = nullptr;
  uint64_t head = 0;   // sequence number of the next slot
  uint64_t limit = 0;  // slots below this are free without looking
  uint64_t mask = 0;   // ring size in slots, less one
  trace::RingHeader* ring = nullptr;
  uint64_t* counters = nullptr;  // by counter index
  ThreadBuffer* buffer = nullptr;
  uintptr_t appending = 0;  // frame that is writing a record; 0: none
  bool is_pushed = false;   // the outermost call has pushed its id
  uint8_t captures = 0;     // begun here and not ended here
  // Nonzero: outermost calls look closer. The low byte is ORed into every
  // record: capturing.
  uint16_t record_flags = 0;
  uint32_t ends_elsewhere = 0;  // of captures, when the first of them began
  // The part of the thread's own stack that launch sites may read: found
  // readable once. No end: none yet, and `stack_begin` counts the attempts.
  uintptr_t stack_begin = 0;
  uintptr_t stack_end = 0;
};
static_assert(sizeof(ThreadState) <= 128, "initial-exec TLS is scarce");

// Of ThreadState::record_flags, beside the flags of a record.
inline constexpr uint16_t kTakesSites = 0x100;

extern constinit thread_local ThreadState t_thread
    [[gnu::tls_model("initial-exec")]];

// Reservation of slots in the calling thread's ring. A record is built in place
// and becomes part of the trace by Commit().
//
// Hot path.
[[gnu::noinline]] bool MakeRoom(ThreadState& thread, int slots);
[[gnu::noinline]] bool WasAbandoned(ThreadState& thread, uintptr_t frame);
[[gnu::noinline]] void CopyWrapped(ThreadState& thread, int slots);

// Place for `slots` slots in a row, nullptr when the record must be dropped
// (ring full, or a signal handler interrupted an append); the drop is counted.
[[gnu::always_inline]] inline trace::CallSlot* Reserve(ThreadState& thread,
                                                       int slots) {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (thread.appending != 0 && !WasAbandoned(thread, frame)) [[unlikely]]
    return nullptr;
  thread.appending = frame;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (thread.head + static_cast<uint64_t>(slots) > thread.limit) [[unlikely]] {
    if (!MakeRoom(thread, slots)) return nullptr;
  }
  return thread.slots + (thread.head & thread.mask);
}

// The outermost call was left by a longjmp or an exception, although the call
// that begins now is made from a deeper frame: its frame has been written over.
[[gnu::noinline]] bool OutermostIsGone(const ThreadState& thread);

// Publishes what was written to the reserved slots.
inline void Commit(ThreadState& thread, int slots) {
  const uint64_t at = thread.head & thread.mask;
  if (at + static_cast<uint64_t>(slots) > thread.mask + 1) [[unlikely]] {
    CopyWrapped(thread, slots);
  }
  thread.head += static_cast<uint64_t>(slots);
  std::atomic_ref(thread.ring->head)
      .store(thread.head, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.appending = 0;
}

// The process was forked inside the call that returns now: this is the child,
// and the thread's ring is its parent's. (The word is zero, or that of a
// session of its own.) Its state is new then.
[[gnu::noinline]] bool LeaveParentsRing(ThreadState& thread);
inline bool IsInForkedChild(ThreadState& thread) {
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  return thread.session != word && LeaveParentsRing(thread);
}

// Slow path.

// Gives the thread a ring of the running session. False: none to be had now.
[[gnu::noinline]] bool AttachThread(ThreadState& thread);

// A call of that function was not recorded one by one: before the session,
// dropped, or in a thread without a ring.
[[gnu::noinline]] void CountCall(int counter_index);

// The same for functions that are only counted; gives the thread its ring once
// a session runs.
[[gnu::noinline]] void CountUnattached(int counter_index);

// Appends one special slot to the calling thread's ring. False when nothing is
// recorded now or there is no room.
bool AppendSpecial(trace::SpecialSlot kind, const void* payload,
                   uint32_t payload_bytes);

// The same, but the slot is held: it becomes part of the trace with the
// thread's next record, unless DropHeld() comes first. It is lost with the
// thread.
bool HoldSpecial(trace::SpecialSlot kind, const void* payload,
                 uint32_t payload_bytes);
// Takes back the last slot that the calling thread holds, also while recording
// is paused. False: it holds none.
bool DropHeld();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_THREAD_STATE_H_
