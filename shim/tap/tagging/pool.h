// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_POOL_H_
#define DLTAP_SHIM_TAP_TAGGING_POOL_H_

#include <array>
#include <cstdint>

#include "shim/tap/tagging/spin_lock.h"

namespace dltap::shim {

// Fixed number of T, handed out by number (1..kCount). Zero-filled memory that
// is touched only as far as it was ever in use.
template <typename T, uint32_t kCount>
class Pool {
 public:
  // 0 when none is left. The object holds what its last owner left in it.
  uint32_t Take() {
    SpinGuard guard(lock_);
    if (!guard) return 0;
    if (free_ != 0) {
      const uint32_t id = free_;
      free_ = next_[id - 1];
      return id;
    }
    if (used_ == kCount) return 0;
    return ++used_;
  }
  void Give(uint32_t id) {
    SpinGuard guard(lock_);
    if (!guard) return;  // leaked; the pool is sized for it
    next_[id - 1] = free_;
    free_ = id;
  }
  T& operator[](uint32_t id) { return items_[id - 1]; }

 private:
  SpinLock lock_;
  uint32_t free_ = 0;
  uint32_t used_ = 0;
  std::array<uint32_t, kCount> next_{};
  std::array<T, kCount> items_{};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_POOL_H_
