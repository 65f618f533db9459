// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/kernel_attributes.h"

#include <algorithm>

#include "simgpu/base/architecture.h"
#include "simgpu/launch/kernel_occupancy.h"

namespace dltap::simgpu {
namespace {

enum KernelAttribute : int {
  kMaxDynamicShared = 8,
  kCarveout = 9,
  kClusterWidth = 11,
  kClusterHeight = 12,
  kClusterDepth = 13,
  kNonPortableCluster = 14,
  kClusterScheduling = 15,
};

// Programming guide, "Thread Block Clusters": compute capability 9.0 and
// later, 8 blocks are portable. The largest GPUs allow 16.
constexpr int kClusterMajor = 9;
constexpr int kPortableCluster = 8;
constexpr int kLargestCluster = 16;
constexpr int kNoLargeClusterMajor = 11;

}  // namespace

Error SetKernelAttribute(Kernel& kernel, int attribute, int value,
                         const Device& device) {
  const Architecture& limits = ArchitectureOf(device.gpu);
  switch (attribute) {
    case kMaxDynamicShared: {
      const int room = limits.shared_bytes_per_block_optin -
                       static_cast<int>(kernel.static_shared_bytes);
      if (value < 0 || value > room) return Error::kInvalidValue;
      kernel.max_dynamic_shared_bytes.store(value);
      return Error::kSuccess;
    }
    case kCarveout:
      if (value < -1 || value > 100) return Error::kInvalidValue;
      kernel.preferred_carveout.store(value);
      return Error::kSuccess;
    case kNonPortableCluster:
      kernel.non_portable_cluster.store(value != 0);
      return Error::kSuccess;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
    case kClusterScheduling:
      return value < 0 ? Error::kInvalidValue : Error::kSuccess;
    default: return Error::kInvalidValue;
  }
}

int MaxClusterSize(const Kernel& kernel, const Device& device) {
  const int major = device.gpu.compute_major;
  if (major < kClusterMajor) return 1;
  const bool large =
      kernel.non_portable_cluster.load() && major < kNoLargeClusterMajor;
  return large ? kLargestCluster : kPortableCluster;
}

Error CheckCluster(const Kernel& kernel, const Dim3& cluster, const Dim3& grid,
                   const Device& device) {
  if (cluster.count() <= 1) return Error::kSuccess;
  const bool fits = cluster.count() <= MaxClusterSize(kernel, device) &&
                    grid.x % cluster.x == 0 && grid.y % cluster.y == 0 &&
                    grid.z % cluster.z == 0;
  return fits ? Error::kSuccess : Error::kInvalidClusterSize;
}

Error MaxActiveClusters(const Kernel& kernel, const ClusterLaunch& launch,
                        const Device& device, int* clusters) {
  if (clusters == nullptr) return Error::kInvalidValue;
  const Error error = CheckCluster(kernel, launch.cluster, launch.grid, device);
  if (error != Error::kSuccess) return error;
  const int blocks =
      MaxActiveBlocks(kernel, static_cast<int>(launch.block.count()),
                      launch.dynamic_shared_bytes, device.gpu);
  const auto of_cluster =
      static_cast<int>(std::max<int64_t>(1, launch.cluster.count()));
  *clusters = blocks * device.gpu.sms / of_cluster;
  return Error::kSuccess;
}

Error ParameterOf(const Kernel& kernel, size_t index, size_t* offset,
                  size_t* bytes) {
  if (offset == nullptr) return Error::kInvalidValue;
  if (!kernel.parameters_known) return Error::kNotSupported;
  if (index >= kernel.parameters.size()) return Error::kInvalidValue;
  *offset = kernel.parameters[index].offset;
  if (bytes != nullptr) *bytes = kernel.parameters[index].bytes;
  return Error::kSuccess;
}

Error AvailableSharedBytes(const Kernel& kernel, int blocks, int block_threads,
                           const Device& device, size_t* bytes) {
  if (bytes == nullptr || blocks <= 0 || block_threads <= 0) {
    return Error::kInvalidValue;
  }
  const Architecture& limits = ArchitectureOf(device.gpu);
  const int per_block = std::min(limits.shared_bytes_per_sm / blocks -
                                     limits.reserved_shared_bytes_per_block,
                                 limits.shared_bytes_per_block_optin);
  *bytes = static_cast<size_t>(
      std::max(0, per_block - static_cast<int>(kernel.static_shared_bytes)));
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
