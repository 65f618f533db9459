// SPDX-License-Identifier: Apache-2.0
// Kernels that get addresses and sizes one by one.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/plain_arguments.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel: its template arguments that are types, in
// their order.
struct Kernel {
  ScalarType first = ScalarType::kUnknown;
  ScalarType second = ScalarType::kUnknown;
};

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

// tril_indices_kernel<T>(T* result, int64_t first row, int64_t places in it,
// int64_t columns, int64_t places in rows that grow, int64_t all): rows of one
// more place each, up to all columns.
// triu_indices_kernel<T>(T* result, int64_t first column, int64_t places in the
// first row that shrinks, int64_t columns, int64_t places in full rows, int64_t
// all): full rows, then rows of one place less each.
DecodedLaunch DecodeTriangle(const Kernel& kernel, const LaunchView& launch,
                             bool upper) {
  const ScalarType type = kernel.first;
  const int64_t first = Integer(launch, 1);
  const int64_t width = Integer(launch, 2);
  const int64_t columns = Integer(launch, 3);
  const int64_t full = Integer(launch, 4);
  const int64_t all = Integer(launch, 5);
  if (!IsCount(all) || !IsCount(columns) || width < 0 || full < 0) return {};
  const Range result = Array(launch, 0, 2 * all, type);
  return Computed(
      {.elements = 2 * all,
       .type = type,
       .inputs = {},
       .outputs = {{result, type}},
       .compute = [=] {
         const auto bytes = static_cast<int64_t>(SizeOf(type));
         const int64_t full_rows = upper ? full / columns : 0;
         int64_t at = 0;
         for (int64_t row = 0; at < all; ++row) {
           const int64_t begin =
               upper ? std::max<int64_t>(0, row - full_rows) : 0;
           const int64_t places = !upper ? std::min(columns, width + row)
                                  : row < full_rows ? columns
                                                    : width - begin;
           if (places < 1) return;
           for (int64_t i = 0; i < places && at < all; ++i, ++at) {
             StoreAs<int64_t>(type, result.data + at * bytes,
                              row + (upper ? 0 : first));
             StoreAs<int64_t>(type, result.data + (at + all) * bytes,
                              begin + i + (upper ? first : 0));
           }
         }
       }});
}
DecodedLaunch DecodeLower(const Kernel& kernel, const LaunchView& launch) {
  return DecodeTriangle(kernel, launch, false);
}
DecodedLaunch DecodeUpper(const Kernel& kernel, const LaunchView& launch) {
  return DecodeTriangle(kernel, launch, true);
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
    {"fill_reverse_indices_kernel", DecodePlaces, 0},
    {"tril_indices_kernel", DecodeLower, 1},
    {"triu_indices_kernel", DecodeUpper, 1},
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
  return DecodeBy(row->decode, found);
}

}  // namespace dltap::simgpu
