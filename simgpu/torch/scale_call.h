// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_SCALE_CALL_H_
#define DLTAP_SIMGPU_TORCH_SCALE_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// amp_update_scale_cuda_kernel: the scale of mixed precision grows or shrinks.
Decoder ScaleDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_SCALE_CALL_H_
