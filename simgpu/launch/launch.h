// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LAUNCH_H_
#define DLTAP_SIMGPU_LAUNCH_LAUNCH_H_

#include <cstdint>
#include <memory>

#include "simgpu/base/error.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/stream/stream.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

struct LaunchParameters {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster{0, 0, 0};
  uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool programmatic = false;   // cudaLaunchAttributeProgrammaticStream...
  void** arguments = nullptr;  // as in cuLaunchKernel; may be null
};

// The work of one launch after the documented checks: kInvalidConfiguration for
// impossible geometry, kInvalidValue for too much shared memory,
// kCooperativeLaunchTooLarge.
Error MakeKernelWork(const Kernel& kernel, const LaunchParameters& parameters,
                     const Device& device, KernelWork* work);

Error LaunchKernel(const Kernel& kernel, const LaunchParameters& parameters,
                   Stream& stream);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LAUNCH_H_
