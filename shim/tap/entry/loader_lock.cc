// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loader_lock.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace dltap::shim {
namespace {

constinit std::atomic<LoaderMutex*> g_list_lock{nullptr};
constinit pid_t g_finder = 0;  // the process that has found it

bool IsAlive(int32_t thread) {
  const int saved_errno = errno;
  const bool is_alive = tgkill(getpid(), thread, 0) == 0 || errno != ESRCH;
  errno = saved_errno;
  return is_alive;
}

}  // namespace

void NoteListLock(LoaderMutex* lock) {
  g_finder = getpid();
  g_list_lock.store(lock, std::memory_order_release);
}

// A live thread names itself as the owner as soon as it has the lock. No system
// call while nobody has it: a sandboxed thread may be allowed none.
bool ListLockIsLost() {
  constexpr int kMostLooks = 100;
  LoaderMutex* lock = g_list_lock.load(std::memory_order_acquire);
  if (lock == nullptr) return false;
  std::atomic_ref<int32_t> is_held(lock->lock);
  std::atomic_ref<int32_t> owner(lock->owner);
  for (int i = 0; i < kMostLooks; ++i) {
    if (is_held.load(std::memory_order_relaxed) == 0) return false;
    if (getpid() == g_finder) return false;
    const int32_t thread = owner.load(std::memory_order_relaxed);
    if (thread != 0) return !IsAlive(thread);
    sched_yield();
  }
  return true;
}

}  // namespace dltap::shim
