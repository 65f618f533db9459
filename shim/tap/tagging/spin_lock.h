// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_SPIN_LOCK_H_
#define DLTAP_SHIM_TAP_TAGGING_SPIN_LOCK_H_

#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace dltap::shim {

// A lock that gives up: a fork may copy it while another thread holds it, and
// the host must never hang because of that. Hold it for a few dozen
// instructions, never around a call out of this library.
class SpinLock {
 public:
  // False: the caller then counts a loss. A thread that holds it for longer
  // than a few microseconds has lost its CPU, maybe to us: we give it back, a
  // few times. One that did not come is not waited for again.
  bool TryLock() {
    if (TrySpinning()) return true;
    const uint32_t before = releases_.load(std::memory_order_relaxed);
    if (given_up_.load(std::memory_order_relaxed) == before + 1) return false;
    const int saved_errno = errno;
    bool held = false;
    for (int i = 0; i < kMostYields && !held; ++i) {
      sched_yield();
      held = TrySpinning();
    }
    errno = saved_errno;
    if (!held) given_up_.store(before + 1, std::memory_order_relaxed);
    return held;
  }
  void Unlock() {
    const uint32_t before = releases_.load(std::memory_order_relaxed);
    releases_.store(before + 1, std::memory_order_relaxed);
    held_.store(false, std::memory_order_release);
  }

 private:
  static constexpr int kSpins = 200;
  static constexpr int kMostYields = 64;

  bool TrySpinning() {
    for (int i = 0; i < kSpins; ++i) {
      if (!held_.load(std::memory_order_relaxed) &&
          !held_.exchange(true, std::memory_order_acquire)) {
        return true;
      }
      __builtin_ia32_pause();
    }
    return false;
  }

  std::atomic<bool> held_{false};
  std::atomic<uint32_t> releases_{0};
  std::atomic<uint32_t> given_up_{0};  // before so many releases, and one
};

// if (SpinGuard guard(lock); guard) { ... }
class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock), held_(lock.TryLock()) {}
  ~SpinGuard() {
    if (held_) lock_.Unlock();
  }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;
  explicit operator bool() const { return held_; }

 private:
  SpinLock& lock_;
  const bool held_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_SPIN_LOCK_H_
