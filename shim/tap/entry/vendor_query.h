// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_VENDOR_QUERY_H_
#define DLTAP_SHIM_TAP_ENTRY_VENDOR_QUERY_H_

#include "shim/tap/entry/real_functions.h"

namespace dltap::shim {

// Calls the vendor's function of that name, one of those that are noted for the
// collector, if it is loaded; false unless it succeeds. `args` have the types
// of its parameters.
template <typename... Args>
bool Ask(const char* symbol, Args... args) {
  const auto function = reinterpret_cast<int (*)(Args...)>(FindNoted(symbol));
  return function != nullptr && function(args...) == 0;
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_VENDOR_QUERY_H_
