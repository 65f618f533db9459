// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SWITCH_RING_H_
#define DLTAP_SHIM_TAP_RUNTIME_SWITCH_RING_H_

#include <atomic>
#include <cstdint>

#include "shim/trace/records.h"

// The ring in which the kernel notes a thread's context switches, by
// perf_event_open(2): PERF_RECORD_SWITCH, in CLOCK_MONOTONIC. Some 2,000 of
// them. The mapping can't be written to: a program that protects the pages of
// all its writable mappings could not give one page of this one back. So the
// kernel overwrites what is not read in time. Children don't inherit it.
namespace dltap::shim {

// Whether the kernel may be asked now. Not under a seccomp filter, which may
// end a process for a call that it does not know; not where `rings` of them are
// more than an eighth of the memory that the user may lock, of which programs
// need some themselves (io_uring, RDMA); not in a time namespace, whose clock
// is not the kernel's; and not before Linux 4.17, where a thread that is
// preempted looks as one that sleeps. Reads files of /proc.
bool MayAskForSwitches(uint32_t rings);

// Begins to note those of a thread of this process. nullptr and errno: the
// kernel does not let us, has no room, or what MapSwitchEvent() says.
const void* MapSwitches(uint32_t tid);
void UnmapSwitches(const void* ring);

// Takes the descriptor of an event. nullptr and EBADF: it is another file's,
// for the program has closed the number meanwhile and given it away. It is left
// alone then.
const void* MapSwitchEvent(int event);

// Reads on from a place, 0 at first, up to what is there when it is made.
class SwitchReader {
 public:
  SwitchReader(const void* ring, uint64_t from_bytes);

  // Whether much of the ring is unread.
  bool crowds() const;
  // False: at the end, or the rest was overwritten, of which lost() tells. A
  // thread that ends sleeps from there on.
  bool Next(uint64_t* at_ns, trace::ThreadSwitch* state);
  uint64_t at_bytes() const { return at_; }
  uint64_t lost() const { return lost_; }

 private:
  uint64_t Head() const { return head_.load(std::memory_order_acquire); }
  void Copy(uint64_t from, void* to, uint64_t bytes) const;

  std::atomic_ref<unsigned long long> head_;
  const char* data_;
  uint64_t end_;
  uint64_t at_;
  uint64_t lost_ = 0;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SWITCH_RING_H_
