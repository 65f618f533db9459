// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// amp_update_scale_cuda_kernel(float* scale, int* growth_tracker,
// const float* found_inf, double growth_factor, double backoff_factor,
// int growth_interval)
struct Call {
  float* scale;
  int32_t* growth_tracker;
  const float* found_inf;
  double growth_factor;
  double backoff_factor;
  int32_t growth_interval;
};

void Update(const Call& call) {
  if (*call.found_inf != 0) {
    *call.scale = static_cast<float>(*call.scale * call.backoff_factor);
    *call.growth_tracker = 0;
    return;
  }
  if (++*call.growth_tracker != call.growth_interval) return;
  const auto grown = static_cast<float>(*call.scale * call.growth_factor);
  if (std::isfinite(grown)) *call.scale = grown;
  *call.growth_tracker = 0;
}

// The program keeps these numbers on the device from step to step and reads
// them now and then; nothing but this kernel and a fill writes them.
void Run(const Call& call) {
  const auto range = [](const void* at) {
    return Range{static_cast<std::byte*>(const_cast<void*>(at)), 4};
  };
  if (!IsAllocated(range(call.scale)) ||
      !IsAllocated(range(call.growth_tracker)) ||
      !IsAllocated(range(call.found_inf))) {
    return;
  }
  Update(call);
  MarkFreshForLong(call.scale, sizeof(*call.scale));
  MarkFreshForLong(call.growth_tracker, sizeof(*call.growth_tracker));
}

}  // namespace

Decoder ScaleDecoder(const NameParts&) {
  return [](const LaunchView& launch) {
    void* const* arguments = launch.arguments;
    const Call call{.scale = ReadAt<float*>(arguments[0]),
                    .growth_tracker = ReadAt<int32_t*>(arguments[1]),
                    .found_inf = ReadAt<const float*>(arguments[2]),
                    .growth_factor = ReadAt<double>(arguments[3]),
                    .backoff_factor = ReadAt<double>(arguments[4]),
                    .growth_interval = ReadAt<int32_t>(arguments[5])};
    return WithEffect(EffectOf(call));
  };
}

}  // namespace dltap::simgpu
