// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_TEARDOWN_H_
#define DLTAP_SIMGPU_BASE_TEARDOWN_H_

#include <atomic>

namespace dltap::simgpu {

// The driver registers an exit handler when it starts. After it has run, a call
// of CUPTI finds structures that are freed: under DLTAP_SIM_FAULTS=teardown
// such a call ends the process and is named.
void RegisterTeardown();

extern constinit std::atomic<bool> g_driver_is_gone;
[[noreturn]] void EndAfterTeardown(const char* function);

inline void CheckTeardown(const char* function) {
  if (g_driver_is_gone.load(std::memory_order_relaxed)) [[unlikely]]
    EndAfterTeardown(function);
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_TEARDOWN_H_
