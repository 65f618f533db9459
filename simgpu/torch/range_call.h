// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_RANGE_CALL_H_
#define DLTAP_SIMGPU_TORCH_RANGE_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// PyTorch's elementwise_kernel_with_index(n, f, T* result) with the lambda of
// arange.
Decoder RangeDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_RANGE_CALL_H_
