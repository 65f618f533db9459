// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_CUB_CALL_H_
#define DLTAP_SIMGPU_TORCH_CUB_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// Kernels of CUB as PyTorch calls them, on pointers, counters and tests for
// non-zero: sums, selections (nonzero, masks, unique), prefix sums, sorts.
Decoder CubDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_CUB_CALL_H_
