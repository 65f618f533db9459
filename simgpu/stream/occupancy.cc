// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/occupancy.h"

#include <algorithm>

#include "simgpu/base/architecture.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {
namespace {

constexpr int kWarp = 32;
constexpr int kRegistersPerSm = 65536;
// A warp takes registers in units of 256.
constexpr int kRegisterUnit = 256;
// A block takes shared memory in units of 128 bytes.
constexpr size_t kSharedUnit = 128;

}  // namespace

int ResidentBlocks(const BlockNeeds& block, const opmodel::GpuSpec& gpu) {
  const Architecture& architecture = ArchitectureOf(gpu);
  const int warps = std::max(1, (block.threads + kWarp - 1) / kWarp);
  const int by_threads = architecture.max_threads_per_sm / (warps * kWarp);
  const int per_warp =
      (block.registers_per_thread * kWarp + kRegisterUnit - 1) / kRegisterUnit *
      kRegisterUnit;
  const int by_registers =
      per_warp == 0 ? by_threads : kRegistersPerSm / (per_warp * warps);
  const int blocks =
      std::min({by_threads, by_registers, architecture.max_blocks_per_sm});
  if (block.shared_bytes >
      static_cast<size_t>(architecture.shared_bytes_per_block_optin)) {
    return 0;
  }
  const size_t shared =
      (block.shared_bytes + architecture.reserved_shared_bytes_per_block +
       kSharedUnit - 1) /
      kSharedUnit * kSharedUnit;
  if (shared == 0) return blocks;
  return std::min(blocks,
                  static_cast<int>(architecture.shared_bytes_per_sm / shared));
}

SmUnits SmUnitsOf(const KernelWork& launch, int whole,
                  const opmodel::GpuSpec& gpu) {
  const int resident = std::max(
      1, ResidentBlocks({.threads = static_cast<int>(launch.block.count()),
                         .registers_per_thread =
                             static_cast<int>(launch.registers_per_thread),
                         .shared_bytes = size_t{launch.static_shared_bytes} +
                                         launch.dynamic_shared_bytes},
                        gpu));
  const int64_t room = std::max<int64_t>(1, int64_t{resident} * gpu.sms);
  const int64_t blocks =
      std::min(std::max<int64_t>(1, launch.grid.count()), room);
  const auto units = [&](int64_t count) {
    return static_cast<int>(std::max<int64_t>(1, count * whole / room));
  };
  return {.launch = units(blocks), .block = units(1)};
}

}  // namespace dltap::simgpu
