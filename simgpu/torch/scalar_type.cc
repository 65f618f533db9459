// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/scalar_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {
namespace {

struct TypeRow {
  std::string_view name;
  ScalarType type;
  size_t bytes;
  bool computed;
};

constexpr TypeRow kTypes[] = {
    {"float", ScalarType::kFloat32, 4, true},
    {"double", ScalarType::kFloat64, 8, true},
    {"c10::Half", ScalarType::kFloat16, 2, true},
    {"c10::BFloat16", ScalarType::kBfloat16, 2, true},
    {"Eigen::half", ScalarType::kFloat16, 2, true},
    {"Eigen::bfloat16", ScalarType::kBfloat16, 2, true},
    {"c10::complex<c10::Half>", ScalarType::kComplex32, 4, false},
    {"c10::complex<float>", ScalarType::kComplex64, 8, false},
    {"c10::complex<double>", ScalarType::kComplex128, 16, false},
    {"c10::Float8_e5m2", ScalarType::kFloat8E5M2, 1, false},
    {"c10::Float8_e4m3fn", ScalarType::kFloat8E4M3, 1, false},
    {"c10::Float8_e5m2fnuz", ScalarType::kFloat8E5M2Fnuz, 1, false},
    {"c10::Float8_e4m3fnuz", ScalarType::kFloat8E4M3Fnuz, 1, false},
    {"c10::Float8_e8m0fnu", ScalarType::kFloat8E8M0, 1, false},
    {"c10::Float4_e2m1fn_x2", ScalarType::kFloat4x2, 1, false},
    {"bool", ScalarType::kBool, 1, true},
    {"signed char", ScalarType::kInt8, 1, true},
    {"unsigned char", ScalarType::kUInt8, 1, true},
    {"short", ScalarType::kInt16, 2, true},
    {"unsigned short", ScalarType::kUInt16, 2, true},
    {"int", ScalarType::kInt32, 4, true},
    {"unsigned int", ScalarType::kUInt32, 4, true},
    {"long", ScalarType::kInt64, 8, true},
    {"long long", ScalarType::kInt64, 8, true},
    {"unsigned long", ScalarType::kUInt64, 8, true},
    {"unsigned long long", ScalarType::kUInt64, 8, true},
};

const TypeRow* RowOf(ScalarType type) {
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [type](const TypeRow& r) { return r.type == type; });
  return row == std::end(kTypes) ? nullptr : row;
}

struct Bfloat16 {
  uint16_t bits;
};

// Calls visit with a value-initialised object of the C++ type.
template <typename Visit>
auto WithType(ScalarType type, Visit visit) {
  switch (type) {
    case ScalarType::kUInt8: return visit(uint8_t{});
    case ScalarType::kInt8: return visit(int8_t{});
    case ScalarType::kInt16: return visit(int16_t{});
    case ScalarType::kInt32: return visit(int32_t{});
    case ScalarType::kInt64: return visit(int64_t{});
    case ScalarType::kFloat16: return visit(_Float16{});
    case ScalarType::kFloat32: return visit(float{});
    case ScalarType::kFloat64: return visit(double{});
    case ScalarType::kBool: return visit(bool{});
    case ScalarType::kBfloat16: return visit(Bfloat16{});
    case ScalarType::kUInt16: return visit(uint16_t{});
    case ScalarType::kUInt32: return visit(uint32_t{});
    default: return visit(uint64_t{});
  }
}

int64_t NearestInteger(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  if (value < -kLimit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

// Rounded to nearest even. A NaN stays one.
Bfloat16 ToBfloat16(float value) {
  const auto word = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {0x7fc0};
  return {static_cast<uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16)};
}

template <typename C, typename T>
C Widen(T value) {
  double real = 0;
  if constexpr (std::is_same_v<T, Bfloat16>) {
    real = std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<C>(value);
  } else {
    real = static_cast<double>(value);
  }
  if constexpr (std::is_same_v<C, int64_t>) return NearestInteger(real);
  return static_cast<C>(real);
}

template <typename T>
T Clamp(double value) {
  const int64_t integer = NearestInteger(value);
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(std::clamp(integer,
                                     int64_t{std::numeric_limits<T>::min()},
                                     int64_t{std::numeric_limits<T>::max()}));
  }
  return static_cast<T>(integer);
}

template <typename T, typename C>
T Narrow(C value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return ToBfloat16(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<C, double>) {
    return Clamp<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace

ScalarType ScalarTypeNamed(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [name](const TypeRow& r) { return r.name == name; });
  return row == std::end(kTypes) ? ScalarType::kUnknown : row->type;
}

ScalarType FirstTypeIn(const std::vector<std::string_view>& arguments) {
  for (const std::string_view argument : arguments) {
    const ScalarType type = ScalarTypeNamed(argument);
    if (type != ScalarType::kUnknown) return type;
  }
  return ScalarType::kUnknown;
}

size_t SizeOf(ScalarType type) {
  const TypeRow* row = RowOf(type);
  return row == nullptr ? 0 : row->bytes;
}

size_t SizeOfNamed(std::string_view name) {
  const NameParts type = TakeApart(name);
  return type.name == "OpaqueType" && type.arguments.size() == 1
             ? NumberIn(type.arguments[0])
             : SizeOf(ScalarTypeNamed(name));
}

ScalarType MovedType(std::string_view name) {
  const ScalarType type = ScalarTypeNamed(name);
  if (type != ScalarType::kUnknown) return type;
  const size_t bytes = SizeOfNamed(name);
  return bytes == 8   ? ScalarType::kInt64
         : bytes == 1 ? ScalarType::kBool
                      : ScalarType::kUnknown;
}

bool IsComputed(ScalarType type) {
  const TypeRow* row = RowOf(type);
  return row != nullptr && row->computed;
}

bool IsReal(ScalarType type) {
  return type == ScalarType::kFloat16 || type == ScalarType::kFloat32 ||
         type == ScalarType::kFloat64 || type == ScalarType::kBfloat16;
}

bool IsInteger(ScalarType type) { return IsComputed(type) && !IsReal(type); }

NumberType NumberTypeOf(ScalarType type) {
  switch (type) {
    case ScalarType::kBool: return NumberType::kBool;
    case ScalarType::kFloat16: return NumberType::kFloat16;
    case ScalarType::kBfloat16: return NumberType::kBfloat16;
    case ScalarType::kFloat32: return NumberType::kFloat32;
    case ScalarType::kFloat64: return NumberType::kFloat64;
    default: break;
  }
  return IsInteger(type) ? NumberType::kInteger : NumberType::kUnknown;
}

ScalarType OpmathOf(ScalarType type) {
  const bool half =
      type == ScalarType::kFloat16 || type == ScalarType::kBfloat16;
  return half ? ScalarType::kFloat32 : type;
}

template <typename C>
C LoadAs(ScalarType type, const std::byte* from) {
  return WithType(type, [from](auto value) {
    if constexpr (std::is_same_v<decltype(value), bool>) {
      return static_cast<C>(*from != std::byte{0});
    } else {
      std::memcpy(&value, from, sizeof(value));
      return Widen<C>(value);
    }
  });
}

template <typename C>
void StoreAs(ScalarType type, std::byte* to, C value) {
  WithType(type, [to, value](auto narrow) {
    narrow = Narrow<decltype(narrow)>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
  });
}

template double LoadAs<double>(ScalarType, const std::byte*);
template int64_t LoadAs<int64_t>(ScalarType, const std::byte*);
template void StoreAs<double>(ScalarType, std::byte*, double);
template void StoreAs<int64_t>(ScalarType, std::byte*, int64_t);

}  // namespace dltap::simgpu
