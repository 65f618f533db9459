// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_INDEX_CALL_H_
#define DLTAP_SIMGPU_TORCH_INDEX_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// x[index], x[index] = y (index_elementwise_kernel), and write_indices, which
// makes coordinates of the flat indices that nonzero() has found.
Decoder IndexDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_INDEX_CALL_H_
