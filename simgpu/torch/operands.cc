// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simgpu/base/config.h"
#include "simgpu/bytes/sparse_bytes.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/memory/memory.h"

namespace dltap::simgpu {
namespace {

uint32_t WordAt(const std::byte* from, size_t word) {
  uint32_t value = 0;
  std::memcpy(&value, from + word * sizeof(value), sizeof(value));
  return value;
}

void MakeFinite(const Range& numbers, ScalarType type) {
  for (size_t at = 0; at < numbers.bytes; at += SizeOf(type)) {
    if (!std::isfinite(LoadAs<double>(type, numbers.data + at))) {
      StoreAs<double>(type, numbers.data + at, 0);
    }
  }
}

}  // namespace

int64_t Offsets::elements() const {
  int64_t elements = 1;
  for (const Dimension& dimension : dimensions) elements *= dimension.size;
  return elements;
}

int64_t Offsets::ElementsOf(size_t operand) const {
  int64_t elements = 1;
  for (const Dimension& dimension : dimensions) {
    if (dimension.strides[operand] != 0) elements *= dimension.size;
  }
  return elements;
}

size_t Offsets::Extent(size_t operand, size_t element_bytes) const {
  size_t last = 0;
  for (const Dimension& dimension : dimensions) {
    last += size_t{dimension.size - 1} * dimension.strides[operand];
  }
  return last + element_bytes;
}

double Offsets::SectorBytes(size_t operand, size_t element_bytes) const {
  constexpr double kWarp = 32;
  constexpr double kSector = 32;
  if (dimensions.empty()) return kSector;
  const Dimension& inner = dimensions.front();
  // Threads side by side along the inner dimension.
  const double run = std::min<double>(kWarp, inner.size);
  const double stride = inner.strides[operand];
  const double span = run * std::min(std::max<double>(stride, element_bytes),
                                     kSector);
  const double sectors = stride == 0 ? 1 : std::max(1.0, span / kSector);
  return static_cast<double>(elements()) / run * sectors * kSector;
}

// {int dims; {unsigned divisor, m1, shift} sizes[25]; unsigned strides[25][n]}
std::optional<Offsets> ReadOffsets(const std::byte* from, size_t operands) {
  const size_t dimensions = WordAt(from, 0);
  if (dimensions > Offsets::kMaxDimensions ||
      operands > Offsets::kMaxOperands) {
    return std::nullopt;
  }
  Offsets offsets;
  int64_t elements = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    Offsets::Dimension dimension{.size = WordAt(from, 1 + 3 * i),
                                 .strides = {}};
    elements *= dimension.size;
    if (dimension.size == 0 || elements > INT32_MAX) return std::nullopt;
    for (size_t j = 0; j < operands; ++j) {
      dimension.strides[j] =
          WordAt(from, 1 + 3 * Offsets::kMaxDimensions + i * operands + j);
    }
    offsets.dimensions.push_back(dimension);
  }
  return offsets;
}

bool IsAllocated(const Range& range) {
  uintptr_t at = reinterpret_cast<uintptr_t>(range.data);
  const uintptr_t end = at + range.bytes;
  if (range.bytes == 0) return true;
  if (range.data == nullptr || end < at) return false;
  // A tensor may reach over several mappings of one reserved range.
  while (at < end) {
    const auto allocation = FindAllocation(reinterpret_cast<void*>(at));
    if (!allocation) return false;
    at = allocation->base + allocation->bytes;
  }
  return true;
}

// Permission but for what is moved.
Permission Permitted(int64_t elements, const std::vector<Range>& inputs,
                     const Range& output, ScalarType type) {
  if (elements > kMaxElements || !IsAllocated(output) ||
      !std::all_of(inputs.begin(), inputs.end(), IsAllocated)) {
    return {};
  }
  Freshness least = Freshness::kFresh;
  bool nothing_unknown_since = true;
  for (const Range& input : inputs) {
    if (input.bytes == 0) continue;
    least = std::min(least, FreshnessOf(input.data, input.bytes));
    nothing_unknown_since &= IsFreshSinceUnknownKernel(input.data, input.bytes);
  }
  const bool plausible = GetConfig().plausible_seed.has_value();
  if (plausible && least == Freshness::kStale &&
      std::any_of(inputs.begin(), inputs.end(), [](const Range& input) {
        return input.bytes > kMostPlausibleBytes;
      })) {
    return {};
  }
  if (elements <= kMaxSmallElements || plausible) {
    if (least == Freshness::kStale) {
      for (const Range& input : inputs) {
        AssumeValues(input.data, input.bytes, NumberTypeOf(input.type));
      }
    }
    return {.compute = true, .result = std::max(least, Freshness::kAssumed)};
  }
  const bool compute =
      least == Freshness::kFresh && (nothing_unknown_since || IsInteger(type));
  return {.compute = compute,
          .result = compute ? Freshness::kFresh : Freshness::kStale};
}

Permission MayCompute(int64_t elements, const std::vector<Range>& inputs,
                      const Range& output, ScalarType type) {
  Permission permission = Permitted(elements, inputs, output, type);
  if (GetConfig().plausible_seed && !inputs.empty()) {
    const Range& first = inputs.front();
    permission.moved = first.type == ScalarType::kUnknown
                           ? KnownTypeAt(first.data)
                           : NumberTypeOf(first.type);
  }
  return permission;
}

void MarkOutput(const Range& output, bool dense, const Permission& permission,
                ScalarType type) {
  const NumberType number =
      IsComputed(type) ? NumberTypeOf(type) : permission.moved;
  if (!permission.compute || permission.result == Freshness::kStale) {
    const bool zero =
        dense && IsInteger(type) && IsAllocated(output) &&
        output.bytes <= kMaxElements * sizeof(int64_t) &&
        !(GetConfig().plausible_seed && type == ScalarType::kBool);
    if (!zero) return MarkStale(output.data, output.bytes, number);
    ZeroBytes(output.data, output.bytes);
    return MarkAssumed(output.data, output.bytes, number);
  }
  if (permission.result == Freshness::kAssumed) {
    if (dense && IsReal(type)) MakeFinite(output, type);
    // Of bytes between its elements nothing is known that was not before.
    if (!dense && FreshnessOf(output.data, output.bytes) == Freshness::kStale) {
      return MarkStale(output.data, output.bytes, number);
    }
    return MarkAssumed(output.data, output.bytes, number);
  }
  if (dense) MarkFresh(output.data, output.bytes, number);
}

}  // namespace dltap::simgpu
