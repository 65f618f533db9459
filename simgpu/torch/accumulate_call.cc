// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/plain_arguments.h"
#include "simgpu/torch/tensor_view.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel.
struct AccumulateKernel {
  ScalarType first = ScalarType::kUnknown;
  ScalarType second = ScalarType::kUnknown;
};

// indexing_backward_kernel..<T>(int64_t const* sorted indices, int64_t const*
// their order, T const* values, T* result, int64_t count, int64_t stride,
// int64_t stride before, int64_t outer, bool accumulate): x[index] += y where
// an index may stand twice. Indices of one dimension, elements side by side.
DecodedLaunch DecodeAccumulate(const AccumulateKernel& kernel,
                               const LaunchView& launch) {
  const ScalarType type = kernel.first;
  const int64_t count = Integer(launch, 4);
  const int64_t stride = Integer(launch, 5);
  if (Integer(launch, 7) != 1 || !ReadAt<bool>(launch.arguments[8]) ||
      !IsCount(count) || !IsCount(stride) || count > kMaxElements) {
    return {};
  }
  const Range sorted = Array(launch, 0, count, ScalarType::kInt64);
  const Range order = Array(launch, 1, count, ScalarType::kInt64);
  const Range values = Array(launch, 2, count * stride, type);
  auto* result = ReadAt<std::byte*>(launch.arguments[3]);
  return WithEffect([=] {
    // The largest index says how far the result reaches.
    const bool known = IsAllocated(sorted) && IsAllocated(order) &&
                       IsFresh(sorted.data, sorted.bytes);
    const int64_t last = known ? IntegerAt(sorted, count - 1) : -1;
    const Range output{
        result, static_cast<size_t>(
                    std::clamp<int64_t>(last + 1, 1, kMaxElements) * stride) *
                    SizeOf(type)};
    const Permission permission =
        known && last >= 0 && IntegerAt(sorted, 0) >= 0
            ? MayCompute(count * stride, {order, values, output}, output, type)
            : Permission{};
    const auto bytes = static_cast<int64_t>(SizeOf(type));
    for (int64_t i = 0; permission.compute && i < count * stride; ++i) {
      std::byte* to =
          result +
          (IntegerAt(sorted, i / stride) * stride + i % stride) * bytes;
      const std::byte* from =
          values.data +
          (IntegerAt(order, i / stride) * stride + i % stride) * bytes;
      ComputeIn(type, [&]<typename C>(C) {
        StoreAs<C>(type, to, LoadAs<C>(type, to) + LoadAs<C>(type, from));
      });
    }
    MarkOutput(output, true, permission, type);
  });
}

// kernelHistogram1D<result, T, index, ..>(TensorInfo result, TensorInfo
// partial, TensorInfo values, int64_t bins, T least, T largest, index count,
// ..): how many values lie in each bin. With weights it is another lambda.
DecodedLaunch DecodeHistogram(const AccumulateKernel& kernel,
                              const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const ScalarType type = kernel.second;
  const auto result =
      ReadTensorInfo(arguments[0], "long", SizeOf(kernel.first));
  const auto values = ReadTensorInfo(arguments[2], "long", SizeOf(type));
  const int64_t bins = Integer(launch, 3);
  const int64_t count = Integer(launch, 6);
  if (!result || !values || !IsCount(bins) || result->elements() != bins ||
      values->elements() != count) {
    return {};
  }
  const ScalarType wide = IsReal(type) ? OpmathOf(type) : ScalarType::kInt64;
  const auto least = LoadAs<double>(wide, Bytes(arguments[4]));
  const auto largest = LoadAs<double>(wide, Bytes(arguments[5]));
  return Computed(
      {.elements = count,
       .type = type,
       .inputs = {values->All(), result->All()},
       .outputs = {{result->All(), kernel.first}},
       .compute = [=, to = *result, from = *values, to_type = kernel.first] {
         for (int64_t i = 0; i < count; ++i) {
           const auto value = LoadAs<double>(type, from.At(i));
           if (!(value >= least && value <= largest)) continue;
           const auto bin = std::min(
               bins - 1, static_cast<int64_t>((value - least) *
                                              static_cast<double>(bins) /
                                              (largest - least)));
           std::byte* at = to.At(bin);
           StoreAs<int64_t>(to_type, at, LoadAs<int64_t>(to_type, at) + 1);
         }
       }});
}

}  // namespace

Decoder AccumulateDecoder(const NameParts& kernel) {
  const auto& arguments = kernel.arguments;
  AccumulateKernel found;
  if (!arguments.empty()) found.first = ScalarTypeNamed(arguments[0]);
  if (!IsComputed(found.first)) return {};
  if (kernel.name.starts_with("indexing_backward_kernel")) {
    return DecodeBy(DecodeAccumulate, found);
  }
  // Of the two lambdas, the one without weights; and 64-bit indices.
  if (kernel.name != "kernelHistogram1D" || arguments.size() < 8 ||
      arguments[2] != "long" || !arguments[7].ends_with("#2}")) {
    return {};
  }
  found.second = ScalarTypeNamed(arguments[1]);
  return IsComputed(found.second) ? DecodeBy(DecodeHistogram, found)
                                  : Decoder{};
}

}  // namespace dltap::simgpu
