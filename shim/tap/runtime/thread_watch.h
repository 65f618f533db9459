// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_
#define DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_

#include "shim/tap/runtime/thread_buffers.h"
#include "shim/trace/records.h"

// Looks at the threads that submit work: their names, whether they run, their
// CPU time. Collector only.
namespace dltap::shim {

// One sample of each recorded thread and of the process.
void SampleThreads();

// The last sample of a thread that has ended.
void NoteThreadEnd(ThreadBuffer& buffer);

// Has every other thread of the process ended? The main thread stays as a
// zombie when it leaves by pthread_exit.
bool IsLastThread();

// What a line of /proc/PID/task/TID/stat tells.
struct ThreadStat {
  char name[16];
  trace::ThreadState state;
};
// False when it is malformed.
bool ParseThreadStat(const char* line, ThreadStat* stat);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_THREAD_WATCH_H_
