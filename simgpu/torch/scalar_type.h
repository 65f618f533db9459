// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_SCALAR_TYPE_H_
#define DLTAP_SIMGPU_TORCH_SCALAR_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/bytes/plausible_values.h"

namespace dltap::simgpu {

// Numbered as c10::ScalarType, which kernels that cast get as an argument.
enum class ScalarType : int8_t {
  kUInt8 = 0,
  kInt8 = 1,
  kInt16 = 2,
  kInt32 = 3,
  kInt64 = 4,
  kFloat16 = 5,
  kFloat32 = 6,
  kFloat64 = 7,
  kComplex32 = 8,
  kComplex64 = 9,
  kComplex128 = 10,
  kBool = 11,
  kBfloat16 = 15,
  kFloat8E5M2 = 23,
  kFloat8E4M3 = 24,
  kFloat8E5M2Fnuz = 25,
  kFloat8E4M3Fnuz = 26,
  kUInt16 = 27,
  kUInt32 = 28,
  kUInt64 = 29,
  kFloat8E8M0 = 44,
  kFloat4x2 = 45,
  kUnknown = 127,
};

// Of a C++ type as a demangled name spells it: "float", "c10::Half".
ScalarType ScalarTypeNamed(std::string_view name);

// The first of a template's arguments that is such a type: of <4, float, long>
// float.
ScalarType FirstTypeIn(const std::vector<std::string_view>& arguments);

// 0: not one of those above.
size_t SizeOf(ScalarType type);
// Of a type by name, also of one that is only moved: "OpaqueType<8>".
size_t SizeOfNamed(std::string_view name);
// The type by name. Of one that is only moved, what it most likely is: eight
// bytes are an index, one is a truth value.
ScalarType MovedType(std::string_view name);
// Numbers of the type can be loaded, stored and computed with.
bool IsComputed(ScalarType type);
bool IsReal(ScalarType type);
// Truth values are integers, too.
bool IsInteger(ScalarType type);

// As what numbers of the type read that nobody computed.
NumberType NumberTypeOf(ScalarType type);

// The type that PyTorch computes in: float for the 16-bit types.
ScalarType OpmathOf(ScalarType type);

// Of computed types. Computations are carried out in double, or in int64_t for
// integers. A real number too large for an integer type becomes the nearest
// one, as on the GPU; an integer loses its upper bits.
template <typename C>
C LoadAs(ScalarType type, const std::byte* from);
template <typename C>
void StoreAs(ScalarType type, std::byte* to, C value);

extern template double LoadAs<double>(ScalarType, const std::byte*);
extern template int64_t LoadAs<int64_t>(ScalarType, const std::byte*);
extern template void StoreAs<double>(ScalarType, std::byte*, double);
extern template void StoreAs<int64_t>(ScalarType, std::byte*, int64_t);

// Calls compute(C{}), C being what numbers of the type are computed in.
template <typename Compute>
auto ComputeIn(ScalarType type, Compute compute) {
  return IsReal(type) ? compute(double{}) : compute(int64_t{});
}

// The value that is left of `value` in a variable of the type.
template <typename C>
C RoundTo(ScalarType type, C value) {
  alignas(8) std::byte bytes[8];
  StoreAs<C>(type, bytes, value);
  return LoadAs<C>(type, bytes);
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_SCALAR_TYPE_H_
