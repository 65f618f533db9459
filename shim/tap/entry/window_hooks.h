// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_WINDOW_HOOKS_H_
#define DLTAP_SHIM_TAP_ENTRY_WINDOW_HOOKS_H_

#include <cstdint>

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// cudaProfilerStart and Stop, and cuProfilerStart and Stop, open and close the
// recording window under DLTAP_START=off.
struct ProfilerStart {
  static void After(int32_t status);
};
struct ProfilerStop {
  static void Before();
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_ENTRY_WINDOW_HOOKS_H_
