// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_
#define DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/runtime/thread_buffers.h"
#include "shim/trace/records.h"

// Looks at the threads that submit work: their names, whether they run, their
// CPU time. Collector only.
namespace dltap::shim {

// One sample of each recorded thread that has submitted work since the last one
// or is inside a call; of the others by NextIdleLookNs(). Not more than so many
// at once, nor longer than it may take of a CPU: each costs two files of /proc.
// Returns in how many ns of monotonic time the next ones are due.
uint64_t SampleThreads(uint64_t now_ns);

// Then: what LookAtThreadsBy() has asked for, of those that were sampled since,
// as far as that may take of a CPU.
void LookFurther(uint64_t now_ns);

// At the end, of those whose context switches are followed and which that has
// left out: nothing else tells of what they did since.
void SampleWatchedThreads(uint64_t now_ns);

// In how many ns a thread is looked at again that makes no calls, which ran so
// long in the time since the look before; `last_ns`: what was said then, 0
// where it has made a call. One that runs may be the one that hands their work
// to those that submit it, as TensorFlow's main thread does. Others are looked
// at less and less often, each 3 s in the end.
uint64_t NextIdleLookNs(uint64_t last_ns, uint64_t span_ns, uint64_t ran_ns);

// One of the process. Returns in how many ns the next one is due: its CPU time
// is added up over all threads.
uint64_t SampleProcess();

// What a look at the threads, which has taken that CPU time, says of the next
// one. `is_busy`: a thread has submitted work lately.
uint64_t NextLookNs(uint64_t cost_ns, bool is_busy);

// The last sample of a thread that has ended.
void NoteThreadEnd(ThreadBuffer& buffer);

// Has every other thread of the process ended? The main thread stays as a
// zombie when it leaves by pthread_exit.
bool IsLastThread();

// How many threads of its own the C library counts, this one among them; the
// last one ends the process. Asked for once, by the collector. nullptr: not
// known.
using ThreadCountFinder = const std::atomic<uint32_t>* (*)();
void CountThreadsBy(ThreadCountFinder find);

// What else is to be seen of a thread that was sampled. Asked for once, at
// load.
struct WatchedThread {
  uint32_t tid;
  uint32_t index;
  uint32_t buffer;   // below ThreadBuffers::kMaxBuffers; no other thread's
  uint64_t pthread;  // pthread_self()
};
using ThreadLook = void (*)(const WatchedThread& thread);
void LookAtThreadsBy(ThreadLook look);

// What a line of /proc/PID/task/TID/stat tells.
struct ThreadStat {
  char name[16];
  trace::ThreadState state;
  uint32_t threads;   // of the process; 0: the line is cut
  uint64_t start_ns;  // since the machine started; 0: the line is cut
};
// False when it is malformed.
bool ParseThreadStat(const char* line, ThreadStat* stat);

// How long a thread was ready to run without a CPU, of a line of
// /proc/PID/task/TID/schedstat. False when it is malformed, or the kernel does
// not count.
bool ParseRunDelay(const char* line, uint64_t* run_delay_ns);

// Is it another thread than the one that attached at `attached_ns`, whose id it
// has got?
bool IsNewer(const ThreadStat& stat, uint64_t attached_ns);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_
