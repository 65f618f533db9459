// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/write_targets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

// Objects by their types, of which nothing but the name is known here. What
// lies behind an object on the caller's stack are often addresses, too, of
// tensors that the kernel has nothing to do with.
struct ObjectRow {
  std::string_view name_holds;
  size_t bytes;  // that may hold addresses to write to
};

constexpr size_t kPointer = sizeof(void*);
// A lambda or functor: some captured pointers and numbers.
constexpr size_t kUsualObject = 256;

constexpr ObjectRow kObjects[] = {
    {"Philox", 0},
    {"OffsetCalculator", 0},
    {"LoadWith", 0},
    {"StoreWith", 0},
    // {T* data; sizes; strides}
    {"TensorInfo<", kPointer},
    {"TensorAccessor", kPointer},
    // All parameters of a kernel together have at most 4 KiB ("CUDA C++
    // Programming Guide", function parameters).
    {"TensorListMetadata", 4096},
    {"TensorListScalarListMetadata", 4096},
    {"CatArrInputTensorMetadata", 0},
};

size_t BytesOfObject(std::string_view type) {
  const NameParts parts = TakeApart(type);
  // "std::array<char*, 2ul>"
  if (parts.name == "array" && parts.arguments.size() == 2) {
    return NumberIn(parts.arguments[1]) * kPointer;
  }
  const bool is_read = !parts.arguments.empty() &&
                       parts.arguments[0].ends_with(" const") &&
                       parts.name.starts_with("TensorInfo");
  if (is_read) return 0;
  const auto* row = std::find_if(std::begin(kObjects), std::end(kObjects),
                                 [&](const ObjectRow& candidate) {
                                   return type.find(candidate.name_holds) !=
                                          std::string_view::npos;
                                 });
  return row == std::end(kObjects) ? kUsualObject : row->bytes;
}

size_t BytesToSearch(std::string_view type) {
  if (type.ends_with("const*")) return 0;
  if (type.ends_with('*')) return kPointer;
  return SizeOf(ScalarTypeNamed(type)) > 0 ? 0 : BytesOfObject(type);
}

uintptr_t Number(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

// The object ends at the latest where the next argument lies, and where the
// caller's memory does.
size_t Bounded(const void* object, size_t bytes,
               std::span<void* const> arguments) {
  for (const void* other : arguments) {
    if (Number(other) > Number(object)) {
      bytes = std::min(bytes, Number(other) - Number(object));
    }
  }
  return bytes <= kPointer || ArePagesMapped(object, bytes) ? bytes : kPointer;
}

void AddAddressesIn(const void* object, size_t bytes,
                    std::vector<const void*>* targets) {
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const auto* address = ReadAt<const void*>(Bytes(object) + at);
    if (OverlapsAllocation(address, 1)) targets->push_back(address);
  }
}

}  // namespace

WriteTargets::WriteTargets(std::string_view kernel) {
  for (const std::string_view type : ParametersOf(kernel)) {
    parameters_.push_back(BytesToSearch(type));
  }
}

std::optional<std::vector<const void*>> WriteTargets::Of(
    const LaunchView& launch) const {
  if (parameters_.empty()) return std::nullopt;
  const std::span arguments(launch.arguments, parameters_.size());
  std::vector<const void*> targets;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i] == kPointer) {
      targets.push_back(ReadAt<const void*>(arguments[i]));
    } else if (parameters_[i] > 0) {
      AddAddressesIn(arguments[i],
                     Bounded(arguments[i], parameters_[i], arguments),
                     &targets);
    }
  }
  return targets;
}

}  // namespace dltap::simgpu
