// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simgpu/base/activity.h"
#include "simgpu/base/error.h"
#include "simgpu/bytes/address_map.h"

namespace dltap::simgpu {

struct Device;

// Device memory is a piece of the process's memory file (memory_file.h),
// committed when touched; only its size counts against the device, that of
// managed memory not even that: it may be larger than the device. Zero bytes
// give a null pointer.
Error AllocateDevice(Device& device, size_t bytes, MemoryKind kind,
                     MemoryOwner owner, void** address);

// Frees what AllocateDevice gave; null is fine. Does not wait for the device.
Error FreeDevice(void* address);

// What cudaDeviceReset does: waits, frees all that AllocateDevice has given of
// the device, forgets its error.
Error ResetDevice(Device& device);

Error AllocateHost(size_t bytes, unsigned flags, void** address);
Error FreeHost(void* address);

// cudaHostRegister. kInvalidValue when the range is not this process's memory;
// kHostMemoryAlreadyRegistered when any of it is known already.
Error RegisterHost(void* address, size_t bytes, unsigned flags);
Error UnregisterHost(void* address);

// Enters memory that another part made (mapped, module, pool) into the map, or
// takes it out, and tells the activity client. Gives its id.
uint64_t AddAllocation(Allocation allocation);
std::optional<Allocation> RemoveAllocation(const void* base,
                                           uint32_t stream_id = kNoStreamId);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_H_
