// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_SORT_CALL_H_
#define DLTAP_SIMGPU_TORCH_SORT_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// CUB's radix sorts: the one-block kernel, and the passes of the large one.
Decoder SortDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_SORT_CALL_H_
