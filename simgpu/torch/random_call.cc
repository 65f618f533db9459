// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "simgpu/bytes/plausible_values.h"
#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/iterator.h"

namespace dltap::simgpu {
namespace {

// The last parameter is the lambda of distribution_nullary_kernel<T, ...>, of
// its first form: {T* data; int bytes from element to element; f}, f aligned as
// what it holds: integers of a range {uint64_t range; int64_t base}, uniform
// numbers {C range; T from; ...}, C being float, or double for doubles.
enum class Draw { kUnknown, kRange, kUniform };

struct Random {
  ScalarType type;
  Draw draw;
  std::string count;  // type of the first parameter

  int64_t Elements(const LaunchView& launch) const {
    return ReadCount(count, launch.arguments[0]);
  }
};

struct Interval {
  double from;
  double length;

  // What is rounded to its end begins anew.
  double Inside(double value) const {
    return value >= from + length ? from : value;
  }
};

// Uniform in [0, 1).
double FractionOf(uint64_t drawn) {
  return static_cast<double>(drawn >> 11) * 0x1p-53;
}

Interval IntervalOf(const Random& kernel, const std::byte* lambda) {
  if (kernel.type == ScalarType::kFloat64) {
    return {ReadAt<double>(lambda + 24), ReadAt<double>(lambda + 16)};
  }
  return {LoadAs<double>(kernel.type, lambda + 16), ReadAt<float>(lambda + 12)};
}

// {uint64_t seed; uint64_t offset; ...}; within a capture addresses of both.
uint64_t StateOf(const void* philox) {
  const auto seed = ReadAt<uint64_t>(philox);
  const auto offset = ReadAt<uint64_t>(Bytes(philox) + sizeof(seed));
  const Range captured{reinterpret_cast<std::byte*>(seed), 1};
  return IsAllocated(captured) ? 0 : Mixed(seed) + offset;
}

// `store` makes a number of 64 random bits and puts it where it is told.
template <typename Store>
Computation DrawnOf(const Random& kernel, const LaunchView& launch,
                    const Range& to, int64_t elements, int64_t step,
                    Store store) {
  return {.elements = elements,
          .type = kernel.type,
          .inputs = {},
          .outputs = {{to, kernel.type}},
          .compute = [=, state = StateOf(launch.arguments[1])] {
            for (int64_t i = 0; i < elements; ++i) {
              store(to.data + i * step,
                    Mixed(state + static_cast<uint64_t>(i)));
            }
          }};
}

Computation IntegersOf(const Random& kernel, const LaunchView& launch,
                       const Range& to, int64_t elements, int64_t step) {
  const std::byte* lambda = Bytes(launch.arguments[3]);
  const auto range = ReadAt<uint64_t>(lambda + 16);
  const auto base = ReadAt<int64_t>(lambda + 24);
  return DrawnOf(kernel, launch, to, elements, step,
                 [=, type = kernel.type](std::byte* at, uint64_t bits) {
                   const uint64_t drawn = range == 0 ? bits : bits % range;
                   StoreAs<int64_t>(type, at,
                                    base + static_cast<int64_t>(drawn));
                 });
}

// Few of them alone: a program may compare those with something, or draw until
// one is accepted, while batches and weights would cost time for nothing.
// Normal ones stay unknown: they are compared with what nobody computed.
bool AreDrawn(const Interval& interval, int64_t elements) {
  return elements <= kMaxSmallElements && std::isfinite(interval.from) &&
         std::isfinite(interval.length) && interval.length > 0;
}

Computation UniformOf(const Random& kernel, const LaunchView& launch,
                      const Interval& interval, const Range& to, int64_t step) {
  const int64_t elements = kernel.Elements(launch);
  return DrawnOf(kernel, launch, to, elements, step,
                 [=, type = kernel.type](std::byte* at, uint64_t bits) {
                   const double drawn =
                       interval.from + interval.length * FractionOf(bits);
                   StoreAs<double>(
                       type, at, interval.Inside(RoundTo<double>(type, drawn)));
                 });
}

DecodedLaunch Decode(const Random& kernel, const LaunchView& launch) {
  const int64_t elements = kernel.Elements(launch);
  const std::byte* lambda = Bytes(launch.arguments[3]);
  Operand output = Operand::Dense(ReadAt<std::byte*>(lambda), elements,
                                  kernel.type, Operand::kWrite);
  const int64_t step = ReadAt<int32_t>(lambda + 8);
  if (step != static_cast<int64_t>(SizeOf(kernel.type))) output.range = {};
  const Range& to = output.range;
  const Interval interval = kernel.draw == Draw::kUniform
                                ? IntervalOf(kernel, lambda)
                                : Interval{0, 0};
  DecodedLaunch decoded;
  if (kernel.draw == Draw::kRange && to.data != nullptr) {
    decoded = Computed(IntegersOf(kernel, launch, to, elements, step));
  } else if (to.data != nullptr && AreDrawn(interval, elements)) {
    decoded = Computed(UniformOf(kernel, launch, interval, to, step));
  } else if (to.data != nullptr) {
    decoded.effect = [range = to] {
      const WriteTarget target{range.data, range.bytes,
                               NumberTypeOf(range.type)};
      MarkStale({&target, 1});
    };
  }
  decoded.Add(output);
  return decoded;
}

// Of a kernel whose lambda is another one only the number is known.
DecodedLaunch DecodeCounted(const Random& kernel, const LaunchView& launch) {
  DecodedLaunch decoded;
  decoded.Add(Operand::Dense(nullptr, kernel.Elements(launch), kernel.type,
                             Operand::kWrite));
  return decoded;
}

Draw DrawOf(std::string_view function, ScalarType type) {
  const auto is_of = [&](std::string_view kernel) {
    return function.find(kernel) != std::string_view::npos;
  };
  if (is_of("random_from_to_kernel") && IsInteger(type)) return Draw::kRange;
  if (is_of("::uniform_kernel") && IsReal(type)) return Draw::kUniform;
  return Draw::kUnknown;
}

}  // namespace

Decoder RandomDecoder(const NameParts& kernel) {
  constexpr size_t kLambda = 3;
  const std::string count(kernel.parameters.empty() ? "long"
                                                    : kernel.parameters[0]);
  const NameParts lambda = kernel.arguments.size() > kLambda
                               ? TakeApart(kernel.arguments[kLambda])
                               : NameParts{};
  if (lambda.name != "distribution_nullary_kernel" ||
      lambda.arguments.empty() || lambda.lambdas.empty() ||
      SizeOf(ScalarTypeNamed(lambda.arguments[0])) == 0) {
    return DecodeBy(DecodeCounted, Random{FirstTypeIn(kernel.arguments),
                                          Draw::kUnknown, count});
  }
  const ScalarType type = ScalarTypeNamed(lambda.arguments[0]);
  if (lambda.lambdas.back().number != 1) {
    return DecodeBy(DecodeCounted, Random{type, Draw::kUnknown, count});
  }
  return DecodeBy(Decode,
                  Random{type, DrawOf(kernel.arguments[2], type), count});
}

}  // namespace dltap::simgpu
