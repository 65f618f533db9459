// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_ADDRESS_HOOKS_H_
#define DLTAP_SHIM_TAP_ENTRY_ADDRESS_HOOKS_H_

#include <cstdint>

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// The runtime or the driver gave a program the address of a driver function: it
// gets the wrapper's, if that leads to the very same function.
struct DriverAddress {
  static void After(int32_t status, const void* name, void* function_out);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_ENTRY_ADDRESS_HOOKS_H_
