// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_FOREACH_CALL_H_
#define DLTAP_SIMGPU_TORCH_FOREACH_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// PyTorch's multi_tensor_apply_kernel(lists, functor, ...): one operation on
// lists of tensors. Few are computed; of the others the outputs are known.
Decoder ForeachDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_FOREACH_CALL_H_
