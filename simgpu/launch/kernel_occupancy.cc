// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/kernel_occupancy.h"

#include "simgpu/stream/occupancy.h"

namespace dltap::simgpu {

int MaxActiveBlocks(const Kernel& kernel, int threads_per_block,
                    size_t dynamic_shared_bytes, const opmodel::GpuSpec& gpu) {
  if (threads_per_block <= 0 ||
      threads_per_block > kernel.max_threads_per_block) {
    return 0;
  }
  return ResidentBlocks(
      {.threads = threads_per_block,
       .registers_per_thread = static_cast<int>(kernel.registers_per_thread),
       .shared_bytes = kernel.static_shared_bytes + dynamic_shared_bytes},
      gpu);
}

}  // namespace dltap::simgpu
