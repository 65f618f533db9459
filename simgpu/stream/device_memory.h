// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_CONTEXT_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_CONTEXT_MEMORY_H_

#include <cstdint>

#include "simgpu/stream/device.h"

namespace dltap::simgpu {

// Device memory that a context takes before the program has allocated any.
// Grows with the SMs: measured by free memory around its creation, 107 MiB on
// an RTX 4060 Ti (34 SMs), 256 MiB on an RTX 3090 (82), 555 MiB on an RTX PRO
// 6000 Blackwell (188).
uint64_t ContextBytes(const Device& device);

// What the primary context takes when it becomes active.
void TakeContextMemory(Device& device);

// What cudaDeviceReset does: waits, frees all the device's memory, forgets its
// error.
Error ResetDevice(Device& device);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_CONTEXT_MEMORY_H_
