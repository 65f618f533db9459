// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

// The types in the order of AT_DISPATCH_ALL_TYPES_AND2(Half, BFloat16): the
// name holds only the number of the lambda that handles one.
constexpr std::array kDispatched = {
    ScalarType::kUInt8,   ScalarType::kInt8,    ScalarType::kInt32,
    ScalarType::kInt64,   ScalarType::kInt16,   ScalarType::kFloat64,
    ScalarType::kFloat32, ScalarType::kFloat16, ScalarType::kBfloat16};

// acc_type<T, true>: what the lambda computes in.
ScalarType SumType(ScalarType type) {
  return IsReal(type) ? OpmathOf(type) : ScalarType::kInt64;
}

struct Call {
  ScalarType type;
  int64_t elements;
  std::byte* data;
  double start, step;
  int64_t integer_start, integer_step;
};

void Run(const Call& call) {
  const size_t bytes = SizeOf(call.type);
  const Range output{call.data, static_cast<size_t>(call.elements) * bytes};
  const Permission permission =
      MayCompute(call.elements, {}, output, call.type);
  if (permission.compute) {
    for (int64_t i = 0; i < call.elements; ++i) {
      std::byte* to = call.data + static_cast<size_t>(i) * bytes;
      if (IsReal(call.type)) {
        StoreAs<double>(call.type, to,
                        call.start + call.step * static_cast<double>(i));
      } else {
        StoreAs<int64_t>(call.type, to,
                         call.integer_start + call.integer_step * i);
      }
    }
  }
  MarkOutput(output, true, permission, call.type);
}

}  // namespace

Decoder RangeDecoder(const NameParts& kernel) {
  if (kernel.name != "elementwise_kernel_with_index" ||
      kernel.arguments.size() != 2) {
    return {};
  }
  const NameParts function = TakeApart(kernel.arguments[1]);
  if (function.name != "arange_cuda_out" || function.lambdas.size() < 2) {
    return {};
  }
  const size_t number = function.lambdas[function.lambdas.size() - 2].number;
  if (number == 0 || number > kDispatched.size()) return {};
  const ScalarType type = kDispatched[number - 1];
  const bool wide = kernel.arguments[0] == "long";
  return [type, wide](const LaunchView& launch) {
    void* const* arguments = launch.arguments;
    // The lambda holds its start and its step.
    const ScalarType sum = SumType(type);
    const std::byte* start = Bytes(arguments[1]);
    const std::byte* step = start + SizeOf(sum);
    const Call call{.type = type,
                    .elements = wide ? ReadAt<int64_t>(arguments[0])
                                     : ReadAt<int32_t>(arguments[0]),
                    .data = ReadAt<std::byte*>(arguments[2]),
                    .start = LoadAs<double>(sum, start),
                    .step = LoadAs<double>(sum, step),
                    .integer_start = LoadAs<int64_t>(sum, start),
                    .integer_step = LoadAs<int64_t>(sum, step)};
    return WithEffect(EffectOf(call));
  };
}

}  // namespace dltap::simgpu
