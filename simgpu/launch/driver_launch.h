// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_DRIVER_LAUNCH_H_
#define DLTAP_SIMGPU_LAUNCH_DRIVER_LAUNCH_H_

#include "simgpu/base/error.h"
#include "simgpu/launch/library_kernel.h"

namespace dltap::simgpu {

// Launches the kernel of a simulated library as NVIDIA's libraries do, whose
// static runtime has the driver's functions from cuGetProcAddress_v2: by the
// address of cuLaunchKernel in the libcuda that is loaded or found.
// REQUIRES: devices are initialised.
Error LaunchByDriver(void* stream, const LibraryKernel& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_DRIVER_LAUNCH_H_
