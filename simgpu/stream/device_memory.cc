// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device_memory.h"

#include <atomic>

#include "simgpu/base/faults.h"

namespace dltap::simgpu {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kBytesPerSm = 3 * kMiB;
constexpr uint64_t kFixedBytes = 6 * kMiB;

}  // namespace

bool ReserveBytes(Device& device, uint64_t bytes) {
  Fault* fault = FaultAt(FaultPoint::kMemory);
  if (fault != nullptr && fault->Next() != nullptr) [[unlikely]]
    return false;
  return TakeBytes(device, bytes);
}

bool TakeBytes(Device& device, uint64_t bytes) {
  uint64_t used = device.used_bytes.load(std::memory_order_relaxed);
  do {
    if (bytes > device.memory_bytes || used > device.memory_bytes - bytes) {
      return false;
    }
  } while (!device.used_bytes.compare_exchange_weak(used, used + bytes));
  return true;
}

void ReleaseBytes(Device& device, uint64_t bytes) {
  device.used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

uint64_t ContextBytes(const Device& device) {
  return kFixedBytes + kBytesPerSm * static_cast<uint64_t>(device.gpu.sms);
}

void TakeContextMemory(Device& device) {
  // A device that is smaller than its context is not worth an error.
  if (TakeBytes(device, ContextBytes(device))) {
    device.context_bytes.fetch_add(ContextBytes(device));
  }
}

}  // namespace dltap::simgpu
