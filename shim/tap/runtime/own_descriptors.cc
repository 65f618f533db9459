// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/own_descriptors.h"

#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

// The C library's clone(), by the name that no sanitizer takes for itself: some
// take whatever it makes for the child of a fork.
extern "C" int __clone(int (*run)(void*), void* stack, int flags,
                       void* argument, ...) noexcept;

namespace dltap::shim {
namespace {

constexpr size_t kStackBytes = size_t{48} << 10;
// A thread that shares all with the others; the kernel clears a word when it
// has left our memory.
constexpr int kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                        CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
                        CLONE_CHILD_CLEARTID;

struct Errand {
  void (*run)(void*);
  void* argument;
  bool was_run;
};

// To close all in a copy of the table: the kernel copies nothing for that.
int Go(void* argument) {
  auto& errand = *static_cast<Errand*>(argument);
  if (syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) != 0) return 0;
  errand.run(errand.argument);
  errand.was_run = true;
  return 0;
}

}  // namespace

bool WithOwnDescriptors(void (*run)(void* argument), void* argument) {
  alignas(16) char stack[kStackBytes];
  return WithOwnDescriptors(run, argument, stack);
}

bool WithOwnDescriptors(void (*run)(void* argument), void* argument,
                        std::span<char> stack) {
  Errand errand = {run, argument, false};
  std::atomic<pid_t> thread = 0;
  static_assert(sizeof(thread) == sizeof(pid_t));
  if (__clone(Go, stack.data() + stack.size(), kThread, &errand, &thread,
              nullptr, &thread) < 0) {
    return false;
  }
  for (pid_t now = thread.load(); now != 0; now = thread.load()) {
    syscall(SYS_futex, &thread, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
  return errand.was_run;
}

}  // namespace dltap::shim
