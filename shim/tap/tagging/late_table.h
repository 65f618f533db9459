// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_LATE_TABLE_H_
#define DLTAP_SHIM_TAP_TAGGING_LATE_TABLE_H_

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace dltap::shim {

// A large table of zeros that a process gets when it first needs it, at the
// latest when its session begins: a recorded call makes no system call. Until
// then it takes no address space, which limits (RLIMIT_AS, _DATA, _MEMLOCK) and
// mlockall() count whether it is used or not. Never unmapped.
template <typename T>
class LateTable {
 public:
  // nullptr: nothing was ever put there.
  T* Find() const { return table_.load(std::memory_order_acquire); }

  // nullptr: no memory was to be had; it is not tried again.
  T* Make() {
    T* table = Find();
    if (table != nullptr || is_refused_.load(std::memory_order_relaxed)) {
      return table;
    }
    return Map();
  }

 private:
  [[gnu::noinline]] T* Map() {
    const int saved_errno = errno;
    void* memory = mmap(nullptr, sizeof(T), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    T* table = nullptr;
    if (memory != MAP_FAILED) {
      // After mlockall(MCL_FUTURE) all of it would be filled here and now.
      munlock(memory, sizeof(T));
      if (mprotect(memory, sizeof(T), PROT_READ | PROT_WRITE) != 0 ||
          !table_.compare_exchange_strong(table, static_cast<T*>(memory))) {
        munmap(memory, sizeof(T));
      } else {
        table = static_cast<T*>(memory);
      }
    }
    if (table == nullptr) is_refused_.store(true, std::memory_order_relaxed);
    errno = saved_errno;
    return table;
  }

  std::atomic<T*> table_{nullptr};
  std::atomic<bool> is_refused_{false};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_LATE_TABLE_H_
