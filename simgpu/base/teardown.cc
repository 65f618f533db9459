// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/teardown.h"

#include <cstdio>
#include <cstdlib>

#include "simgpu/base/faults.h"

namespace dltap::simgpu {

constinit std::atomic<bool> g_driver_is_gone{false};

void RegisterTeardown() {
  if (FaultAt(FaultPoint::kTeardown) == nullptr) return;
  std::atexit([] { g_driver_is_gone.store(true); });
}

void EndAfterTeardown(const char* function) {
  std::fprintf(stderr,
               "dltap: simgpu: %s was called after the driver's teardown\n",
               function);
  std::abort();
}

}  // namespace dltap::simgpu
