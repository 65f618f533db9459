// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_INDEX_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_INDEX_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// x[index], x[index] = y (index_elementwise_kernel), and write_indices, which
// makes coordinates of the flat indices that nonzero() has found.
Decoder IndexDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_INDEX_CALL_H_
