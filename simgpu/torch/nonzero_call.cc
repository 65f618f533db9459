// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/plain_arguments.h"

namespace dltap::simgpu {
namespace {

// What a kernel's name tells of it.
struct Kernel {
  ScalarType input = ScalarType::kUnknown;
  ScalarType sum = ScalarType::kUnknown;
  bool counts = false;  // elements that are not zero, in place of their sum
  int64_t chunk = 0;    // elements that a block takes at once
};

struct Row {
  std::string_view name;
  DecodedLaunch (*decode)(const Kernel& kernel, const LaunchView& launch);
  int chunk = -1;  // the place of {threads, elements of each} in the template
  int input = -1;  // of the types
  int sum = -1;
};

template <typename C>
C SumOf(const Kernel& kernel, const Range& input, int64_t from, int64_t to) {
  const auto bytes = static_cast<int64_t>(SizeOf(kernel.input));
  C sum = 0;
  for (int64_t i = from; i < to; ++i) {
    const C value = LoadAs<C>(kernel.input, input.data + i * bytes);
    sum += kernel.counts ? static_cast<C>(value != 0) : value;
  }
  return sum;
}

// calc_block_sums<threads, each, nonzero, T, S>(T const* input, S* sums, long
// elements, int chunks of a block): what each block counts or adds.
DecodedLaunch DecodeBlockSums(const Kernel& kernel, const LaunchView& launch) {
  const int64_t elements = Integer(launch, 2);
  const int64_t share = kernel.chunk * ReadAt<int32_t>(launch.arguments[3]);
  if (!IsCount(elements) || share < 1) return {};
  const int64_t blocks =
      std::min<int64_t>(launch.grid.count(), (elements + share - 1) / share);
  const Range input = Array(launch, 0, elements, kernel.input);
  const Range sums = Array(launch, 1, blocks, kernel.sum);
  const auto compute = [=]<typename C>(C) {
    const auto bytes = static_cast<int64_t>(SizeOf(kernel.sum));
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t end = std::min(elements, (i + 1) * share);
      StoreAs<C>(kernel.sum, sums.data + i * bytes,
                 SumOf<C>(kernel, input, i * share, end));
    }
  };
  return Computed({.elements = elements,
                   .type = kernel.input,
                   .inputs = {input},
                   .outputs = {{sums, kernel.sum}},
                   .compute = [=] { ComputeIn(kernel.sum, compute); }});
}

// compute_agg<threads>(int* sums, long* up to each, unsigned n)
DecodedLaunch DecodePrefixes(const Kernel&, const LaunchView& launch) {
  const int64_t count = ReadAt<uint32_t>(launch.arguments[2]);
  if (!IsCount(count)) return {};
  const Range sums = Array(launch, 0, count, ScalarType::kInt32);
  const Range prefixes = Array(launch, 1, count, ScalarType::kInt64);
  return Computed({.elements = count,
                   .type = ScalarType::kInt32,
                   .inputs = {sums},
                   .outputs = {{prefixes, ScalarType::kInt64}},
                   .compute = [=] {
                     int64_t sum = 0;
                     for (int64_t i = 0; i < count; ++i) {
                       sum += ReadAt<int32_t>(sums.data + i * 4);
                       SetInteger(prefixes, i, sum);
                     }
                   }});
}

// flag_kernel<threads, each, T>(T const* input, long* places, long const*
// prefixes, long elements, long places at most, int chunks): the places of what
// is not zero.
DecodedLaunch DecodePlaces(const Kernel& kernel, const LaunchView& launch) {
  const int64_t elements = Integer(launch, 3);
  const int64_t most = Integer(launch, 4);
  if (!IsCount(elements) || !IsCount(most)) return {};
  const Range input = Array(launch, 0, elements, kernel.input);
  const Range places = Array(launch, 1, most, ScalarType::kInt64);
  return Computed({.elements = elements,
                   .type = kernel.input,
                   .inputs = {input},
                   .outputs = {{places, ScalarType::kInt64}},
                   .compute = [=] {
                     int64_t next = 0;
                     for (int64_t i = 0; i < elements && next < most; ++i) {
                       if (SumOf<double>(kernel, input, i, i + 1) == 0)
                         continue;
                       SetInteger(places, next++, i);
                     }
                     // The kernel leaves the rest to write_fill_value.
                     for (; next < most; ++next) SetInteger(places, next, 0);
                   }});
}

// write_fill_value(long* places, long* found, long value, long n)
DecodedLaunch DecodeFill(const Kernel&, const LaunchView& launch) {
  const int64_t count = Integer(launch, 3);
  if (!IsCount(count)) return {};
  const Range places = Array(launch, 0, count, ScalarType::kInt64);
  const Range found = Array(launch, 1, 1, ScalarType::kInt64);
  const int64_t value = Integer(launch, 2);
  return Computed({.elements = count,
                   .type = ScalarType::kInt64,
                   .inputs = {places, found},
                   .outputs = {{places, ScalarType::kInt64}},
                   .compute = [=] {
                     const int64_t from =
                         std::max<int64_t>(0, IntegerAt(found, 0));
                     for (int64_t i = from; i < count; ++i) {
                       SetInteger(places, i, value);
                     }
                   }});
}

constexpr Row kRows[] = {
    {"calc_block_sums", DecodeBlockSums, 0, 3, 4},
    {"compute_agg", DecodePrefixes},
    {"flag_kernel", DecodePlaces, 0, 2},
    {"write_fill_value", DecodeFill},
};

// False: the name does not tell it, or it is not one to compute with.
bool ReadType(const NameParts& kernel, int place, ScalarType* type) {
  if (place < 0) return true;
  if (static_cast<size_t>(place) >= kernel.arguments.size()) return false;
  *type = ScalarTypeNamed(kernel.arguments[static_cast<size_t>(place)]);
  return IsComputed(*type);
}

}  // namespace

Decoder NonzeroDecoder(const NameParts& kernel) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& r) { return r.name == kernel.name; });
  Kernel found{.counts = true};
  if (row == std::end(kRows) || !ReadType(kernel, row->input, &found.input) ||
      !ReadType(kernel, row->sum, &found.sum)) {
    return {};
  }
  if (row->sum >= 0) {
    found.chunk = static_cast<int64_t>(NumberIn(kernel.arguments[0]) *
                                       NumberIn(kernel.arguments[1]));
    found.counts = kernel.arguments[2] == "true";
  }
  return DecodeBy(row->decode, found);
}

}  // namespace dltap::simgpu
