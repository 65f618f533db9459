// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_
#define DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// PyTorch's reduce_kernel<threads, vector, ReduceOp<input, ops, unsigned int,
// output, ...>>(ReduceOp): any, all, sum, mean, maximum, minimum, 2-norm.
Decoder ReduceDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_
