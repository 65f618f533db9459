// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_THREAD_BUFFERS_H_
#define DLTAP_SHIM_TAP_RUNTIME_THREAD_BUFFERS_H_

#include <atomic>
#include <cstdint>

#include "entry_points.h"
#include "shim/tap/runtime/ring_file.h"

namespace dltap::shim {

enum class BufferState : uint32_t {
  kUnused = 0,
  kReady = 1,  // has a ring, waits in the pool
  kOwned = 2,  // a thread writes into it
};

// How far the context switches of a thread are written; see switch_watch.h.
struct SwitchWatch {
  const void* ring;   // the kernel writes it; nullptr: not watched
  uint64_t since_ns;  // monotonic; all before is written, or not wanted
  uint64_t read_bytes;
  uint8_t state;  // trace::ThreadSwitch, then
  uint8_t looks;  // at the thread, before it is watched
};

// What wrappers cost in the calls that were timed; one writer.
struct TimedCalls {
  // Longer ones, of some 50 us, were interrupted: not counted.
  static constexpr uint64_t kMostTicks = uint64_t{1} << 17;

  uint64_t ticks;
  uint64_t calls;

  void Add(uint64_t cost_ticks) {
    if (cost_ticks > kMostTicks) return;
    std::atomic_ref(ticks).store(ticks + cost_ticks, std::memory_order_relaxed);
    std::atomic_ref(calls).store(calls + 1, std::memory_order_relaxed);
  }
};

// What one recorded thread shares with the collector. It outlives the thread:
// the collector empties it, then gives it to another one.
struct alignas(64) ThreadBuffer {
  // Set by the owner.
  std::atomic<uint32_t> state;  // BufferState
  std::atomic<uint32_t> tid;
  // Before kOwned: CLOCK_BOOTTIME, pthread_self().
  uint64_t attached_ns;
  uint64_t pthread;
  std::atomic<Ring*> second;  // a larger ring that replaced the first
  // Set by the collector.
  uint32_t thread_index;
  Ring* first;
  uint64_t drain_to[2];  // heads seen at the begin of a pass: first, second
  uint64_t
      unwritten_end;  // slots below it were counted as lost, if not drained
  uint64_t cpu_time_ns;
  uint64_t run_delay_ns;
  uint64_t sampled_head;  // of the ring in use at the last sample
  uint64_t sampled_ns;    // of the last sample, in monotonic time
  uint64_t idle_look_ns;  // how long after it the next one, without calls
  uint32_t looks;         // passes that have drained it
  bool is_replaced;       // the tid is a newer thread's
  bool is_named;
  bool has_run_delay;
  bool wants_look;  // LookFurther() has it before it
  SwitchWatch switches;
  char name[16];
  // Written by the owner without synchronization, read by the collector:
  // aligned 64-bit stores do not tear.
  uint64_t counters[specs::kCounterCount];
  TimedCalls cost;

  bool is_owned() const {
    return state.load(std::memory_order_acquire) ==
           static_cast<uint32_t>(BufferState::kOwned);
  }
};

// The buffers of a session: a table, and small pools that are ready to be taken
// without a lock or a system call. Reset, Refill, Recycle: one thread at a time
// (the session's start, then the collector). Take...: any thread.
class ThreadBuffers {
 public:
  static constexpr uint32_t kMaxBuffers = 2048;
  static constexpr int kMaxReadyBuffers = 32;
  static constexpr int kMaxReadyLargeRings = 4;

  // Maps the table. False: no memory.
  bool Reset(RingFile* file);

  // A buffer for the thread that starts the session, with a large ring: the
  // collector may take a while to come to its first pass.
  bool PrepareFirst();

  // Fills the pools. They grow when more than half was taken since the last
  // time, since touching memory that is never used costs time and space.
  // Returns how many buffers are ready.
  int Refill();

  // nullptr: none is ready.
  ThreadBuffer* TakeReady();
  Ring* TakeLargeRing();

  // No further one can be made until a thread ends; some may be ready.
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  // The reason is not the number of threads, but that there is no memory for
  // their rings.
  bool lacks_memory() const {
    return lacks_memory_.load(std::memory_order_relaxed);
  }
  // Buffers [0, count()) have been used; look at their state.
  uint32_t count() const { return count_; }
  ThreadBuffer& at(uint32_t i) { return buffers_[i]; }

  // The recorded thread of that tid, as blocks and records name it, also one
  // that ended lately: the activity source delivers its records afterwards.
  // trace::kNoIndex when there is none.
  uint32_t IndexOf(uint32_t tid) const;

  // The collector has drained the first ring, and the second one replaces it.
  void DropFirstRing(ThreadBuffer& buffer);
  // The thread has ended and all is drained.
  void Recycle(ThreadBuffer& buffer);

 private:
  struct EndedThread {
    uint32_t tid;
    uint32_t thread_index;
  };
  // As many are remembered, of a program that starts threads all the time.
  static constexpr uint32_t kMaxEnded = 4096;

  Ring* NewRing(uint32_t slots);
  bool PrepareReady(int i, Ring* ring);
  int RefillBuffers();
  void RefillLargeRings();

  RingFile* file_ = nullptr;
  ThreadBuffer* buffers_ = nullptr;
  Ring* rings_ = nullptr;  // table of all rings
  Ring** free_small_ = nullptr;
  Ring** free_large_ = nullptr;
  uint32_t* free_buffers_ = nullptr;
  EndedThread* ended_ = nullptr;  // the newest at ended_count_ - 1, in a circle
  uint32_t count_ = 0;
  uint32_t ring_count_ = 0;
  uint32_t free_small_count_ = 0;
  uint32_t free_large_count_ = 0;
  uint32_t free_buffer_count_ = 0;
  uint32_t next_thread_index_ = 0;
  uint32_t ended_count_ = 0;
  int wanted_buffers_ = 4;
  int wanted_large_rings_ = 1;
  std::atomic<bool> is_full_{false};
  std::atomic<bool> lacks_memory_{false};
  std::atomic<ThreadBuffer*> ready_[kMaxReadyBuffers] = {};
  std::atomic<Ring*> ready_large_[kMaxReadyLargeRings] = {};
};

extern constinit ThreadBuffers g_buffers;

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_THREAD_BUFFERS_H_
