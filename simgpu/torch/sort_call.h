// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SORT_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SORT_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// CUB's radix sorts: the one-block kernel, and the passes of the large one.
Decoder SortDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SORT_CALL_H_
