// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/cupti_source.h"

#include "shim/tap/activity/cupti/kernel_tracing.h"

namespace dltap::shim::cupti {
namespace {

using Timestamp = int32_t (*)(uint64_t*);

int32_t ReadTimestamp(uint64_t* ns) {
  return g_kernel_tracing.Timestamp(ns) ? 0 : -1;
}

// The simulated GPU has a function of its own: cuptiGetTimestamp changes when a
// profiler in the program registers a timestamp callback.
Timestamp FindTimestamp(RealFinder real) {
  for (const char* name : {"dltapSimGetTimestamp", "cuptiGetTimestamp"}) {
    void* found = real(name);
    if (found != nullptr) return reinterpret_cast<Timestamp>(found);
  }
  return nullptr;
}

}  // namespace

constinit const ActivitySource kCuptiSource = {
    .start =
        [](const SourceRuntime& runtime) { g_kernel_tracing.Start(runtime); },
    .pass = [] { g_kernel_tracing.Pass(); },
    .finish = [](bool (*is_awaited)()) { g_kernel_tracing.Finish(is_awaited); },
    .stop = [] { g_kernel_tracing.Stop(); },
    .forget = [] { g_kernel_tracing.Forget(); },
    .push = [](uint64_t id) { return g_kernel_tracing.PushId(id); },
    .pop = [] { g_kernel_tracing.PopId(); },
    .capture_begins = [] { g_kernel_tracing.CaptureBegins(); },
    .timestamp = ReadTimestamp,
    .find_timestamp = FindTimestamp,
};

}  // namespace dltap::shim::cupti
