// SPDX-License-Identifier: Apache-2.0
#include "opmodel/modelled_time.h"

#include <algorithm>

namespace dltap::opmodel {

ModelledTime WithLaunchFloor(double compute_ns, double memory_ns) {
  const double work_ns = std::max(compute_ns, memory_ns);
  const Bound bound = work_ns < kEmptyKernelNs  ? Bound::kLatency
                      : compute_ns >= memory_ns ? Bound::kCompute
                                                : Bound::kMemory;
  return {.ns = kEmptyKernelNs + work_ns, .bound = bound};
}

}  // namespace dltap::opmodel
