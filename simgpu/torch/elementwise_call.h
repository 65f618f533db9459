// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_ELEMENTWISE_CALL_H_
#define DLTAP_SIMGPU_TORCH_ELEMENTWISE_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// PyTorch's kernels of one functor over all elements of some tensors:
// vectorized_elementwise_kernel(int n, f, array<char*> data)
// unrolled_elementwise_kernel(int n, f, array<char*> data, input offsets,
//                             output offsets, loader, storer)
// elementwise_kernel(int n, lambda{offsets, data, f[, types]})
// elementwise_kernel_with_index(n, f, result*)
Decoder ElementwiseDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_ELEMENTWISE_CALL_H_
