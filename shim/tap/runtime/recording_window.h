// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_
#define DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_

#include "shim/trace/layout.h"

// Recording windows. Outside of them state is followed, calls are not recorded.
// A window may be opened before the session starts. Who opens one waits for a
// pass of the collector, since kernels launched before the activity source is on
// would be lost. cudaProfilerStop closes one under DLTAP_START=off only; time, a
// range and control always do.
namespace dltap::shim {

// Any thread, the collector too.
void OpenWindow(trace::WindowCause cause);
void CloseWindow(trace::WindowCause cause);

// Windows by time (DLTAP_DELAY_S, DLTAP_DURATION_S): the collector opens and
// closes them, to the pass.
void WatchTime();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RECORDING_WINDOW_H_
