// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_RANGE_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_RANGE_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// PyTorch's elementwise_kernel_with_index(n, f, T* result) with the lambda of
// arange.
Decoder RangeDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_RANGE_CALL_H_
