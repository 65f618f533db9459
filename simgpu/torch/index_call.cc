// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simgpu/memory/memory.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kUsualElementBytes = 4;  // where the type is not known

struct IndexedDimension {
  const std::byte* indices;  // int64_t
  int64_t size;
  int64_t stride_bytes;
};

// One launch of index_elementwise_kernel, decoded.
struct Call {
  size_t element_bytes = 0;
  bool writes = false;  // x[index] = y, else y = x[index]
  int64_t elements = 0;
  Offsets offsets;  // of output, input, index
  std::byte* output = nullptr;
  std::byte* input = nullptr;
  std::vector<IndexedDimension> dimensions;

  Range Output() const {
    return {output,
            writes ? IndexedExtent(0) : offsets.Extent(0, element_bytes)};
  }
  Range Input() const {
    return {input,
            writes ? offsets.Extent(1, element_bytes) : IndexedExtent(1)};
  }
  // The tensor that is indexed reaches at most this far.
  size_t IndexedExtent(size_t operand) const {
    size_t extent = offsets.Extent(operand, element_bytes);
    for (const IndexedDimension& dimension : dimensions) {
      extent +=
          static_cast<size_t>((dimension.size - 1) * dimension.stride_bytes);
    }
    return extent;
  }
};

// nullopt: out of bounds, where the GPU would stop the program.
std::optional<int64_t> IndexedOffset(const Call& call, uint32_t index_offset) {
  int64_t offset = 0;
  for (const IndexedDimension& dimension : call.dimensions) {
    auto index = ReadAt<int64_t>(dimension.indices + index_offset);
    if (index < -dimension.size || index >= dimension.size) return std::nullopt;
    if (index < 0) index += dimension.size;
    offset += index * dimension.stride_bytes;
  }
  return offset;
}

void Compute(const Call& call) {
  for (int64_t i = 0; i < call.elements; ++i) {
    const auto at = call.offsets.At(static_cast<uint32_t>(i));
    const auto offset = IndexedOffset(call, at[2]);
    if (!offset) continue;
    std::memmove(call.output + at[0] + (call.writes ? *offset : 0),
                 call.input + at[1] + (call.writes ? 0 : *offset),
                 call.element_bytes);
  }
}

void Run(const Call& call) {
  const Range output = call.Output();
  std::vector<Range> inputs = {call.Input()};
  for (const IndexedDimension& dimension : call.dimensions) {
    inputs.push_back({const_cast<std::byte*>(dimension.indices),
                      call.offsets.Extent(2, sizeof(int64_t))});
  }
  const Permission permission = MayCompute(call.elements, inputs, output);
  if (permission.compute) Compute(call);
  const bool dense =
      !call.writes &&
      output.bytes == static_cast<size_t>(call.elements) * call.element_bytes;
  MarkOutput(output, dense, permission);
}

// What the name tells of an index_elementwise_kernel.
struct Indexing {
  size_t element_bytes = 0;
  bool computed = false;
  bool writes = false;
};

// The lambda of gpu_index_kernel: {OffsetCalculator<3>; char* out; char* in;
// size_t n; char* indices[25]; int64_t sizes[25]; int64_t strides[25]; f}.
std::optional<Call> ReadCall(const Indexing& kernel, const LaunchView& launch) {
  constexpr size_t kTable = Offsets::kMaxDimensions * sizeof(int64_t);
  const std::byte* lambda = Bytes(launch.arguments[1]);
  auto offsets = ReadOffsets(lambda, 3);
  const std::byte* rest = lambda + AlignUp(OffsetsBytes(3), sizeof(void*));
  Call call{.element_bytes = kernel.element_bytes,
            .writes = kernel.writes,
            .elements = ReadAt<int64_t>(launch.arguments[0]),
            .offsets = {},
            .output = ReadAt<std::byte*>(rest),
            .input = ReadAt<std::byte*>(rest + 8),
            .dimensions = {}};
  const auto count = ReadAt<uint64_t>(rest + 16);
  if (!offsets || offsets->elements() != call.elements || count == 0 ||
      count > Offsets::kMaxDimensions) {
    return std::nullopt;
  }
  call.offsets = std::move(*offsets);
  for (size_t i = 0; i < count; ++i) {
    const std::byte* entry = rest + 24 + i * sizeof(int64_t);
    call.dimensions.push_back({ReadAt<std::byte*>(entry),
                               ReadAt<int64_t>(entry + kTable),
                               ReadAt<int64_t>(entry + 2 * kTable)});
    if (call.dimensions.back().size <= 0 ||
        call.dimensions.back().stride_bytes < 0) {
      return std::nullopt;
    }
  }
  return call;
}

// index_elementwise_kernel(int64_t n, lambda)
DecodedLaunch DecodeIndexing(const Indexing& kernel, const LaunchView& launch) {
  Operand output{.range = {},
                 .elements = ReadAt<int64_t>(launch.arguments[0]),
                 .element_bytes = kernel.element_bytes,
                 .access = Operand::kWrite};
  Operand input = output;
  input.access = Operand::kRead;
  DecodedLaunch decoded;
  auto call = kernel.computed ? ReadCall(kernel, launch) : std::nullopt;
  if (call) {
    output.range = call->Output();
    input.range = call->Input();
    decoded.effect = EffectOf(std::move(*call));
  }
  decoded.Add(output);
  decoded.Add(input);
  return decoded;
}

// gpu_index_kernel<index_kernel_impl<OpaqueType<8> >(...)::{lambda...}>, or
// another function of such a type
Decoder IndexingDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() != 3) return {};
  NameParts function = TakeApart(kernel.arguments[2]);
  const bool loop = function.name == "gpu_index_kernel";
  if (loop && !function.arguments.empty()) {
    function = TakeApart(function.arguments[0]);
  }
  Indexing found;
  if (!function.arguments.empty()) {
    found.element_bytes = SizeOfNamed(function.arguments[0]);
  }
  found.writes = function.name == "index_put_kernel_impl";
  found.computed = loop && found.element_bytes > 0 &&
                   (found.writes || function.name == "index_kernel_impl");
  if (found.element_bytes == 0) found.element_bytes = kUsualElementBytes;
  return DecodeBy(DecodeIndexing, found);
}

// write_indices(int64_t* indices, {T sizes[25]}, int dims, T n, ...): indices
// is dims x n; its first row holds flat indices.
struct Coordinates {
  std::byte* indices;
  std::vector<int64_t> sizes;
  int64_t count;
};

void Run(const Coordinates& call) {
  const int64_t elements = call.count * static_cast<int64_t>(call.sizes.size());
  const Range output{call.indices, static_cast<size_t>(elements) * 8};
  const Range input{call.indices, static_cast<size_t>(call.count) * 8};
  const Permission permission = MayCompute(elements, {input}, output);
  for (int64_t i = 0; permission.compute && i < call.count; ++i) {
    auto flat = ReadAt<int64_t>(call.indices + i * 8);
    for (size_t dim = call.sizes.size(); dim-- > 0;) {
      // A place below zero stands for none (nonzero_static fills with -1).
      const int64_t coordinate = flat < 0 ? flat : flat % call.sizes[dim];
      if (flat > 0) flat /= call.sizes[dim];
      std::memcpy(
          call.indices + (static_cast<int64_t>(dim) * call.count + i) * 8,
          &coordinate, sizeof(coordinate));
    }
  }
  MarkOutput(output, true, permission);
}

DecodedLaunch DecodeCoordinates(const bool& wide, const LaunchView& launch) {
  const auto integer = [wide](const std::byte* table, size_t i) {
    return wide ? ReadAt<int64_t>(table + 8 * i)
                : int64_t{ReadAt<int32_t>(table + 4 * i)};
  };
  Coordinates call{.indices = ReadAt<std::byte*>(launch.arguments[0]),
                   .sizes = {},
                   .count = integer(Bytes(launch.arguments[3]), 0)};
  const auto dims = ReadAt<int32_t>(launch.arguments[2]);
  if (dims < 1 || dims > static_cast<int32_t>(Offsets::kMaxDimensions) ||
      call.count < 1) {
    return {};
  }
  for (size_t i = 0; i < static_cast<size_t>(dims); ++i) {
    call.sizes.push_back(integer(Bytes(launch.arguments[1]), i));
    if (call.sizes.back() < 1) return {};
  }
  return WithEffect(EffectOf(std::move(call)));
}

}  // namespace

Decoder IndexDecoder(const NameParts& kernel) {
  if (kernel.name == "index_elementwise_kernel") {
    if (kernel.arguments.size() == 3) {
      const NameParts function = TakeApart(kernel.arguments[2]);
      if (function.name == "cuda_take_put_kernel") return TakeDecoder(function);
    }
    Decoder moves = MoveDecoder(kernel);
    return moves ? moves : IndexingDecoder(kernel);
  }
  if (kernel.name != "write_indices" || kernel.arguments.empty()) return {};
  const bool wide = kernel.arguments[0] == "long";
  if (!wide && kernel.arguments[0] != "int") return {};
  return DecodeBy(DecodeCoordinates, wide);
}

}  // namespace dltap::simgpu
