// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "simgpu/bytes/plausible_values.h"
#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// The last parameter is the lambda of distribution_nullary_kernel<T, ...>, of
// its first form: {T* data; int bytes from element to element; f}, f aligned to
// 8. Where f is that of random_from_to_kernel it holds {uint64_t range; int64_t
// base}.
struct Random {
  ScalarType type;
  bool is_range;
};

// {uint64_t seed; uint64_t offset; ...}; within a capture addresses of both.
uint64_t StateOf(const void* philox) {
  const auto seed = ReadAt<uint64_t>(philox);
  const auto offset = ReadAt<uint64_t>(Bytes(philox) + sizeof(seed));
  const Range captured{reinterpret_cast<std::byte*>(seed), 1};
  return IsAllocated(captured) ? 0 : Mixed(seed) + offset;
}

DecodedLaunch Decode(const Random& kernel, const LaunchView& launch) {
  const auto elements = ReadAt<int64_t>(launch.arguments[0]);
  const std::byte* lambda = Bytes(launch.arguments[3]);
  Operand output = Operand::Dense(ReadAt<std::byte*>(lambda), elements,
                                  kernel.type, Operand::kWrite);
  const int64_t step = ReadAt<int32_t>(lambda + 8);
  if (step != static_cast<int64_t>(SizeOf(kernel.type))) output.range = {};
  DecodedLaunch decoded;
  if (kernel.is_range && output.range.data != nullptr) {
    const auto range = ReadAt<uint64_t>(lambda + 16);
    const auto base = ReadAt<int64_t>(lambda + 24);
    decoded = Computed(
        {.elements = elements,
         .type = kernel.type,
         .inputs = {},
         .outputs = {{output.range, kernel.type}},
         .compute = [=, state = StateOf(launch.arguments[1]),
                     type = kernel.type, to = output.range.data] {
           for (int64_t i = 0; i < elements; ++i) {
             const uint64_t drawn = Mixed(state + static_cast<uint64_t>(i));
             StoreAs<int64_t>(type, to + i * step,
                              base + static_cast<int64_t>(
                                         range == 0 ? drawn : drawn % range));
           }
         }});
  } else if (output.range.data != nullptr) {
    decoded.effect = [range = output.range] {
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
  decoded.Add(Operand::Dense(nullptr, ReadAt<int64_t>(launch.arguments[0]),
                             kernel.type, Operand::kWrite));
  return decoded;
}

}  // namespace

Decoder RandomDecoder(const NameParts& kernel) {
  constexpr size_t kLambda = 3;
  const NameParts lambda = kernel.arguments.size() > kLambda
                               ? TakeApart(kernel.arguments[kLambda])
                               : NameParts{};
  if (lambda.name != "distribution_nullary_kernel" ||
      lambda.arguments.empty() || lambda.lambdas.empty() ||
      SizeOf(ScalarTypeNamed(lambda.arguments[0])) == 0) {
    return DecodeBy(DecodeCounted,
                    Random{FirstTypeIn(kernel.arguments), false});
  }
  const ScalarType type = ScalarTypeNamed(lambda.arguments[0]);
  if (lambda.lambdas.back().number != 1) {
    return DecodeBy(DecodeCounted, Random{type, false});
  }
  const bool is_range = kernel.arguments[2].find("random_from_to_kernel") !=
                            std::string_view::npos &&
                        IsInteger(type);
  return DecodeBy(Decode, Random{type, is_range});
}

}  // namespace dltap::simgpu
