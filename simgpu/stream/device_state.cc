// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device_state.h"

#include "simgpu/base/architecture.h"
#include "simgpu/base/clock.h"
#include "simgpu/stream/sm_sharing.h"

namespace dltap::simgpu {
Device::Device(int machine_number, const opmodel::GpuSpec& spec, uint64_t bytes)
    : number(machine_number),
      gpu(spec),
      architecture(ArchitectureOf(spec)),
      memory_bytes(bytes),
      uuid(UuidOf(spec, machine_number)),
      sm_sharing(
          new SmSharing(architecture.max_resident_grids, !IsVirtualTime())) {}

Error ArmedError(Device& device) {
  if (SimNow() < device.failure_ns.load(std::memory_order_relaxed)) {
    return Error::kSuccess;
  }
  int armed = Device::kArmed;
  device.sticky_error.compare_exchange_strong(armed, device.failure_code);
  return static_cast<Error>(device.sticky_error.load());
}

void FailAt(Device& device, int code, int64_t end_ns) {
  int none = 0;
  device.failure_code = code;
  device.failure_ns = end_ns;
  device.sticky_error.compare_exchange_strong(none, Device::kArmed);
}

}  // namespace dltap::simgpu
