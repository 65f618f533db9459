// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/context_memory.h"

#include "simgpu/memory/memory.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kBytesPerSm = 3 * kMiB;
constexpr uint64_t kFixedBytes = 6 * kMiB;

}  // namespace

uint64_t ContextBytes(const Device& device) {
  return kFixedBytes + kBytesPerSm * static_cast<uint64_t>(device.gpu.sms);
}

void TakeContextMemory(Device& device) {
  // A device that is smaller than its context is not worth an error.
  if (TakeBytes(device, ContextBytes(device))) {
    device.context_bytes.fetch_add(ContextBytes(device));
  }
}

Error ResetDevice(Device& device) {
  device.sticky_error.store(0);
  const Error error = SynchronizeDevice(device);
  FreeAllOf(device);
  device.peers.store(0);
  if (device.primary_active.exchange(false)) {
    ReleaseBytes(device, device.context_bytes.exchange(0));
  }
  return error;
}

}  // namespace dltap::simgpu
