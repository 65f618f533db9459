// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_KERNEL_LAUNCH_H_
#define DLTAP_SHIM_TAP_TAGGING_KERNEL_LAUNCH_H_

#include <cstdint>

#include "abi_structs.h"

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// Notes what a launch computes before its record, where its arguments tell it.
struct KernelLaunch {
  static void After(int32_t status, const void* kernel, abi::dim3 grid,
                    const void* arguments);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_KERNEL_LAUNCH_H_
