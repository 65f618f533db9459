// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/occupancy.h"

#include <algorithm>

#include "shim/simgpu/device/architecture.h"
#include "shim/simgpu/device/kernel.h"

namespace dltap::simgpu {
namespace {

constexpr int kWarp = 32;
constexpr int kRegistersPerSm = 65536;
// A warp takes registers in units of 256.
constexpr int kRegisterUnit = 256;
// A block takes shared memory in units of 128 bytes.
constexpr size_t kSharedUnit = 128;

}  // namespace

int MaxActiveBlocks(const Kernel& kernel, int threads_per_block,
                    size_t dynamic_shared_bytes, const opmodel::GpuSpec& gpu) {
  if (threads_per_block <= 0 ||
      threads_per_block > kernel.max_threads_per_block) {
    return 0;
  }
  const Architecture& architecture = ArchitectureOf(gpu);
  const int warps = (threads_per_block + kWarp - 1) / kWarp;
  const int by_threads = architecture.max_threads_per_sm / (warps * kWarp);
  const int per_warp = (static_cast<int>(kernel.registers_per_thread) * kWarp +
                        kRegisterUnit - 1) /
                       kRegisterUnit * kRegisterUnit;
  const int by_registers =
      per_warp == 0 ? by_threads : kRegistersPerSm / (per_warp * warps);
  int blocks =
      std::min({by_threads, by_registers, architecture.max_blocks_per_sm});
  const size_t used = kernel.static_shared_bytes + dynamic_shared_bytes;
  if (used > static_cast<size_t>(architecture.shared_bytes_per_block_optin)) {
    return 0;
  }
  const size_t shared =
      (used + architecture.reserved_shared_bytes_per_block + kSharedUnit - 1) /
      kSharedUnit * kSharedUnit;
  if (shared > 0) {
    blocks = std::min(
        blocks, static_cast<int>(architecture.shared_bytes_per_sm / shared));
  }
  return blocks;
}

}  // namespace dltap::simgpu
