// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

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

// linspace's lambda {T start, end; int64_t steps; step; int64_t halfway}: from
// both ends to the middle, integers in single precision.
struct Span {
  ScalarType type;
  ScalarType computed;  // of the step, and of all in between
  int64_t steps;
  std::byte* data;
  double start, end, step;
};

double PlaceOf(const Span& call, int64_t i) {
  const auto round = [&](double value) {
    return RoundTo<double>(call.computed, value);
  };
  const bool is_first_half = i < call.steps / 2;
  const int64_t steps = is_first_half ? i : call.steps - i - 1;
  const double way = round(call.step * round(static_cast<double>(steps)));
  return is_first_half ? round(round(call.start) + way)
                       : round(round(call.end) - way);
}

void Run(const Span& call) {
  const size_t bytes = SizeOf(call.type);
  const Range output{call.data, static_cast<size_t>(call.steps) * bytes};
  const Permission permission = MayCompute(call.steps, {}, output, call.type);
  for (int64_t i = 0; permission.compute && i < call.steps; ++i) {
    const double place = PlaceOf(call, i);
    std::byte* to = call.data + static_cast<size_t>(i) * bytes;
    if (IsReal(call.type)) {
      StoreAs<double>(call.type, to, place);
    } else {
      StoreAs<int64_t>(call.type, to, static_cast<int64_t>(place));
    }
  }
  MarkOutput(output, true, permission, call.type);
}

// The step for half precision is of the type in PyTorch 2.11 and of single
// precision in 2.15: what lies at `at` tells.
ScalarType StepType(ScalarType type, double expected, const std::byte* at) {
  if (!IsReal(type)) return ScalarType::kFloat32;
  if (SizeOf(type) >= sizeof(float)) return type;
  const auto distance = [&](ScalarType as) {
    const double found = std::fabs(LoadAs<double>(as, at) - expected);
    return std::isfinite(found) ? found : HUGE_VAL;
  };
  const bool is_single = distance(ScalarType::kFloat32) < distance(type);
  return is_single ? ScalarType::kFloat32 : type;
}

DecodedLaunch DecodeSpan(const ScalarType& type, const LaunchView& launch) {
  const std::byte* lambda = Bytes(launch.arguments[1]);
  const size_t bytes = SizeOf(type);
  const size_t steps_at = AlignUp(2 * bytes, sizeof(int64_t));
  const size_t step_at = steps_at + sizeof(int64_t);
  const auto steps = ReadAt<int64_t>(lambda + steps_at);
  const auto start = LoadAs<double>(type, lambda);
  const auto end = LoadAs<double>(type, lambda + bytes);
  const ScalarType step_type = StepType(
      type, (end - start) / static_cast<double>(steps - 1), lambda + step_at);
  const auto halfway = ReadAt<int64_t>(
      lambda + AlignUp(step_at + SizeOf(step_type), sizeof(int64_t)));
  if (steps < 2 || steps != ReadAt<int32_t>(launch.arguments[0]) ||
      halfway != steps / 2) {
    return {};
  }
  return WithEffect(
      EffectOf(Span{.type = type,
                    .computed = step_type,
                    .steps = steps,
                    .data = ReadAt<std::byte*>(launch.arguments[2]),
                    .start = start,
                    .end = end,
                    .step = LoadAs<double>(step_type, lambda + step_at)}));
}

// Integers in the order of kDispatched; real numbers in that of
// AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2.
Decoder SpanDecoder(const NameParts& function, std::string_view index) {
  constexpr std::array kReal = {ScalarType::kFloat64,    ScalarType::kFloat32,
                                ScalarType::kComplex128, ScalarType::kComplex64,
                                ScalarType::kFloat16,    ScalarType::kBfloat16};
  constexpr size_t kIntegers = 5;
  if (function.lambdas.size() != 3 || index != "int") return {};
  const size_t number = function.lambdas[1].number;
  const bool is_real = function.lambdas[0].number == 2;
  if (number == 0 || number > (is_real ? kReal.size() : kIntegers)) return {};
  const ScalarType type = is_real ? kReal[number - 1] : kDispatched[number - 1];
  return IsComputed(type) ? DecodeBy(DecodeSpan, type) : Decoder{};
}

}  // namespace

Decoder RangeDecoder(const NameParts& kernel) {
  if (kernel.name != "elementwise_kernel_with_index" ||
      kernel.arguments.size() != 2) {
    return {};
  }
  const NameParts function = TakeApart(kernel.arguments[1]);
  if (function.name == "linspace_cuda_out") {
    return SpanDecoder(function, kernel.arguments[0]);
  }
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
