// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CUB_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CUB_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// Kernels of CUB as PyTorch calls them, on pointers, counters and tests for
// non-zero: sums, selections (nonzero, masks, unique), prefix sums, sorts.
Decoder CubDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CUB_CALL_H_
