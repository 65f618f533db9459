// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_ELEMENTWISE_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_ELEMENTWISE_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// PyTorch's kernels of one functor over all elements of some tensors:
// vectorized_elementwise_kernel(int n, f, array<char*> data)
// unrolled_elementwise_kernel(int n, f, array<char*> data, input offsets,
//                             output offsets, loader, storer)
// elementwise_kernel(int n, lambda{offsets, data, f[, types]})
// elementwise_kernel_with_index(n, f, result*)
Decoder ElementwiseDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_ELEMENTWISE_CALL_H_
