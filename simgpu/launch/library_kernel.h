// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LIBRARY_KERNEL_H_
#define DLTAP_SIMGPU_LAUNCH_LIBRARY_KERNEL_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "simgpu/base/launch_geometry.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// As which API call the launch appears to CUPTI: NVIDIA's libraries carry a
// static cudart (driver records) or link the shared one (runtime records).
enum class LaunchRoute : uint8_t { kRuntime, kDriver };

struct LibraryKernel {
  const char* name;  // must live for ever: a literal, or InternName()
  Dim3 grid{};
  Dim3 block{256, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  uint32_t registers_per_thread = 128;
  int64_t duration_ns = 0;  // 0: modelled from the geometry
  LaunchRoute route = LaunchRoute::kRuntime;
  // What the kernel does to memory, in stream order, possibly on another
  // thread and again at each replay of a graph; empty: nothing (the usual).
  std::function<void()> effect{};
  // What it does with other ranks (work.h); null: nothing.
  std::shared_ptr<const ExchangeStarter> exchange{};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LIBRARY_KERNEL_H_
