// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_COUNTERS_H_
#define DLTAP_SIMGPU_BASE_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "simgpu/base/api_function.h"

namespace dltap::simgpu {

// How often each exported function was called through its exported symbol. One
// block of counters per thread, so that counting takes no locked instruction;
// a thread's counts are folded into the totals when it ends.

// A zeroed block for the calling thread.
std::atomic<uint64_t>* AcquireThreadCounts();
void ReleaseThreadCounts(std::atomic<uint64_t>* counts);

// Gives the function its counter, cbid, virtual cost and fault. Idempotent.
void RegisterFunction(ApiFunction& function);

inline void CountCall(ApiFunction& function, std::atomic<uint64_t>* counts) {
  uint32_t index = function.counter.load(std::memory_order_acquire);
  if (index == 0) [[unlikely]] {
    RegisterFunction(function);
    index = function.counter.load(std::memory_order_relaxed);
  }
  // Only the owner writes: a plain increment that other threads may read.
  counts[index].store(counts[index].load(std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
}

// Calls of the function so far, by all threads.
uint64_t CallsOf(const ApiFunction& function);

// "library symbol kind count" per function called, sorted by library and name;
// then " by_address count" for those of the calls that address_routes.h tells.
std::string CountsAsText();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_COUNTERS_H_
