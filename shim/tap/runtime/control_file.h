// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_CONTROL_FILE_H_
#define DLTAP_SHIM_TAP_RUNTIME_CONTROL_FILE_H_

// The page that `dltap ctl PID` writes its wishes into, see
// shim/trace/control_page.h. It lies in a sealed memory file: no folder, no
// left-over, nothing that another user or a full disk can spoil. The collector
// looks at it in each pass; no other thread does. Without it (the system
// refused) the session goes on.
namespace dltap::shim {

// Takes part in the collector's work from the next session on.
void ListenToControl();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_CONTROL_FILE_H_
