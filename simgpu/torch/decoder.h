// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_DECODER_H_
#define DLTAP_SIMGPU_TORCH_DECODER_H_

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {

// For the kernels of PyTorch, of CUB, TensorFlow and MXNet that are understood, by
// name. Empty: not one of them.
Decoder FindDecoder(const NameParts& kernel);

// The time of a launch, where it tells of one.
struct LaunchCost {
  double bytes = 0;         // of all operands
  int64_t duration_ns = 0;  // of the operation
};
LaunchCost CostOf(const DecodedLaunch& launch, const opmodel::GpuSpec& gpu);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_DECODER_H_
