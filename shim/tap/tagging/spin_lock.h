// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_SPIN_LOCK_H_
#define DLTAP_SHIM_TAP_TAGGING_SPIN_LOCK_H_

#include <atomic>

namespace dltap::shim {

// A lock that gives up: a fork may copy it while another thread holds it, and
// the host must never hang because of that. Hold it for a few dozen
// instructions, never around a call out of this library.
class SpinLock {
 public:
  // False after about a millisecond; the caller then counts a loss.
  bool TryLock() {
    for (int i = 0; i < kMaxSpins; ++i) {
      if (!held_.exchange(true, std::memory_order_acquire)) return true;
      while (held_.load(std::memory_order_relaxed) && ++i < kMaxSpins) {
        __builtin_ia32_pause();
      }
    }
    return false;
  }
  void Unlock() { held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kMaxSpins = 20'000;
  std::atomic<bool> held_{false};
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
