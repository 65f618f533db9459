// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

// GpuDeviceArrayStruct<T, 8> {int size; T inline_values[8]; T* values}: up to
// eight values in the argument, more in device memory.
struct DeviceArray {
  static constexpr size_t kInlineValues = 8;

  size_t element_bytes = 0;
  size_t count = 0;
  std::vector<std::byte> inline_values;
  const std::byte* values = nullptr;

  bool IsReadable() const {
    return values == nullptr ||
           IsAllocated({const_cast<std::byte*>(values), count * element_bytes});
  }
  const std::byte* At(size_t i) const {
    const std::byte* first = values != nullptr ? values : inline_values.data();
    return first + i * element_bytes;
  }
};

// count 0: cannot be one.
DeviceArray ReadArray(const std::byte* from, size_t element_bytes) {
  DeviceArray array;
  array.element_bytes = element_bytes;
  const auto count = ReadAt<int32_t>(from);
  if (count < 1 || count > kMaxElements) return array;
  array.count = static_cast<size_t>(count);
  const std::byte* first = from + AlignUp(sizeof(count), element_bytes);
  if (array.count <= DeviceArray::kInlineValues) {
    array.inline_values.assign(first, first + array.count * element_bytes);
  } else {
    array.values = ReadAt<std::byte*>(
        from + AlignUp(static_cast<size_t>(first - from) +
                           DeviceArray::kInlineValues * element_bytes,
                       sizeof(void*)));
  }
  return array;
}

// Matrices of `rows` each, side by side.
struct Call {
  size_t element_bytes;
  DeviceArray inputs;  // of pointers
  int64_t split_size;  // the columns of each; 0: `scan` tells
  DeviceArray scan;    // where each begins, and the end
  int64_t rows;
  int64_t columns;  // of the output
  std::byte* output;
};

struct Input {
  std::byte* data;
  int64_t begin_column;
  int64_t end_column;

  size_t columns() const {
    return static_cast<size_t>(end_column - begin_column);
  }
};

int64_t ReadInteger(const DeviceArray& array, size_t i) {
  return array.element_bytes == sizeof(int64_t) ? ReadAt<int64_t>(array.At(i))
                                                : ReadAt<int32_t>(array.At(i));
}

// At the kernel's turn: the tables may be in device memory. nullopt: they
// cannot be what the kernel takes them for.
std::optional<std::vector<Input>> InputsOf(const Call& call) {
  if (!call.inputs.IsReadable() || !call.scan.IsReadable()) return std::nullopt;
  std::vector<Input> inputs;
  int64_t column = 0;
  for (size_t i = 0; i < call.inputs.count; ++i) {
    const int64_t end = call.split_size > 0 ? column + call.split_size
                                            : ReadInteger(call.scan, i + 1);
    if (end < column || end > call.columns) return std::nullopt;
    inputs.push_back({ReadAt<std::byte*>(call.inputs.At(i)), column, end});
    column = end;
  }
  if (column != call.columns) return std::nullopt;
  return inputs;
}

void Run(const Call& call) {
  const auto rows = static_cast<size_t>(call.rows);
  const size_t row_bytes =
      static_cast<size_t>(call.columns) * call.element_bytes;
  const Range output{call.output, rows * row_bytes};
  const auto inputs = InputsOf(call);
  Permission permission;
  if (inputs) {
    std::vector<Range> ranges;
    for (const Input& input : *inputs) {
      ranges.push_back(
          {input.data, rows * input.columns() * call.element_bytes});
    }
    permission = MayCompute(call.rows * call.columns, ranges, output);
  }
  for (size_t row = 0; permission.compute && row < rows; ++row) {
    for (const Input& input : *inputs) {
      const size_t bytes = input.columns() * call.element_bytes;
      const auto begin = static_cast<size_t>(input.begin_column);
      std::memmove(call.output + row * row_bytes + begin * call.element_bytes,
                   input.data + row * bytes, bytes);
    }
  }
  MarkOutput(output, true, permission);
}

DecodedLaunch Decoded(Call call) {
  if (call.inputs.count == 0 || call.rows < 1 || call.columns < 1 ||
      call.rows > kMaxElements || call.columns > kMaxElements) {
    return {};
  }
  return WithEffect(EffectOf(std::move(call)));
}

// concat_fixed_kernel<T, I>(GpuDeviceArrayStruct<T const*>, int split_size, int
// rows, int columns, T* output)
DecodedLaunch DecodeFixed(size_t element_bytes, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const auto split_size = ReadAt<int32_t>(arguments[1]);
  if (split_size < 1) return {};
  return Decoded({.element_bytes = element_bytes,
                  .inputs = ReadArray(Bytes(arguments[0]), sizeof(void*)),
                  .split_size = split_size,
                  .scan = {},
                  .rows = ReadAt<int32_t>(arguments[2]),
                  .columns = ReadAt<int32_t>(arguments[3]),
                  .output = ReadAt<std::byte*>(arguments[4])});
}

// concat_variable_kernel<T, I, bool>(GpuDeviceArrayStruct<T const*>,
// GpuDeviceArrayStruct<I> scan, I rows, I columns, T* output)
DecodedLaunch DecodeVariable(size_t element_bytes, size_t index_bytes,
                             const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const auto integer = [index_bytes](const void* from) {
    return index_bytes == sizeof(int64_t) ? ReadAt<int64_t>(from)
                                          : int64_t{ReadAt<int32_t>(from)};
  };
  Call call{.element_bytes = element_bytes,
            .inputs = ReadArray(Bytes(arguments[0]), sizeof(void*)),
            .split_size = 0,
            .scan = ReadArray(Bytes(arguments[1]), index_bytes),
            .rows = integer(arguments[2]),
            .columns = integer(arguments[3]),
            .output = ReadAt<std::byte*>(arguments[4])};
  if (call.scan.count != call.inputs.count + 1) return {};
  return Decoded(std::move(call));
}

}  // namespace

Decoder ConcatDecoder(const NameParts& kernel) {
  if (kernel.name.starts_with("CatArrayBatchedCopy")) {
    return ConcatBatchDecoder(kernel);
  }
  if (kernel.arguments.size() < 2) return {};
  const size_t element_bytes = SizeOf(ScalarTypeNamed(kernel.arguments[0]));
  const size_t index_bytes = SizeOf(ScalarTypeNamed(kernel.arguments[1]));
  if (element_bytes == 0) return {};
  if (kernel.name == "concat_fixed_kernel") {
    return [element_bytes](const LaunchView& launch) {
      return DecodeFixed(element_bytes, launch);
    };
  }
  if (kernel.name != "concat_variable_kernel" ||
      (index_bytes != sizeof(int32_t) && index_bytes != sizeof(int64_t))) {
    return {};
  }
  return [element_bytes, index_bytes](const LaunchView& launch) {
    return DecodeVariable(element_bytes, index_bytes, launch);
  };
}

}  // namespace dltap::simgpu
