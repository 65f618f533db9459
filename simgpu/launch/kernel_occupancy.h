// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_KERNEL_OCCUPANCY_H_
#define DLTAP_SIMGPU_LAUNCH_KERNEL_OCCUPANCY_H_

#include <cstddef>

#include "opmodel/gpu_table.h"
#include "simgpu/launch/kernel.h"

namespace dltap::simgpu {

// Blocks of the kernel that fit on one SM at a time. 0: not even one.
int MaxActiveBlocks(const Kernel& kernel, int threads_per_block,
                    size_t dynamic_shared_bytes, const opmodel::GpuSpec& gpu);

// The block size with the most resident threads per SM, up to `limit` (0: no
// limit), and the grid that then fills the device.
struct BestBlock {
  int threads_per_block;
  int min_grid_blocks;
};
template <typename SharedBytesOf>
BestBlock FindBestBlock(const Kernel& kernel, SharedBytesOf shared_bytes_of,
                        int limit, const opmodel::GpuSpec& gpu) {
  constexpr int kWarp = 32;
  constexpr int kLargest = 1024;
  const int largest = limit > 0 && limit < kLargest ? limit : kLargest;
  BestBlock best{0, 0};
  int best_threads = 0;
  for (int size = largest / kWarp * kWarp; size >= kWarp; size -= kWarp) {
    const int blocks =
        MaxActiveBlocks(kernel, size, shared_bytes_of(size), gpu);
    if (blocks * size <= best_threads) continue;
    best_threads = blocks * size;
    best = {size, blocks * gpu.sms};
  }
  return best;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_KERNEL_OCCUPANCY_H_
