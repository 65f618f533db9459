// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_MODELLED_TIME_H_
#define DLTAP_OPMODEL_MODELLED_TIME_H_

#include <cstdint>

namespace dltap::opmodel {

enum class Bound : uint8_t { kCompute = 1, kMemory = 2, kLatency = 3 };

struct ModelledTime {
  double ns;
  Bound bound;
};

// Device time of a kernel that does nothing: block scheduling, first
// instruction fetch, end-of-grid flush. CUPTI shows 1 to 2 us on every
// architecture here.
inline constexpr double kEmptyKernelNs = 2000;

// From a launch on an idle stream to the kernel's start. Not part of TimeOf:
// add it to keep a timeline, or to compare with event timings.
inline constexpr double kLaunchLatencyNs = 5000;

// A kernel whose work takes less than the floor is bound by latency.
ModelledTime WithLaunchFloor(double compute_ns, double memory_ns);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_MODELLED_TIME_H_
