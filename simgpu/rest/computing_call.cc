// SPDX-License-Identifier: Apache-2.0
#include "simgpu/rest/computing_call.h"

#include <algorithm>
#include <cmath>

#include "opmodel/streaming_time.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {

Error LaunchStreaming(void* stream, const char* name, double bytes,
                      double latency_ns) {
  const double blocks = std::clamp(std::ceil(bytes / 4096), 1.0, 65535.0);
  const double moving_ns =
      opmodel::StreamingTime(bytes, GpuOfStream(stream)).ns;
  return LaunchLibraryKernel(
      stream, {.name = name,
               .grid = {static_cast<uint32_t>(blocks), 1, 1},
               .registers_per_thread = 48,
               .duration_ns = std::llround(moving_ns + latency_ns)});
}

}  // namespace dltap::simgpu
