// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/write_targets.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPointer = sizeof(void*);

// Objects by the names of their types. What lies behind one on the caller's
// stack are often addresses, too, of tensors that the kernel has nothing to do
// with: only objects of known size are searched.
struct ObjectRow {
  std::string_view name_holds;
  // That may hold addresses to write to; kTold: the kernel's decoder says.
  size_t bytes;
};
constexpr size_t kTold = ~size_t{0};
constexpr size_t kUnknown = kTold - 1;

constexpr ObjectRow kObjects[] = {
    {"Functor", 0},
    {"LTOp", 0},
    {"GTOp", 0},
    {"ReduceAdd", 0},
    {"plus", 0},
    {"minus", 0},
    {"multiplies", 0},
    {"divides", 0},
    {"Philox", 0},
    {"OffsetCalculator", 0},
    {"IntDivider", 0},
    {"LoadWith", 0},
    {"StoreWith", 0},
    {"NormType", 0},
    {"Msg", 0},
    {"AccumulateType", 0},
    {"TensorSizeStride", 0},
    {"CatArrInputTensorMetadata", 0},
    {"TensorListMetadata", kTold},
    {"TensorListScalarListMetadata", kTold},
    {"ReduceOp", kTold},
    // {T* data; sizes; strides}
    {"TensorInfo", kPointer},
    {"TensorAccessor", kPointer},
    {"device_ptr", kPointer},
};

size_t BytesOfObject(std::string_view type) {
  const NameParts parts = TakeApart(type);
  if (!parts.lambdas.empty()) return kUnknown;
  // "std::array<char*, 2ul>"
  if (parts.name == "array" && parts.arguments.size() == 2) {
    return NumberIn(parts.arguments[1]) * kPointer;
  }
  const bool is_read = !parts.arguments.empty() &&
                       parts.arguments[0].ends_with(" const") &&
                       parts.name.starts_with("TensorInfo");
  if (is_read) return 0;
  const auto* row = std::find_if(
      std::begin(kObjects), std::end(kObjects),
      [&](const ObjectRow& candidate) {
        return parts.name.find(candidate.name_holds) != std::string_view::npos;
      });
  return row == std::end(kObjects) ? kUnknown : row->bytes;
}

size_t BytesToSearch(std::string_view type) {
  if (type.ends_with("const*") || type.ends_with("const&")) return 0;
  if (type.ends_with('*')) return kPointer;
  return SizeOf(ScalarTypeNamed(type)) > 0 ? 0 : BytesOfObject(type);
}

}  // namespace

WriteTargets::WriteTargets(std::string_view kernel) {
  for (const std::string_view type : ParametersOf(kernel)) {
    const size_t bytes = BytesToSearch(type);
    any_told_ |= bytes == kTold;
    any_unknown_ |= bytes == kUnknown;
    parameters_.push_back(bytes == kTold || bytes == kUnknown ? 0 : bytes);
    addresses_ += parameters_.back() / kPointer;
  }
}

std::optional<std::vector<WriteTarget>> WriteTargets::Of(
    const LaunchView& launch, bool is_told) const {
  if (parameters_.empty() || any_unknown_ || (any_told_ && !is_told)) {
    return std::nullopt;
  }
  std::vector<WriteTarget> targets;
  targets.reserve(addresses_);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t at = 0; at < parameters_[i]; at += kPointer) {
      targets.push_back({ReadAt<const void*>(Bytes(launch.arguments[i]) + at)});
    }
  }
  return targets;
}

}  // namespace dltap::simgpu
