// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/plausible_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace dltap::simgpu {
namespace {

// The odd multiples of 1 / 2^kBits: all that a type with kBits bits of
// significand holds exactly, so that none is rounded to 1.
template <int kBits>
double BetweenZeroAndOne(uint64_t drawn) {
  return static_cast<double>(drawn >> (64 - kBits) | 1) /
         static_cast<double>(uint64_t{1} << kBits);
}

struct Bfloat16 {
  uint16_t bits;
};

template <typename T>
T Drawn(uint64_t drawn) {
  if constexpr (std::is_same_v<T, Bfloat16>) {
    const auto value = static_cast<float>(BetweenZeroAndOne<8>(drawn));
    return {static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16)};
  } else if constexpr (std::is_same_v<T, _Float16>) {
    return static_cast<T>(BetweenZeroAndOne<8>(drawn));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(BetweenZeroAndOne<24>(drawn));
  } else {
    return static_cast<T>(drawn >> 63);
  }
}

template <typename T>
void FillWith(std::span<std::byte> bytes, uint64_t seed) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    const T value = Drawn<T>(Mixed(seed + at));
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }
}

}  // namespace

size_t BytesOf(NumberType type) {
  switch (type) {
    case NumberType::kUnknown:
    case NumberType::kInteger: return 0;
    case NumberType::kBool: return 1;
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return 2;
    case NumberType::kFloat32: return 4;
    case NumberType::kFloat64: return 8;
  }
  return 0;
}

void FillPlausible(std::span<std::byte> bytes, NumberType type, uint64_t seed) {
  const size_t size = BytesOf(type);
  if (size == 0 || bytes.size() % size != 0) {
    std::ranges::fill(bytes, std::byte{0});
    return;
  }
  switch (type) {
    case NumberType::kFloat16: return FillWith<_Float16>(bytes, seed);
    case NumberType::kBfloat16: return FillWith<Bfloat16>(bytes, seed);
    case NumberType::kFloat32: return FillWith<float>(bytes, seed);
    case NumberType::kFloat64: return FillWith<double>(bytes, seed);
    default: return FillWith<uint8_t>(bytes, seed);  // a truth value
  }
}

}  // namespace dltap::simgpu
