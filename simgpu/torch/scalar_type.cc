// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/scalar_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

namespace dltap::simgpu {
namespace {

struct TypeRow {
  std::string_view name;
  ScalarType type;
};

constexpr TypeRow kTypes[] = {
    {"float", ScalarType::kFloat32},
    {"double", ScalarType::kFloat64},
    {"c10::Half", ScalarType::kFloat16},
    {"c10::BFloat16", ScalarType::kBfloat16},
    {"Eigen::half", ScalarType::kFloat16},
    {"Eigen::bfloat16", ScalarType::kBfloat16},
    {"bool", ScalarType::kBool},
    {"signed char", ScalarType::kInt8},
    {"unsigned char", ScalarType::kUInt8},
    {"short", ScalarType::kInt16},
    {"unsigned short", ScalarType::kUInt16},
    {"int", ScalarType::kInt32},
    {"unsigned int", ScalarType::kUInt32},
    {"long", ScalarType::kInt64},
    {"long long", ScalarType::kInt64},
    {"unsigned long", ScalarType::kUInt64},
    {"unsigned long long", ScalarType::kUInt64},
};

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
    case ScalarType::kUInt64:
    case ScalarType::kUnknown: break;
  }
  return visit(uint64_t{});
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

size_t SizeOf(ScalarType type) {
  const bool known = std::any_of(
      std::begin(kTypes), std::end(kTypes),
      [type](const TypeRow& candidate) { return candidate.type == type; });
  if (!known) return 0;
  return WithType(type, [](auto value) { return sizeof(value); });
}

bool IsReal(ScalarType type) {
  return type == ScalarType::kFloat16 || type == ScalarType::kFloat32 ||
         type == ScalarType::kFloat64 || type == ScalarType::kBfloat16;
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
