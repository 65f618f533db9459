// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/index_call.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simgpu/memory/memory.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

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
  const Range output{call.output,
                     call.writes ? call.IndexedExtent(0)
                                 : call.offsets.Extent(0, call.element_bytes)};
  std::vector<Range> inputs = {
      {call.input, call.writes ? call.offsets.Extent(1, call.element_bytes)
                               : call.IndexedExtent(1)}};
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

// The lambda of gpu_index_kernel: {OffsetCalculator<3>; char* out; char* in;
// size_t n; char* indices[25]; int64_t sizes[25]; int64_t strides[25]; f}.
Effect Decode(Call call, const Arguments& launch) {
  constexpr size_t kTable = Offsets::kMaxDimensions * sizeof(int64_t);
  const std::byte* lambda = Bytes(launch.pointers[1]);
  const auto offsets = ReadOffsets(lambda, 3);
  const std::byte* rest = lambda + AlignUp(OffsetsBytes(3), sizeof(void*));
  call.elements = ReadAt<int64_t>(launch.pointers[0]);
  call.output = ReadAt<std::byte*>(rest);
  call.input = ReadAt<std::byte*>(rest + 8);
  const auto count = ReadAt<uint64_t>(rest + 16);
  if (!offsets || offsets->elements() != call.elements || count == 0 ||
      count > Offsets::kMaxDimensions) {
    return {};
  }
  call.offsets = *offsets;
  for (size_t i = 0; i < count; ++i) {
    const std::byte* entry = rest + 24 + i * sizeof(int64_t);
    call.dimensions.push_back({ReadAt<std::byte*>(entry),
                               ReadAt<int64_t>(entry + kTable),
                               ReadAt<int64_t>(entry + 2 * kTable)});
    if (call.dimensions.back().size <= 0 ||
        call.dimensions.back().stride_bytes < 0) {
      return {};
    }
  }
  auto shared = std::make_shared<const Call>(std::move(call));
  return [shared] { Run(*shared); };
}

// gpu_index_kernel<index_kernel_impl<OpaqueType<8> >(...)::{lambda...}>
Decoder Indexing(const NameParts& kernel) {
  if (kernel.arguments.size() != 3) return {};
  const NameParts loop = TakeApart(kernel.arguments[2]);
  if (loop.name != "gpu_index_kernel" || loop.arguments.empty()) return {};
  const NameParts function = TakeApart(loop.arguments[0]);
  Call call;
  call.writes = function.name == "index_put_kernel_impl";
  if ((!call.writes && function.name != "index_kernel_impl") ||
      function.arguments.empty()) {
    return {};
  }
  const NameParts opaque = TakeApart(function.arguments[0]);
  if (opaque.name != "OpaqueType" || opaque.arguments.empty()) return {};
  const std::string_view size = opaque.arguments[0];
  std::from_chars(size.data(), size.data() + size.size(), call.element_bytes);
  if (call.element_bytes == 0) return {};
  return [call](const Arguments& launch) { return Decode(call, launch); };
}

// write_indices(int64_t* indices, {T sizes[25]}, int dims, T n, ...): indices
// is dims x n; its first row holds flat indices.
struct Coordinates {
  std::byte* indices;
  std::vector<int64_t> sizes;
  int64_t count;
};

void WriteCoordinates(const Coordinates& call) {
  const int64_t elements = call.count * static_cast<int64_t>(call.sizes.size());
  const Range output{call.indices, static_cast<size_t>(elements) * 8};
  const Range input{call.indices, static_cast<size_t>(call.count) * 8};
  const Permission permission = MayCompute(elements, {input}, output);
  for (int64_t i = 0; permission.compute && i < call.count; ++i) {
    auto flat = ReadAt<int64_t>(call.indices + i * 8);
    for (size_t dim = call.sizes.size(); dim-- > 0;) {
      const int64_t coordinate = flat % call.sizes[dim];
      flat /= call.sizes[dim];
      std::memcpy(
          call.indices + (static_cast<int64_t>(dim) * call.count + i) * 8,
          &coordinate, sizeof(coordinate));
    }
  }
  MarkOutput(output, true, permission);
}

Effect DecodeCoordinates(bool wide, const Arguments& launch) {
  const auto integer = [wide](const std::byte* table, size_t i) {
    return wide ? ReadAt<int64_t>(table + 8 * i)
                : int64_t{ReadAt<int32_t>(table + 4 * i)};
  };
  Coordinates call{.indices = ReadAt<std::byte*>(launch.pointers[0]),
                   .sizes = {},
                   .count = integer(Bytes(launch.pointers[3]), 0)};
  const auto dims = ReadAt<int32_t>(launch.pointers[2]);
  if (dims < 1 || dims > static_cast<int32_t>(Offsets::kMaxDimensions) ||
      call.count < 1) {
    return {};
  }
  for (size_t i = 0; i < static_cast<size_t>(dims); ++i) {
    call.sizes.push_back(integer(Bytes(launch.pointers[1]), i));
    if (call.sizes.back() < 1) return {};
  }
  return [call = std::move(call)] { WriteCoordinates(call); };
}

// vectorized_gather_kernel<alignment, index>(char* out, char* in, index* rows,
// int n, int64_t row_bytes, int64_t rows, int64_t in_stride,
// int64_t out_stride, bool): whole rows.
struct Gather {
  std::byte* output;
  std::byte* input;
  std::byte* rows;
  int64_t count;
  int64_t row_bytes;
  int64_t input_rows;
  int64_t input_stride;
  int64_t output_stride;
};

void RunGather(const Gather& call) {
  const auto bytes = [](int64_t n) { return static_cast<size_t>(n); };
  const Range output{call.output, bytes((call.count - 1) * call.output_stride +
                                        call.row_bytes)};
  const Permission permission = MayCompute(
      call.count * call.row_bytes,
      {{call.input,
        bytes((call.input_rows - 1) * call.input_stride + call.row_bytes)},
       {call.rows, bytes(call.count * 8)}},
      output);
  for (int64_t i = 0; permission.compute && i < call.count; ++i) {
    auto row = ReadAt<int64_t>(call.rows + i * 8);
    if (row < 0) row += call.input_rows;
    if (row < 0 || row >= call.input_rows) continue;
    std::memmove(call.output + i * call.output_stride,
                 call.input + row * call.input_stride, bytes(call.row_bytes));
  }
  MarkOutput(output, call.output_stride == call.row_bytes, permission);
}

Effect DecodeGather(const Arguments& launch) {
  void* const* arguments = launch.pointers;
  const Gather call{.output = ReadAt<std::byte*>(arguments[0]),
                    .input = ReadAt<std::byte*>(arguments[1]),
                    .rows = ReadAt<std::byte*>(arguments[2]),
                    .count = ReadAt<int32_t>(arguments[3]),
                    .row_bytes = ReadAt<int64_t>(arguments[4]),
                    .input_rows = ReadAt<int64_t>(arguments[5]),
                    .input_stride = ReadAt<int64_t>(arguments[6]),
                    .output_stride = ReadAt<int64_t>(arguments[7])};
  if (call.count < 1 || call.row_bytes < 1 || call.input_rows < 1 ||
      call.input_stride < 0 || call.output_stride < call.row_bytes) {
    return {};
  }
  return [call] { RunGather(call); };
}

}  // namespace

Decoder IndexDecoder(const NameParts& kernel) {
  if (kernel.name == "index_elementwise_kernel") return Indexing(kernel);
  if (kernel.name == "vectorized_gather_kernel" &&
      kernel.arguments.size() == 2 && kernel.arguments[1] == "long") {
    return DecodeGather;
  }
  if (kernel.name != "write_indices" || kernel.arguments.empty()) return {};
  const bool wide = kernel.arguments[0] == "long";
  if (!wide && kernel.arguments[0] != "int") return {};
  return [wide](const Arguments& launch) {
    return DecodeCoordinates(wide, launch);
  };
}

}  // namespace dltap::simgpu
