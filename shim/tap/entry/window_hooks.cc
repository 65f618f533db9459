// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/window_hooks.h"

#include "shim/tap/runtime/recording_window.h"

namespace dltap::shim::hooks {

void ProfilerStart::After(int32_t status) {
  if (status == 0) OpenWindow(trace::WindowCause::kProfilerApi);
}

void ProfilerStop::Before() { CloseWindow(trace::WindowCause::kProfilerApi); }

}  // namespace dltap::shim::hooks
