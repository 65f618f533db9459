// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_KERNEL_ATTRIBUTES_H_
#define DLTAP_SIMGPU_LAUNCH_KERNEL_ATTRIBUTES_H_

#include <cstddef>

#include "simgpu/base/error.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

// Attributes that can be set, numbered as cudaFuncAttribute and
// CUfunction_attribute. kInvalidValue: not one of them, or out of range.
Error SetKernelAttribute(Kernel& kernel, int attribute, int value,
                         const Device& device);

// The most blocks of a cluster of this kernel; 1: the GPU has no clusters.
int MaxClusterSize(const Kernel& kernel, const Device& device);

// kInvalidClusterSize when the GPU cannot run clusters of these blocks.
Error CheckCluster(const Kernel& kernel, const Dim3& cluster, const Dim3& grid,
                   const Device& device);

struct ClusterLaunch {
  Dim3 cluster{0, 0, 0};
  Dim3 grid;
  Dim3 block;
  size_t dynamic_shared_bytes = 0;
};
// How many clusters of the launch the device can hold at a time.
Error MaxActiveClusters(const Kernel& kernel, const ClusterLaunch& launch,
                        const Device& device, int* clusters);

// Place and size of a parameter. kInvalidValue: there is none of this number;
// kNotSupported: the image does not tell.
Error ParameterOf(const Kernel& kernel, size_t index, size_t* offset,
                  size_t* bytes);

// Dynamic shared memory of a block when so many blocks share an SM.
Error AvailableSharedBytes(const Kernel& kernel, int blocks, int block_threads,
                           const Device& device, size_t* bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_KERNEL_ATTRIBUTES_H_
