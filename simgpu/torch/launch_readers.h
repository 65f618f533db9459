// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_LAUNCH_READERS_H_
#define DLTAP_SIMGPU_TORCH_LAUNCH_READERS_H_

#include <cstdint>
#include <cstring>

#include "simgpu/torch/launch_cost.h"

namespace dltap::simgpu {

// Readers of launches (LaunchCostRule::read), by what a kernel's arguments
// are. Each returns nothing where the arguments do not look as expected.

template <typename T>
T ReadArgument(const LaunchView& launch, int index) {
  T value;
  std::memcpy(&value, launch.arguments[index], sizeof(value));
  return value;
}

// Whole rows: the kernels that opmodel knows as operations.
LaunchCost ReadLayerNorm(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadLayerNormGradient(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadSoftmaxRows(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadSoftmaxRowsGradient(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadSoftmaxSharedGradient(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadSoftmaxWarp(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadSoftmaxWarpGradient(const LaunchCostRule&, const LaunchView&);

// Attention, from the kernels' parameter structs.
LaunchCost ReadFlashAttention(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadFlashAttentionGradient(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadCutlassAttention(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadCutlassAttentionGradient(const LaunchCostRule&,
                                        const LaunchView&);

// Structs of PyTorch's own.
LaunchCost ReadReduction(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadTensorList(const LaunchCostRule&, const LaunchView&);
LaunchCost ReadConcatenation(const LaunchCostRule&, const LaunchView&);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_LAUNCH_READERS_H_
