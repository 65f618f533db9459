// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a cuda_take_put_kernel.
struct Kernel {
  ScalarType type;
  size_t element_bytes;
  bool puts;         // indexed[index] = x, else x = indexed[index]
  bool accumulates;  // indexed[index] += x
};

// Its lambda: {OffsetCalculator<2>: x, index; char* x; char* indices;
// int64_t numel; bool is_contiguous; OffsetCalculator<1>: indexed; f}, where f
// is {T* indexed}, or {int64_t numel; T* indexed} to accumulate.
struct Call {
  Kernel kernel;
  Offsets offsets;
  Offsets places;  // of the indexed tensor, in elements; empty: dense
  std::byte* x;
  std::byte* indices;
  int64_t numel;
  std::byte* indexed;

  Range X() const { return {x, offsets.Extent(0, kernel.element_bytes)}; }
  Range Indices() const {
    return {indices, offsets.Extent(1, sizeof(int64_t))};
  }
  Range Indexed() const {
    const size_t last = places.dimensions.empty()
                            ? static_cast<size_t>(numel) - 1
                            : places.Extent(0, 1) - 1;
    return {indexed, (last + 1) * kernel.element_bytes};
  }
};

void Compute(const Call& call) {
  const Kernel& kernel = call.kernel;
  for (int64_t i = 0; i < call.offsets.elements(); ++i) {
    const auto at = call.offsets.At(static_cast<uint32_t>(i));
    auto index = ReadAt<int64_t>(call.indices + at[1]);
    // A GPU would stop the program.
    if (index < -call.numel || index >= call.numel) continue;
    if (index < 0) index += call.numel;
    const size_t place = call.places.dimensions.empty()
                             ? static_cast<size_t>(index)
                             : call.places.At(static_cast<uint32_t>(index))[0];
    std::byte* x = call.x + at[0];
    std::byte* indexed = call.indexed + place * kernel.element_bytes;
    if (kernel.accumulates) {
      ComputeIn(kernel.type, [&]<typename C>(C) {
        StoreAs<C>(kernel.type, indexed,
                   LoadAs<C>(kernel.type, indexed) + LoadAs<C>(kernel.type, x));
      });
    } else if (kernel.puts) {
      std::memmove(indexed, x, kernel.element_bytes);
    } else {
      std::memmove(x, indexed, kernel.element_bytes);
    }
  }
}

std::optional<Call> ReadCall(const Kernel& kernel, const LaunchView& launch) {
  const std::byte* lambda = Bytes(launch.arguments[1]);
  auto offsets = ReadOffsets(lambda, 2);
  const std::byte* rest = lambda + AlignUp(OffsetsBytes(2), sizeof(void*));
  constexpr size_t kPlaces = 28;  // behind the flag, aligned to 4
  const std::byte* function =
      rest + AlignUp(kPlaces + OffsetsBytes(1), sizeof(void*));
  if (!offsets || offsets->elements() != ReadAt<int64_t>(launch.arguments[0])) {
    return std::nullopt;
  }
  Call call{
      .kernel = kernel,
      .offsets = std::move(*offsets),
      .places = {},
      .x = ReadAt<std::byte*>(rest),
      .indices = ReadAt<std::byte*>(rest + 8),
      .numel = ReadAt<int64_t>(rest + 16),
      .indexed = ReadAt<std::byte*>(function + (kernel.accumulates ? 8 : 0))};
  if (call.numel < 1 || call.numel > INT32_MAX) return std::nullopt;
  if (!ReadAt<bool>(rest + 24)) {
    auto places = ReadOffsets(rest + kPlaces, 1);
    if (!places || places->elements() != call.numel) return std::nullopt;
    call.places = std::move(*places);
  }
  return call;
}

DecodedLaunch Decode(const Kernel& kernel, const LaunchView& launch) {
  auto call = ReadCall(kernel, launch);
  if (!call) return {};
  const Range output = kernel.puts ? call->Indexed() : call->X();
  const int64_t elements = call->offsets.elements();
  // The rest of what is put into stays as it was.
  const bool dense =
      kernel.puts ||
      output.bytes == static_cast<size_t>(elements) * kernel.element_bytes;
  std::vector<Range> inputs = {call->Indexed(), call->Indices()};
  if (kernel.puts) inputs.push_back(call->X());
  return Computed({.elements = elements,
                   .type = kernel.type,
                   .inputs = std::move(inputs),
                   .outputs = {{output, kernel.type, dense}},
                   .compute = [call = std::move(*call)] { Compute(call); }});
}

}  // namespace

Decoder TakeDecoder(const NameParts& function) {
  if (function.arguments.size() < 3) return {};
  const NameParts step = TakeApart(function.arguments[2]);
  if (step.lambdas.empty()) return {};
  const bool puts = step.name == "put_kernel";
  const Kernel found{.type = MovedType(function.arguments[0]),
                     .element_bytes = SizeOfNamed(function.arguments[0]),
                     .puts = puts,
                     .accumulates = puts && step.lambdas.back().number == 1};
  if ((!puts && step.name != "take_kernel") || found.element_bytes == 0 ||
      found.element_bytes > 8 ||
      (found.accumulates && !IsComputed(found.type))) {
    return {};
  }
  return DecodeBy(Decode, found);
}

}  // namespace dltap::simgpu
