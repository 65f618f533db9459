// SPDX-License-Identifier: Apache-2.0
// Kernels that get addresses and sizes one by one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/tensor_view.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel: its template arguments that are types, in
// their order.
struct Kernel {
  ScalarType first = ScalarType::kUnknown;
  ScalarType second = ScalarType::kUnknown;
};

int64_t Integer(const LaunchView& launch, size_t parameter) {
  return ReadAt<int64_t>(launch.arguments[parameter]);
}

Range Array(const LaunchView& launch, size_t parameter, int64_t elements,
            ScalarType type) {
  return {ReadAt<std::byte*>(launch.arguments[parameter]),
          static_cast<size_t>(std::max<int64_t>(elements, 0)) * SizeOf(type)};
}

int64_t IntegerAt(const Range& array, int64_t i) {
  return ReadAt<int64_t>(array.data + i * 8);
}

void SetInteger(const Range& array, int64_t i, int64_t value) {
  StoreAs<int64_t>(ScalarType::kInt64, array.data + i * 8, value);
}

bool IsCount(int64_t number) { return number > 0 && number <= INT32_MAX; }

// How many of the sorted numbers lie before `value`, or are equal to it.
template <typename C>
int64_t Place(const std::byte* sorted, int64_t count, ScalarType type, C value,
              bool behind_equal) {
  const auto bytes = static_cast<int64_t>(SizeOf(type));
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const C at = LoadAs<C>(type, sorted + middle * bytes);
    const bool is_before = behind_equal ? !(at > value) : !(at >= value);
    (is_before ? low : high) = is_before ? middle + 1 : middle;
  }
  return low;
}

// searchsorted_cuda_kernel<T, result>(result*, T const* values, T const*
// sorted, int64_t const* order, int64_t row of values, row of sorted, values,
// bool right, bool all rows search the same)
DecodedLaunch DecodeSearch(const Kernel& kernel, const LaunchView& launch) {
  const int64_t row = Integer(launch, 4);
  const int64_t sorted_row = Integer(launch, 5);
  const int64_t count = Integer(launch, 6);
  const bool right = ReadAt<bool>(launch.arguments[7]);
  const bool shared = ReadAt<bool>(launch.arguments[8]);
  if (ReadAt<void*>(launch.arguments[3]) != nullptr || !IsCount(row) ||
      !IsCount(sorted_row) || !IsCount(count)) {
    return {};
  }
  const ScalarType type = kernel.first;
  const int64_t rows = shared ? 1 : (count + row - 1) / row;
  const Range values = Array(launch, 1, count, type);
  const Range sorted = Array(launch, 2, rows * sorted_row, type);
  const Range result = Array(launch, 0, count, kernel.second);
  return Computed(
      {.elements = count,
       .type = type,
       .inputs = {values, sorted},
       .outputs = {{result, kernel.second}},
       .compute = [=, result_type = kernel.second] {
         const auto bytes = static_cast<int64_t>(SizeOf(type));
         const auto result_bytes = static_cast<int64_t>(SizeOf(result_type));
         for (int64_t i = 0; i < count; ++i) {
           const std::byte* line =
               sorted.data + (shared ? 0 : i / row * sorted_row * bytes);
           const int64_t place = ComputeIn(type, [&]<typename C>(C) {
             return Place<C>(line, sorted_row, type,
                             LoadAs<C>(type, values.data + i * bytes), right);
           });
           StoreAs<int64_t>(result_type, result.data + i * result_bytes, place);
         }
       }});
}

// compute_cuda_kernel<T>(T const* repeats, int64_t const* their sums, T*
// result, int64_t count, int64_t sum of all): i stands repeats[i] times.
DecodedLaunch DecodeRepeat(const Kernel& kernel, const LaunchView& launch) {
  const ScalarType type = kernel.first;
  const int64_t count = Integer(launch, 3);
  const int64_t all = Integer(launch, 4);
  if (!IsCount(count) || !IsCount(all)) return {};
  const Range repeats = Array(launch, 0, count, type);
  const Range sums = Array(launch, 1, count, ScalarType::kInt64);
  const Range result = Array(launch, 2, all, type);
  return Computed({.elements = all,
                   .type = type,
                   .inputs = {repeats, sums},
                   .outputs = {{result, type}},
                   .compute = [=] {
                     const auto bytes = static_cast<int64_t>(SizeOf(type));
                     for (int64_t i = 0; i < count; ++i) {
                       const int64_t end = std::min(all, IntegerAt(sums, i));
                       const auto repeat =
                           LoadAs<int64_t>(type, repeats.data + i * bytes);
                       for (int64_t at = std::max<int64_t>(0, end - repeat);
                            at < end; ++at) {
                         StoreAs<int64_t>(type, result.data + at * bytes, i);
                       }
                     }
                   }});
}

// unique()'s scatter_kernel(int64_t n, int64_t const* values, int64_t const*
// places, int64_t* result)
DecodedLaunch DecodeUniqueScatter(const Kernel&, const LaunchView& launch) {
  const int64_t count = Integer(launch, 0);
  if (!IsCount(count)) return {};
  const Range values = Array(launch, 1, count, ScalarType::kInt64);
  const Range places = Array(launch, 2, count, ScalarType::kInt64);
  const Range result = Array(launch, 3, count, ScalarType::kInt64);
  return Computed({.elements = count,
                   .type = ScalarType::kInt64,
                   .inputs = {values, places},
                   .outputs = {{result, ScalarType::kInt64}},
                   .compute = [=] {
                     for (int64_t i = 0; i < count; ++i) {
                       const int64_t place = IntegerAt(places, i);
                       if (place < 0 || place >= count) continue;
                       SetInteger(result, place, IntegerAt(values, i));
                     }
                   }});
}

// unique()'s adjacent_difference_kernel<T const*>(int64_t n, T const* sorted,
// int* result): 1 where a number differs from the one before it.
DecodedLaunch DecodeDifference(const Kernel& kernel, const LaunchView& launch) {
  const int64_t count = Integer(launch, 0);
  if (!IsCount(count)) return {};
  const ScalarType type = kernel.first;
  const Range sorted = Array(launch, 1, count, type);
  const Range result = Array(launch, 2, count, ScalarType::kInt32);
  return Computed(
      {.elements = count,
       .type = type,
       .inputs = {sorted},
       .outputs = {{result, ScalarType::kInt32}},
       .compute = [=] {
         const size_t bytes = SizeOf(type);
         for (int64_t i = 0; i < count; ++i) {
           const std::byte* at = sorted.data + static_cast<size_t>(i) * bytes;
           const bool differs =
               i > 0 && !std::equal(at, at + bytes, at - bytes);
           StoreAs<int64_t>(ScalarType::kInt32, result.data + i * 4, differs);
         }
       }});
}

// indexing_backward_kernel..<T>(int64_t const* sorted indices, int64_t const*
// their order, T const* values, T* result, int64_t count, int64_t stride,
// int64_t stride before, int64_t outer, bool accumulate): x[index] += y where
// an index may stand twice. Indices of one dimension, elements side by side.
DecodedLaunch DecodeAccumulate(const Kernel& kernel, const LaunchView& launch) {
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
DecodedLaunch DecodeHistogram(const Kernel& kernel, const LaunchView& launch) {
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

// fill_reverse_indices_kernel(int64_t* places, int n, {unsigned row; ..}): the
// places in each row that sort() begins with.
DecodedLaunch DecodePlaces(const Kernel&, const LaunchView& launch) {
  const int64_t count = ReadAt<int32_t>(launch.arguments[1]);
  const int64_t row = ReadAt<uint32_t>(launch.arguments[2]);
  if (count < 1 || row < 1) return {};
  const Range places = Array(launch, 0, count, ScalarType::kInt64);
  return Computed({.elements = count,
                   .type = ScalarType::kInt64,
                   .inputs = {},
                   .outputs = {{places, ScalarType::kInt64}},
                   .compute = [=] {
                     for (int64_t i = 0; i < count; ++i) {
                       SetInteger(places, i, i % row);
                     }
                   }});
}

// randperm() sorts random keys with their places. This kernel only shuffles
// places of equal keys.
DecodedLaunch DecodeEqualKeys(const Kernel&, const LaunchView&) {
  return WithEffect([] {});
}

struct Row {
  std::string_view name_begins;
  DecodedLaunch (*decode)(const Kernel& kernel, const LaunchView& launch);
  size_t types;  // that the name must tell
};

constexpr Row kRows[] = {
    {"searchsorted_cuda_kernel", DecodeSearch, 2},
    {"compute_cuda_kernel", DecodeRepeat, 1},
    {"scatter_kernel", DecodeUniqueScatter, 0},
    {"adjacent_difference_kernel", DecodeDifference, 1},
    {"indexing_backward_kernel", DecodeAccumulate, 1},
    {"kernelHistogram1D", DecodeHistogram, 2},
    {"fill_reverse_indices_kernel", DecodePlaces, 0},
    {"randperm_handle_duplicate_keys_kernel", DecodeEqualKeys, 0},
};

ScalarType TypeAt(const NameParts& kernel, size_t i) {
  if (i >= kernel.arguments.size()) return ScalarType::kUnknown;
  std::string_view name = kernel.arguments[i];
  constexpr std::string_view kPointer = " const*";
  if (name.ends_with(kPointer)) name.remove_suffix(kPointer.size());
  return ScalarTypeNamed(name);
}

}  // namespace

Decoder PlainDecoder(const NameParts& kernel) {
  const auto* row = std::find_if(
      std::begin(kRows), std::end(kRows),
      [&](const Row& r) { return kernel.name.starts_with(r.name_begins); });
  if (row == std::end(kRows)) return {};
  const Kernel found{TypeAt(kernel, 0), TypeAt(kernel, 1)};
  if ((row->types > 0 && !IsComputed(found.first)) ||
      (row->types > 1 && !IsComputed(found.second))) {
    return {};
  }
  if (row->decode == DecodeHistogram) {
    // Of the two lambdas, the one without weights; and 64-bit indices.
    if (kernel.arguments.size() < 8 || kernel.arguments[2] != "long" ||
        !kernel.arguments[7].ends_with("#2}")) {
      return {};
    }
  }
  return DecodeBy(row->decode, found);
}

}  // namespace dltap::simgpu
