// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/streaming_time.h"

#include "shim/opmodel/launch_floor.h"

namespace dltap::opmodel {

ModelledTime StreamingTime(double bytes, const GpuSpec& gpu) {
  const double bandwidth =
      gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio;
  return WithLaunchFloor(0, bytes / bandwidth * 1e9);
}

}  // namespace dltap::opmodel
