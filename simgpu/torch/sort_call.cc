// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "simgpu/torch/families.h"
#include "simgpu/torch/iterator.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

struct Sort {
  ScalarType key;
  size_t value_bytes;  // 0: keys alone
  bool descending;
};

// A stable sort by some bits of the keys.
struct Call {
  Sort sort;
  const std::byte* keys_in;
  std::byte* keys_out;
  const std::byte* values_in;
  std::byte* values_out;
  int64_t elements;
  int first_bit;
  int last_bit;  // not sorted by
};

// The key's bits, in an order in which unsigned numbers compare as the keys
// do: an integer's sign is turned over, a negative real number altogether.
uint64_t OrderedBits(const Sort& sort, const std::byte* key) {
  const size_t bytes = SizeOf(sort.key);
  uint64_t bits = 0;
  std::memcpy(&bits, key, bytes);
  const uint64_t all =
      bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  if (IsReal(sort.key)) {
    bits ^= (bits & sign) != 0 ? all : sign;
  } else if (sort.key == ScalarType::kInt8 || sort.key == ScalarType::kInt16 ||
             sort.key == ScalarType::kInt32 || sort.key == ScalarType::kInt64) {
    bits ^= sign;
  }
  return sort.descending ? bits ^ all : bits;
}

// Row i of the result is row order[i] of the input. A pass may sort into
// another part of the memory it reads: all is read first.
void Move(const std::byte* from, std::byte* to, size_t bytes,
          const std::vector<int64_t>& order) {
  std::vector<std::byte> moved(order.size() * bytes);
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(moved.data() + i * bytes,
                from + static_cast<size_t>(order[i]) * bytes, bytes);
  }
  std::memcpy(to, moved.data(), moved.size());
}

void Compute(const Call& call) {
  const size_t key_bytes = SizeOf(call.sort.key);
  const int bits = call.last_bit - call.first_bit;
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> digits(static_cast<size_t>(call.elements));
  for (size_t i = 0; i < digits.size(); ++i) {
    digits[i] = (OrderedBits(call.sort, call.keys_in + i * key_bytes) >>
                 call.first_bit) &
                mask;
  }
  std::vector<int64_t> order(digits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return digits[static_cast<size_t>(a)] < digits[static_cast<size_t>(b)];
  });
  Move(call.keys_in, call.keys_out, key_bytes, order);
  if (call.sort.value_bytes > 0) {
    Move(call.values_in, call.values_out, call.sort.value_bytes, order);
  }
}

void Run(const Call& call) {
  const auto range = [&](const std::byte* data, size_t bytes) {
    return Range{const_cast<std::byte*>(data),
                 static_cast<size_t>(call.elements) * bytes};
  };
  const size_t key_bytes = SizeOf(call.sort.key);
  const Range keys_out = range(call.keys_out, key_bytes);
  const Range values_out = range(call.values_out, call.sort.value_bytes);
  std::vector<Range> inputs = {range(call.keys_in, key_bytes)};
  inputs[0].type = call.sort.key;
  if (call.sort.value_bytes > 0) {
    inputs.push_back(range(call.values_in, call.sort.value_bytes));
  }
  Permission permission =
      MayCompute(call.elements, inputs, keys_out, call.sort.key);
  if (call.sort.value_bytes > 0) permission.compute &= IsAllocated(values_out);
  if (permission.compute) Compute(call);
  MarkOutput(keys_out, true, permission, call.sort.key);
  if (call.sort.value_bytes > 0) {
    // The places that the keys had.
    MarkOutput(values_out, true, permission,
               call.sort.value_bytes == sizeof(int64_t) ? ScalarType::kInt64
                                                        : ScalarType::kUnknown);
  }
}

DecodedLaunch Decoded(const Call& call) {
  if (call.elements <= 0 || call.first_bit < 0 ||
      call.last_bit <= call.first_bit || call.last_bit > 64) {
    return {};
  }
  return WithEffect(EffectOf(call));
}

// (const key* in, key* out, const value* in, value* out, count n,
//  int begin_bit, int end_bit, ...)
DecodedLaunch SingleTile(const Sort& sort, const std::string& count,
                         const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  return Decoded({.sort = sort,
                  .keys_in = ReadAt<std::byte*>(arguments[0]),
                  .keys_out = ReadAt<std::byte*>(arguments[1]),
                  .values_in = ReadAt<std::byte*>(arguments[2]),
                  .values_out = ReadAt<std::byte*>(arguments[3]),
                  .elements = ReadCount(count, arguments[4]),
                  .first_bit = ReadAt<int32_t>(arguments[5]),
                  .last_bit = ReadAt<int32_t>(arguments[6])});
}

// One pass: (lookback*, counters*, bins* out, bins* in, key* out,
// const key* in, value* out, const value* in, count n, int bit, int bits, ...)
DecodedLaunch OnePass(const Sort& sort, const std::string& count,
                      const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const auto bit = ReadAt<int32_t>(arguments[9]);
  return Decoded({.sort = sort,
                  .keys_in = ReadAt<std::byte*>(arguments[5]),
                  .keys_out = ReadAt<std::byte*>(arguments[4]),
                  .values_in = ReadAt<std::byte*>(arguments[7]),
                  .values_out = ReadAt<std::byte*>(arguments[6]),
                  .elements = ReadCount(count, arguments[8]),
                  .first_bit = bit,
                  .last_bit = bit + ReadAt<int32_t>(arguments[10])});
}

}  // namespace

// <policy, order, key, value, count, ...>; the pass counts its elements in the
// sixth type.
Decoder SortDecoder(const NameParts& kernel) {
  const bool one_pass = kernel.name == "DeviceRadixSortOnesweepKernel";
  const size_t count_index = one_pass ? 5 : 4;
  if (kernel.arguments.size() <= count_index) return {};
  const std::string_view value = kernel.arguments[3];
  const bool keys_alone = TakeApart(value).name == "NullType";
  const Sort sort{.key = ScalarTypeNamed(kernel.arguments[2]),
                  .value_bytes = keys_alone ? 0 : SizeOfNamed(value),
                  .descending = kernel.arguments[1].ends_with(")1") ||
                                kernel.arguments[1] == "true"};
  if (!IsComputed(sort.key) || (!keys_alone && sort.value_bytes == 0)) {
    return {};
  }
  const std::string count(kernel.arguments[count_index]);
  return [=](const LaunchView& launch) {
    return one_pass ? OnePass(sort, count, launch)
                    : SingleTile(sort, count, launch);
  };
}

}  // namespace dltap::simgpu
