// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_
#define DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_

#include "shim/trace/layout.h"

// Recording windows, under DLTAP_START=off; else nothing happens. Outside of
// them state is followed, calls are not recorded. A window may be opened before
// the session starts. Who opens one waits for a pass of the collector, since
// kernels launched before the activity source is on would be lost.
namespace dltap::shim {

void OpenWindow(trace::WindowCause cause);
void CloseWindow(trace::WindowCause cause);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_
