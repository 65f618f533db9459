// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SCALE_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SCALE_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// amp_update_scale_cuda_kernel: the scale of mixed precision grows or shrinks.
Decoder ScaleDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SCALE_CALL_H_
