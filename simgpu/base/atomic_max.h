// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ATOMIC_MAX_H_
#define DLTAP_SIMGPU_BASE_ATOMIC_MAX_H_

#include <atomic>

namespace dltap::simgpu {

// value = max(value, floor)
template <typename T>
void RaiseTo(std::atomic<T>& value, T floor) {
  T seen = value.load(std::memory_order_relaxed);
  while (seen < floor &&
         !value.compare_exchange_weak(seen, floor, std::memory_order_relaxed)) {
  }
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ATOMIC_MAX_H_
