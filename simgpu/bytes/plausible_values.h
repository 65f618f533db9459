// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_PLAUSIBLE_VALUES_H_
#define DLTAP_SIMGPU_BYTES_PLAUSIBLE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace dltap::simgpu {

// DLTAP_SIM_VALUES=plausible: what nobody computed reads as small random
// numbers of its type, not as zeroes. Where the type is not known zeroes stay,
// since the bits of a real number are no index.
enum class NumberType : uint8_t {
  kUnknown,
  kInteger,
  kBool,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};

size_t BytesOf(NumberType type);  // 0: of a type that is not filled

// More bytes than these are never filled: whatever reads them is then not
// computed either.
constexpr size_t kMostPlausibleBytes = size_t{2} << 20;

// Real numbers lie between 0 and 1, without either: a probability, a variance
// or a loss may be there. Truth values are 0 or 1. An integer is 0: it may be
// an index, or the code of an error. The same numbers for the same seed. Zeroes
// where the type is unknown, or the bytes are no whole numbers.
void FillPlausible(std::span<std::byte> bytes, NumberType type, uint64_t seed);

// Any mixing will do: Steele et al., "Fast Splittable Pseudorandom Number
// Generators", 2014 (SplitMix64).
constexpr uint64_t Mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_PLAUSIBLE_VALUES_H_
