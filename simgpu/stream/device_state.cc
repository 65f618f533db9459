// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device_state.h"

#include <cstring>

#include "simgpu/base/architecture.h"
#include "simgpu/base/clock.h"
#include "simgpu/stream/sm_sharing.h"

namespace dltap::simgpu {
namespace {

constexpr char kUuidPrefix[] = "dltapsim";

}  // namespace

Device::Device(int device_ordinal, const opmodel::GpuSpec& spec, uint64_t bytes)
    : ordinal(device_ordinal),
      gpu(spec),
      architecture(ArchitectureOf(spec)),
      memory_bytes(bytes),
      uuid{},
      sm_sharing(
          new SmSharing(architecture.max_resident_grids, !IsVirtualTime())) {
  std::memcpy(uuid.data(), kUuidPrefix, sizeof(kUuidPrefix) - 1);
  uuid[8] = static_cast<uint8_t>(spec.compute_major);
  uuid[9] = static_cast<uint8_t>(spec.compute_minor);
  uuid[15] = static_cast<uint8_t>(device_ordinal + 1);
}

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
