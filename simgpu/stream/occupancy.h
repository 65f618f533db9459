// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_OCCUPANCY_H_
#define DLTAP_SIMGPU_STREAM_OCCUPANCY_H_

#include <cstddef>

#include "opmodel/gpu_table.h"

namespace dltap::simgpu {

struct KernelWork;

// What a block takes of an SM.
struct BlockNeeds {
  int threads;
  int registers_per_thread;
  size_t shared_bytes;
};

// Blocks with these needs that fit on one SM at a time: the least of what
// threads, block slots, registers and shared memory allow. 0: not even one.
int ResidentBlocks(const BlockNeeds& block, const opmodel::GpuSpec& gpu);

// The part of the device's room for resident blocks that a launch takes, and
// that one block of it takes, in units of `whole`; at least 1.
struct SmUnits {
  int launch;
  int block;
};
SmUnits SmUnitsOf(const KernelWork& launch, int whole,
                  const opmodel::GpuSpec& gpu);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_OCCUPANCY_H_
