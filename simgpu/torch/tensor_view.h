// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_TENSOR_VIEW_H_
#define DLTAP_SIMGPU_TORCH_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// A tensor as kernels get it by value. The last dimension is the fastest, as
// elements are counted; strides are in elements.
struct TensorView {
  struct Dimension {
    int64_t size;
    int64_t stride;
  };

  std::byte* data = nullptr;
  size_t element_bytes = 0;
  std::vector<Dimension> dimensions;

  int64_t elements() const;
  std::byte* At(int64_t element) const;
  // From the first to behind the last element of it and of `more`, which lies
  // beside each.
  Range All(Dimension more = {1, 0}) const;
};

// at::cuda::detail::TensorInfo<T, index>: {T* data; index sizes[25]; index
// strides[25]; int dims}. nullopt: that cannot be one.
std::optional<TensorView> ReadTensorInfo(const void* from,
                                         std::string_view index,
                                         size_t element_bytes);

// A number of a kernel's index type: "int", "unsigned int", or one of eight
// bytes.
int64_t ReadIndex(std::string_view index, const void* from);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_TENSOR_VIEW_H_
