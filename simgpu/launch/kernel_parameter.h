// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_KERNEL_PARAMETER_H_
#define DLTAP_SIMGPU_LAUNCH_KERNEL_PARAMETER_H_

#include <cstddef>

namespace dltap::simgpu {

struct KernelParameter {
  size_t offset;
  size_t bytes;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_KERNEL_PARAMETER_H_
