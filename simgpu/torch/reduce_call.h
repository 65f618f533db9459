// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_REDUCE_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_REDUCE_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// PyTorch's reduce_kernel<threads, vector, ReduceOp<input, ops, unsigned int,
// output, ...>>(ReduceOp): any, all, sum, mean, maximum, minimum, 2-norm.
Decoder ReduceDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_REDUCE_CALL_H_
