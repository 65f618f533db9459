// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/tensor_view.h"

#include "simgpu/torch/decoded_launch.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kMaxDimensions = 25;  // MAX_TENSORINFO_DIMS

}  // namespace

int64_t TensorView::elements() const {
  int64_t elements = 1;
  for (const Dimension& dimension : dimensions) elements *= dimension.size;
  return elements;
}

std::byte* TensorView::At(int64_t element) const {
  int64_t offset = 0;
  for (size_t i = dimensions.size(); i-- > 0;) {
    offset += element % dimensions[i].size * dimensions[i].stride;
    element /= dimensions[i].size;
  }
  return data + offset * static_cast<int64_t>(element_bytes);
}

Range TensorView::All(Dimension more) const {
  int64_t last = (more.size - 1) * more.stride;
  for (const Dimension& dimension : dimensions) {
    last += (dimension.size - 1) * dimension.stride;
  }
  return {data, static_cast<size_t>(last + 1) * element_bytes};
}

int64_t ReadIndex(std::string_view index, const void* from) {
  if (index == "unsigned int") return ReadAt<uint32_t>(from);
  if (index == "int") return ReadAt<int32_t>(from);
  return ReadAt<int64_t>(from);
}

std::optional<TensorView> ReadTensorInfo(const void* from,
                                         std::string_view index,
                                         size_t element_bytes) {
  const size_t index_bytes = SizeOf(ScalarTypeNamed(index));
  const std::byte* sizes = Bytes(from) + sizeof(void*);
  const std::byte* strides = sizes + kMaxDimensions * index_bytes;
  const auto dims = ReadAt<int32_t>(strides + kMaxDimensions * index_bytes);
  if (index_bytes < 4 || element_bytes == 0 || dims < 0 ||
      dims > static_cast<int32_t>(kMaxDimensions)) {
    return std::nullopt;
  }
  TensorView view{.data = ReadAt<std::byte*>(from),
                  .element_bytes = element_bytes,
                  .dimensions = {}};
  int64_t elements = 1;
  for (size_t i = 0; i < static_cast<size_t>(dims); ++i) {
    const int64_t size = ReadIndex(index, sizes + i * index_bytes);
    const int64_t stride = ReadIndex(index, strides + i * index_bytes);
    elements *= size;
    if (size < 1 || stride < 0 || elements < 1 || elements > INT32_MAX) {
      return std::nullopt;
    }
    view.dimensions.push_back({size, stride});
  }
  return view;
}

}  // namespace dltap::simgpu
