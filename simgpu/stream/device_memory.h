// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_DEVICE_MEMORY_H_
#define DLTAP_SIMGPU_STREAM_DEVICE_MEMORY_H_

#include <cstdint>

#include "simgpu/stream/device_state.h"

namespace dltap::simgpu {

// Reserves `bytes` of the device's memory; false: it is full.
bool ReserveBytes(Device& device, uint64_t bytes);
// The same for what is no allocation: DLTAP_SIM_FAULTS does not count it.
bool TakeBytes(Device& device, uint64_t bytes);
void ReleaseBytes(Device& device, uint64_t bytes);

// Device memory that a context takes before the program has allocated any.
// Grows with the SMs: measured by free memory around its creation, 107 MiB on
// an RTX 4060 Ti (34 SMs), 256 MiB on an RTX 3090 (82), 555 MiB on an RTX PRO
// 6000 Blackwell (188).
uint64_t ContextBytes(const Device& device);

// What the primary context takes when it becomes active.
void TakeContextMemory(Device& device);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_DEVICE_MEMORY_H_
