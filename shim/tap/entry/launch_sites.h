// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LAUNCH_SITES_H_
#define DLTAP_SHIM_TAP_ENTRY_LAUNCH_SITES_H_

#include <cstdint>

#include "shim/tap/runtime/thread_state.h"

namespace dltap::shim {

// Where calls are made (DLTAP_SITES): the path of return addresses, or of
// Python frames, that leads to an outermost call. A path is taken and defined
// when it comes for the first time, and known again by comparing all of it, so
// that a site is never that of another path. No lock and no allocation; system
// calls only for a path that is new, and where the stack is not the thread's
// own.
//
// Appends the slot that names the site of the outermost call, which begins.
// Returns when it begins. Keeps errno.
uint64_t NoteSite(ThreadState& thread);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LAUNCH_SITES_H_
