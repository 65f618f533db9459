// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "simgpu/torch/combination.h"
#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel.
struct Scatter {
  const Combination* combination = nullptr;  // null: only moves bytes
  ScalarType type = ScalarType::kUnknown;    // of what is moved or reduced
  size_t element_bytes = 0;
  ScalarType index = ScalarType::kInt64;
  bool gathers = false;  // out[i] = x[index[i]]; else out[index[i]] = x[i]
  bool fills = false;    // out[index[i]] = a number
};

// The lambda: {OffsetCalculator<3 or 2>: self, source, index; index* indices;
// int64_t size; f; char* self; int64_t stride; int64_t elements; char* source,
// or the number}.
struct Call {
  Scatter kernel;
  Offsets offsets;
  std::byte* indices;
  int64_t size;    // of the indexed dimension
  int64_t stride;  // of it, in elements
  std::byte* self;
  const std::byte* source;  // null: the number
  std::array<std::byte, 8> number{};

  size_t index_operand() const { return kernel.fills ? 1 : 2; }
  size_t bytes() const { return kernel.element_bytes; }
  size_t Reach() const {
    return static_cast<size_t>((size - 1) * stride) * bytes();
  }
  Range Self() const {
    return {self, offsets.Extent(0, bytes()) + (kernel.gathers ? 0 : Reach())};
  }
  Range Source() const {
    if (source == nullptr) return {};
    return {const_cast<std::byte*>(source),
            offsets.Extent(1, bytes()) + (kernel.gathers ? Reach() : 0)};
  }
  Range Indices() const {
    return {indices, offsets.Extent(index_operand(), SizeOf(kernel.index))};
  }
};

void Put(const Scatter& kernel, std::byte* to, const std::byte* from) {
  if (kernel.combination == nullptr) {
    std::memmove(to, from, kernel.element_bytes);
  } else if (IsReal(kernel.type)) {
    StoreAs<double>(
        kernel.type, to,
        kernel.combination->real(LoadAs<double>(kernel.type, to),
                                 LoadAs<double>(kernel.type, from)));
  } else {
    StoreAs<int64_t>(
        kernel.type, to,
        kernel.combination->integer(LoadAs<int64_t>(kernel.type, to),
                                    LoadAs<int64_t>(kernel.type, from)));
  }
}

void Compute(const Call& call) {
  for (int64_t i = 0; i < call.offsets.elements(); ++i) {
    const auto at = call.offsets.At(static_cast<uint32_t>(i));
    const auto index = LoadAs<int64_t>(call.kernel.index,
                                       call.indices + at[call.index_operand()]);
    // A GPU would stop the program.
    if (index < 0 || index >= call.size) continue;
    const int64_t moved =
        index * call.stride * static_cast<int64_t>(call.bytes());
    const std::byte* from =
        call.source == nullptr
            ? call.number.data()
            : call.source + at[1] + (call.kernel.gathers ? moved : 0);
    Put(call.kernel, call.self + at[0] + (call.kernel.gathers ? 0 : moved),
        from);
  }
}

std::optional<Call> ReadCall(const Scatter& kernel, const LaunchView& launch) {
  const std::byte* lambda = Bytes(launch.arguments[1]);
  const size_t operands = kernel.fills ? 2 : 3;
  auto offsets = ReadOffsets(lambda, operands);
  const std::byte* rest =
      lambda + AlignUp(OffsetsBytes(operands), sizeof(void*));
  if (!offsets || offsets->elements() != ReadAt<int32_t>(launch.arguments[0])) {
    return std::nullopt;
  }
  Call call{.kernel = kernel,
            .offsets = std::move(*offsets),
            .indices = ReadAt<std::byte*>(rest),
            .size = ReadAt<int64_t>(rest + 8),
            .stride = ReadAt<int64_t>(rest + 32),
            .self = ReadAt<std::byte*>(rest + 24),
            .source = nullptr};
  if (kernel.fills) {
    std::memcpy(call.number.data(), rest + 48, call.number.size());
  } else {
    call.source = ReadAt<const std::byte*>(rest + 48);
  }
  if (call.size < 1 || call.stride < 0) return std::nullopt;
  return call;
}

DecodedLaunch Decode(const Scatter& kernel, const LaunchView& launch) {
  auto call = ReadCall(kernel, launch);
  if (!call) return {};
  const Range self = call->Self();
  const bool dense =
      kernel.gathers &&
      self.bytes ==
          static_cast<size_t>(call->offsets.elements()) * kernel.element_bytes;
  std::vector<Range> inputs = {call->Indices(), call->Source()};
  // The rest of what is scattered to stays as it was.
  if (!kernel.gathers) inputs.push_back(self);
  const bool keeps = !kernel.gathers;
  return Computed({.elements = call->offsets.elements(),
                   .type = kernel.type,
                   .inputs = std::move(inputs),
                   .outputs = {{self, kernel.type, dense || keeps}},
                   .compute = [call = std::move(*call)] { Compute(call); }});
}

}  // namespace

Decoder ScatterDecoder(const NameParts& kernel) {
  constexpr std::string_view kFills = "_cuda_scatter_fill_internal_kernel";
  constexpr std::string_view kMoves = "_cuda_scatter_gather_internal_kernel";
  if (kernel.arguments.size() != 3) return {};
  const NameParts function = TakeApart(kernel.arguments[2]);
  Scatter found{.fills = function.name == kFills};
  const size_t type_at = found.fills ? 0 : 1;
  if ((!found.fills && function.name != kMoves) ||
      function.arguments.size() <= type_at) {
    return {};
  }
  found.gathers = !found.fills && function.arguments[0] == "false";
  const std::string_view type = function.arguments[type_at];
  found.element_bytes = SizeOfNamed(type);
  found.type = MovedType(type);
  if (function.arguments.size() > type_at + 1) {
    found.index = ScalarTypeNamed(function.arguments[type_at + 1]);
  }
  const std::string_view reduction = kernel.arguments[2];
  const bool assigns = reduction.find("TensorAssign") != std::string_view::npos;
  found.combination = assigns ? nullptr : FindCombination(reduction);
  if ((!assigns && found.combination == nullptr) || found.element_bytes == 0 ||
      found.element_bytes > 8 || SizeOf(found.index) == 0 ||
      (!assigns && !IsComputed(found.type))) {
    return {};
  }
  return DecodeBy(Decode, found);
}

}  // namespace dltap::simgpu
