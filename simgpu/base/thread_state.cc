// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/thread_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simgpu/base/counters.h"
#include "simgpu/base/fork_guard.h"

namespace dltap::simgpu {

constinit thread_local ThreadState* t_state = nullptr;

namespace {

pthread_key_t g_key;

void DestroyThreadState(void* state_of_thread) {
  auto* state = static_cast<ThreadState*>(state_of_thread);
  ReleaseThreadCounts(state->counts);
  t_state = nullptr;
  delete state;
}

void RefreshThreadId() {
  if (t_state != nullptr) {
    t_state->thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  }
}

pthread_key_t Key() {
  static const bool made = [] {
    pthread_key_create(&g_key, DestroyThreadState);
    AddForkChildHandler(RefreshThreadId);
    return true;
  }();
  (void)made;
  return g_key;
}

}  // namespace

ThreadState& MakeThreadState() {
  auto* state = new ThreadState;
  state->counts = AcquireThreadCounts();
  t_state = state;
  RefreshThreadId();
  pthread_setspecific(Key(), state);
  return *state;
}

}  // namespace dltap::simgpu
