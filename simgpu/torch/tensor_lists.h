// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_
#define DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {

// What PyTorch's multi_tensor_apply_kernel is given first.
struct TensorLists {
  static constexpr size_t kMaxLists = 5;
  static constexpr int64_t kChunkElements = 65536;

  size_t lists = 0;    // each has the same tensors by shape
  size_t columns = 0;  // arrays of a number for each tensor
};

// "TensorListMetadata<2>", and the fused optimizers' one, which holds the
// addresses of the step counts as well. nullopt: neither.
std::optional<TensorLists> FindTensorLists(const NameParts& metadata);

// A tensor of each list.
struct ListedTensor {
  std::array<std::byte*, TensorLists::kMaxLists> addresses{};
  int64_t elements = 0;
  int64_t moved = 0;  // elements in the chunks of this launch

  bool IsWhole() const { return moved == elements; }
};

// Those that the blocks of this launch own, in order. nullopt: the argument is
// not laid out as it is in any release.
std::optional<std::vector<ListedTensor>> ReadTensorLists(
    const TensorLists& kind, const LaunchView& launch);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_
