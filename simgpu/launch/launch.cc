// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/launch.h"

#include <utility>

#include "simgpu/base/architecture.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel_attributes.h"
#include "simgpu/launch/kernel_meaning.h"
#include "simgpu/launch/kernel_occupancy.h"
#include "simgpu/launch/library_kernel.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

constexpr uint32_t kMaxBlockX = 1024;
constexpr uint32_t kMaxBlockZ = 64;
constexpr uint32_t kMaxGridX = 2147483647;
constexpr uint32_t kMaxGridYz = 65535;

bool GeometryIsPossible(const LaunchParameters& launch) {
  const Dim3& grid = launch.grid;
  const Dim3& block = launch.block;
  return grid.count() > 0 && block.count() > 0 && grid.x <= kMaxGridX &&
         grid.y <= kMaxGridYz && grid.z <= kMaxGridYz &&
         block.x <= kMaxBlockX && block.y <= kMaxBlockX &&
         block.z <= kMaxBlockZ;
}

bool CooperativeFits(const Kernel& kernel, const LaunchParameters& launch,
                     const Device& device) {
  const int blocks =
      MaxActiveBlocks(kernel, static_cast<int>(launch.block.count()),
                      launch.dynamic_shared_bytes, device.gpu);
  return launch.grid.count() <= int64_t{blocks} * device.gpu.sms;
}

// Arguments given in one buffer (null here) are not read.
void ApplyMeaning(const Kernel& kernel, const LaunchParameters& launch,
                  const Device& device, KernelWork* work) {
  if (launch.arguments == nullptr) return;
  const KernelMeaning* known = MeaningOf(kernel);
  if (known == nullptr) return;
  LaunchMeaning meaning =
      known->Read({launch.arguments, launch.grid, launch.block, device.gpu,
                   kernel.parameters});
  work->duration_ns = meaning.duration_ns;
  work->bytes_per_thread =
      meaning.bytes /
      static_cast<double>(launch.grid.count() * launch.block.count());
  work->effect = std::move(meaning.effect);
  work->may_write = std::move(meaning.may_write);
}

// What a library says of its kernel: its time, and what it does to memory.
void FillLibraryWork(const LibraryKernel& kernel, KernelWork* work) {
  work->name = kernel.name;
  work->grid = kernel.grid;
  work->block = kernel.block;
  work->registers_per_thread = kernel.registers_per_thread;
  work->dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  work->duration_ns = kernel.duration_ns;
  work->effect = kernel.effect;
  if (const auto* targets = CurrentThread().may_write) {
    work->may_write = *targets;
  }
  work->exchange = kernel.exchange;
}

}  // namespace

Error MakeKernelWork(const Kernel& kernel, const LaunchParameters& launch,
                     const Device& device, KernelWork* work) {
  if (kernel.takes_library_kernel) {
    FillLibraryWork(*static_cast<const LibraryKernel*>(launch.arguments[0]),
                    work);
    return Error::kSuccess;
  }
  if (!GeometryIsPossible(launch) ||
      launch.block.count() > kernel.max_threads_per_block) {
    return Error::kInvalidConfiguration;
  }
  const Architecture& architecture = device.architecture;
  if (kernel.static_shared_bytes + launch.dynamic_shared_bytes >
          static_cast<uint64_t>(architecture.shared_bytes_per_block_optin) ||
      launch.dynamic_shared_bytes >
          static_cast<uint64_t>(kernel.max_dynamic_shared_bytes.load(
              std::memory_order_relaxed))) {
    return Error::kInvalidValue;
  }
  if (launch.cluster.count() > 1) {
    const Error error =
        CheckCluster(kernel, launch.cluster, launch.grid, device);
    if (error != Error::kSuccess) return error;
  }
  if (launch.cooperative && !CooperativeFits(kernel, launch, device)) {
    return Error::kCooperativeLaunchTooLarge;
  }
  work->name = kernel.name;
  work->kernel = &kernel;
  work->grid = launch.grid;
  work->block = launch.block;
  work->cluster = launch.cluster;
  work->registers_per_thread = kernel.registers_per_thread;
  work->static_shared_bytes = kernel.static_shared_bytes;
  work->dynamic_shared_bytes =
      static_cast<uint32_t>(launch.dynamic_shared_bytes);
  work->cooperative = launch.cooperative;
  work->programmatic = launch.programmatic;
  work->arguments = launch.arguments;
  ApplyMeaning(kernel, launch, device, work);
  return Error::kSuccess;
}

Error LaunchKernel(const Kernel& kernel, const LaunchParameters& parameters,
                   Stream& stream) {
  Work work{std::in_place_type<KernelWork>};
  const Error error = MakeKernelWork(kernel, parameters, *stream.device,
                                     std::get_if<KernelWork>(&work));
  if (error != Error::kSuccess) return error;
  return Submit(stream, std::move(work));
}

}  // namespace dltap::simgpu
