// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/tensor_view.h"

namespace dltap::simgpu {
namespace {

// Elements of a tensor, of a type or of a number of bytes.
struct Element {
  ScalarType type = ScalarType::kUnknown;
  size_t bytes = 0;
};

Element ElementNamed(std::string_view name) {
  return {MovedType(name), SizeOfNamed(name)};
}

// roll_cuda_kernel<T>(T const* from, T* to, int64_t elements, int64_t
// dimension, int64_t start, int64_t size, int64_t stride, int64_t dimensions)
DecodedLaunch DecodeRoll(const Element& element, const LaunchView& launch) {
  const auto integer = [&](size_t i) {
    return ReadAt<int64_t>(launch.arguments[i]);
  };
  const int64_t count = integer(2);
  const int64_t start = integer(4);
  const int64_t size = integer(5);
  const int64_t stride = integer(6);
  if (count < 1 || size < 1 || stride < 1 || start < 0 || start >= size ||
      count % (size * stride) != 0) {
    return {};
  }
  const size_t bytes = static_cast<size_t>(count) * element.bytes;
  auto* from = ReadAt<std::byte*>(launch.arguments[0]);
  auto* to = ReadAt<std::byte*>(launch.arguments[1]);
  DecodedLaunch decoded =
      Computed({.elements = count,
                .type = element.type,
                .inputs = {{from, bytes}},
                .outputs = {{{to, bytes}, element.type}},
                .compute = [=, step = static_cast<int64_t>(element.bytes)] {
                  for (int64_t i = 0; i < count; ++i) {
                    const int64_t place = i / stride % size;
                    const int64_t moved = (place + start) % size - place;
                    std::copy_n(from + (i + moved * stride) * step, step,
                                to + i * step);
                  }
                }});
  for (const auto& [at, access] :
       {std::pair(from, Operand::kRead), std::pair(to, Operand::kWrite)}) {
    decoded.Add({.range = {at, bytes, element.type},
                 .elements = count,
                 .element_bytes = element.bytes,
                 .type = element.type,
                 .access = access});
  }
  return decoded;
}

// triu_tril_kernel<T, index, bool upper, ..>(TensorInfo to, TensorInfo from,
// int64_t diagonal, ...): the other side becomes zero.
struct Triangle {
  Element element;
  std::string index;
  bool upper;
};

DecodedLaunch DecodeTriangle(const Triangle& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const size_t bytes = kernel.element.bytes;
  const auto to = ReadTensorInfo(arguments[0], kernel.index, bytes);
  const auto from = ReadTensorInfo(arguments[1], kernel.index, bytes);
  const auto diagonal = ReadAt<int64_t>(arguments[2]);
  if (!to || !from || to->dimensions.size() < 2 ||
      to->elements() != from->elements()) {
    return {};
  }
  const Range output = to->All();
  const int64_t count = to->elements();
  return Computed(
      {.elements = count,
       .type = kernel.element.type,
       .inputs = {from->All()},
       .outputs = {{output, kernel.element.type,
                    output.bytes == static_cast<size_t>(count) * bytes}},
       .compute = [=, to = *to, from = *from, upper = kernel.upper] {
         const int64_t columns = to.dimensions.back().size;
         const int64_t rows = to.dimensions[to.dimensions.size() - 2].size;
         for (int64_t i = 0; i < count; ++i) {
           const int64_t above = i % columns - i / columns % rows - diagonal;
           if (upper ? above >= 0 : above <= 0) {
             std::copy_n(from.At(i), bytes, to.At(i));
           } else {
             std::fill_n(to.At(i), bytes, std::byte{0});
           }
         }
       }});
}

enum class Move : uint8_t { kCopy, kFill, kFlip };

// The lambda of an index_elementwise_kernel(int64_t n, lambda).
struct Indexed {
  Element element;
  Move move;
};

// {OffsetCalculator<3 or 2>: self, index, source; char* self; int64_t* index;
// [char* source;] int64_t size; int64_t stride; [a number]}
struct IndexedCall {
  Element element;
  Offsets offsets;
  std::byte* self;
  std::byte* index;
  std::byte* source;  // null: the number
  int64_t size;
  int64_t stride;  // of the indexed dimension, in elements
  std::array<std::byte, 8> number{};
};

void Compute(const IndexedCall& call) {
  for (int64_t i = 0; i < call.offsets.elements(); ++i) {
    const auto at = call.offsets.At(static_cast<uint32_t>(i));
    auto index = ReadAt<int64_t>(call.index + at[1]);
    if (index < 0) index += call.size;
    if (index < 0 || index >= call.size) continue;  // a GPU stops the program
    std::copy_n(
        call.source == nullptr ? call.number.data() : call.source + at[2],
        call.element.bytes,
        call.self + at[0] +
            index * call.stride * static_cast<int64_t>(call.element.bytes));
  }
}

std::optional<IndexedCall> ReadCall(const Indexed& kernel,
                                    const LaunchView& launch) {
  const size_t operands = kernel.move == Move::kCopy ? 3 : 2;
  const std::byte* lambda = Bytes(launch.arguments[1]);
  auto offsets = ReadOffsets(lambda, operands);
  const std::byte* rest =
      lambda + AlignUp(OffsetsBytes(operands), sizeof(void*));
  if (!offsets || offsets->elements() != ReadAt<int64_t>(launch.arguments[0])) {
    return std::nullopt;
  }
  IndexedCall call{.element = kernel.element,
                   .offsets = std::move(*offsets),
                   .self = ReadAt<std::byte*>(rest),
                   .index = ReadAt<std::byte*>(rest + 8),
                   .source = nullptr,
                   .size = 0,
                   .stride = 0};
  rest += 16;
  if (kernel.move == Move::kCopy) {
    call.source = ReadAt<std::byte*>(rest);
    rest += 8;
  }
  call.size = ReadAt<int64_t>(rest);
  call.stride = ReadAt<int64_t>(rest + 8);
  std::memcpy(call.number.data(), rest + 16, call.number.size());
  if (call.size < 1 || call.stride < 0) return std::nullopt;
  return call;
}

DecodedLaunch DecodeIndexed(const Indexed& kernel, const LaunchView& launch) {
  auto call = ReadCall(kernel, launch);
  if (!call) return {};
  const size_t bytes = kernel.element.bytes;
  const Range self{
      call->self,
      call->offsets.Extent(0, bytes) +
          static_cast<size_t>((call->size - 1) * call->stride) * bytes};
  std::vector<Range> inputs = {
      self, {call->index, call->offsets.Extent(1, sizeof(int64_t))}};
  if (call->source != nullptr) {
    inputs.push_back({call->source, call->offsets.Extent(2, bytes)});
  }
  return Computed({.elements = call->offsets.elements(),
                   .type = kernel.element.type,
                   .inputs = std::move(inputs),
                   .outputs = {{self, kernel.element.type}},
                   .compute = [call = std::move(*call)] { Compute(call); }});
}

// {OffsetCalculator<2> with signed strides; char* to, char* from}: dimensions
// that are turned round begin at their ends in `to`.
DecodedLaunch DecodeFlip(const Indexed& kernel, const LaunchView& launch) {
  const std::byte* lambda = Bytes(launch.arguments[1]);
  auto offsets = ReadOffsets(lambda, 2);
  const std::byte* rest = lambda + AlignUp(OffsetsBytes(2), sizeof(void*));
  if (!offsets || offsets->elements() != ReadAt<int64_t>(launch.arguments[0])) {
    return {};
  }
  auto* to = ReadAt<std::byte*>(rest);
  auto* from = ReadAt<std::byte*>(rest + 8);
  int64_t before = 0;
  int64_t behind = 0;
  for (const Offsets::Dimension& dimension : offsets->dimensions) {
    const int64_t reach = int64_t{static_cast<int32_t>(dimension.strides[0])} *
                          (int64_t{dimension.size} - 1);
    (reach < 0 ? before : behind) += reach;
  }
  const size_t bytes = kernel.element.bytes;
  const Range output{to + before, static_cast<size_t>(behind - before) + bytes};
  const int64_t count = offsets->elements();
  return Computed(
      {.elements = count,
       .type = kernel.element.type,
       .inputs = {{from, offsets->Extent(1, bytes)}},
       .outputs = {{output, kernel.element.type,
                    output.bytes == static_cast<size_t>(count) * bytes}},
       .compute = [=, offsets = std::move(*offsets)] {
         for (int64_t i = 0; i < count; ++i) {
           const auto at = offsets.At(static_cast<uint32_t>(i));
           std::copy_n(from + at[1], bytes, to + static_cast<int32_t>(at[0]));
         }
       }});
}

Decoder IndexedDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() != 3) return {};
  const NameParts function = TakeApart(kernel.arguments[2]);
  if (function.arguments.empty()) return {};
  Indexed found{.element = ElementNamed(function.arguments[0]),
                .move = Move::kCopy};
  if (found.element.bytes == 0 || found.element.bytes > 8) return {};
  if (function.name == "flip_kernel_impl") return DecodeBy(DecodeFlip, found);
  if (function.name == "index_fill_kernel_impl") {
    found.move = Move::kFill;
  } else if (function.name != "index_copy_kernel_impl") {
    return {};
  }
  return DecodeBy(DecodeIndexed, found);
}

}  // namespace

Decoder MoveDecoder(const NameParts& kernel) {
  if (kernel.name == "index_elementwise_kernel") return IndexedDecoder(kernel);
  if (kernel.arguments.empty()) return {};
  const Element element = ElementNamed(kernel.arguments[0]);
  if (element.bytes == 0) return {};
  if (kernel.name == "roll_cuda_kernel") return DecodeBy(DecodeRoll, element);
  if (kernel.name != "triu_tril_kernel" || kernel.arguments.size() < 3) {
    return {};
  }
  return DecodeBy(DecodeTriangle,
                  Triangle{.element = element,
                           .index = std::string(kernel.arguments[1]),
                           .upper = kernel.arguments[2] == "true"});
}

}  // namespace dltap::simgpu
