// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_NATIVE_SITES_H_
#define DLTAP_SHIM_TAP_ENTRY_NATIVE_SITES_H_

#include <cstdint>

#include "shim/tap/entry/site_table.h"
#include "shim/tap/runtime/thread_state.h"

namespace dltap::shim {

// The site of the outermost call, by the return addresses on the stack. 0:
// none, counted where it is a loss.
uint32_t NativeSite(SiteTable& table, ThreadState& thread);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_NATIVE_SITES_H_
