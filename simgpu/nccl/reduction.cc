// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dltap::simgpu {
namespace {

struct TypeRow {
  ncclDataType_t type;
  size_t bytes;
  std::string_view name;
};

constexpr TypeRow kTypes[] = {
    {ncclInt8, 1, "u8"},           {ncclUint8, 1, "u8"},
    {ncclInt32, 4, "u32"},         {ncclUint32, 4, "u32"},
    {ncclInt64, 8, "u64"},         {ncclUint64, 8, "u64"},
    {ncclFloat16, 2, "f16"},       {ncclFloat32, 4, "f32"},
    {ncclFloat64, 8, "f64"},       {ncclBfloat16, 2, "bf16"},
    {ncclFloat8e4m3, 1, "f8e4m3"}, {ncclFloat8e5m2, 1, "f8e5m2"},
};

const TypeRow* FindType(ncclDataType_t type) {
  const auto* row = std::find_if(
      std::begin(kTypes), std::end(kTypes),
      [type](const TypeRow& candidate) { return candidate.type == type; });
  return row == std::end(kTypes) ? nullptr : row;
}

// 16-bit types are computed in float and rounded to nearest even.
struct Bf16 {
  uint16_t bits;
  operator float() const {  // NOLINT: a number like any other
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static Bf16 From(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const uint32_t rounding = 0x7fff + ((word >> 16) & 1);
    return {static_cast<uint16_t>((word + rounding) >> 16)};
  }
};

struct F16 {
  _Float16 value;
  operator float() const { return static_cast<float>(value); }  // NOLINT
  static F16 From(float value) { return {static_cast<_Float16>(value)}; }
};

// An 8-bit float: sign, kExponentBits, the rest mantissa. kFinite has no
// infinity and one NaN per sign (E4M3 of the OCP FP8 specification); else as
// IEEE 754 would have it (E5M2).
template <int kExponentBits, bool kFinite>
struct Fp8 {
  static constexpr int kMantissaBits = 7 - kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr uint8_t kNan = 0x7f;
  static constexpr uint8_t kLargest =
      kFinite ? 0x7e : static_cast<uint8_t>(0x7f - (1 << kMantissaBits));

  uint8_t bits;

  operator float() const {  // NOLINT: a number like any other
    const int magnitude = bits & 0x7f;
    const int exponent = magnitude >> kMantissaBits;
    const int mantissa = magnitude & ((1 << kMantissaBits) - 1);
    const bool special = kFinite ? magnitude == kNan : magnitude > kLargest;
    float value = 0;
    if (special) {
      value = kFinite || mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
      value =
          std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits);
    } else {
      value = std::ldexp(static_cast<float>((1 << kMantissaBits) + mantissa),
                         exponent - kBias - kMantissaBits);
    }
    return (bits & 0x80) != 0 ? -value : value;
  }

  static Fp8 From(float value) {
    const uint8_t sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value)) return {static_cast<uint8_t>(sign | kNan)};
    const float magnitude = std::fabs(value);
    int exponent = std::max(std::ilogb(magnitude), 1 - kBias);
    if (magnitude == 0) exponent = 1 - kBias;
    // In units of the last place; nearbyint rounds to even.
    const double units = std::nearbyint(
        std::ldexp(static_cast<double>(magnitude), kMantissaBits - exponent));
    // A carry into the exponent is an addition like any other.
    const double coded = units + ((exponent + kBias - 1) << kMantissaBits);
    const bool overflows = std::isinf(magnitude) || coded > kLargest;
    const auto code = overflows ? kLargest : static_cast<uint8_t>(coded);
    return {static_cast<uint8_t>(sign | code)};
  }
};
using E4m3 = Fp8<4, true>;
using E5m2 = Fp8<5, false>;

template <typename T>
T Narrow(double value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return T::From(static_cast<float>(value));
  }
}

template <typename T>
T Combine(ncclRedOp_t op, T a, T b) {
  switch (op) {
    case ncclProd: return a * b;
    case ncclMax: return std::max(a, b);
    case ncclMin: return std::min(a, b);
    default: return a + b;  // sums, averages, scaled sums
  }
}

template <typename T>
void ReduceAs(ncclRedOp_t op, void* into, const void* from, size_t count) {
  auto* out = static_cast<T*>(into);
  const auto* in = static_cast<const T*>(from);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      out[i] = Combine(op, out[i], in[i]);
    } else {
      out[i] = T::From(Combine<float>(op, out[i], in[i]));
    }
  }
}

template <typename T>
void DivideAs(void* values, size_t count, int ranks) {
  auto* out = static_cast<T*>(values);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      out[i] = static_cast<T>(out[i] / static_cast<T>(ranks));
    } else {
      out[i] = T::From(static_cast<float>(out[i]) / static_cast<float>(ranks));
    }
  }
}

template <typename T>
void ScaleAs(void* values, size_t count, double factor) {
  auto* out = static_cast<T*>(values);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      out[i] = static_cast<T>(out[i] * static_cast<T>(factor));
    } else {
      out[i] = Narrow<T>(static_cast<double>(out[i]) * factor);
    }
  }
}

// Calls visit.operator()<T>() with the C++ type.
template <typename Visit>
void WithType(ncclDataType_t type, Visit visit) {
  switch (type) {
    case ncclInt8: visit.template operator()<int8_t>(); return;
    case ncclUint8: visit.template operator()<uint8_t>(); return;
    case ncclInt32: visit.template operator()<int32_t>(); return;
    case ncclUint32: visit.template operator()<uint32_t>(); return;
    case ncclInt64: visit.template operator()<int64_t>(); return;
    case ncclUint64: visit.template operator()<uint64_t>(); return;
    case ncclFloat16: visit.template operator()<F16>(); return;
    case ncclFloat32: visit.template operator()<float>(); return;
    case ncclFloat64: visit.template operator()<double>(); return;
    case ncclBfloat16: visit.template operator()<Bf16>(); return;
    case ncclFloat8e4m3: visit.template operator()<E4m3>(); return;
    case ncclFloat8e5m2: visit.template operator()<E5m2>(); return;
    default: return;
  }
}

}  // namespace

size_t ElementBytes(ncclDataType_t type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? 0 : row->bytes;
}

std::string_view KernelTypeName(ncclDataType_t type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? "u8" : row->name;
}

void Reduce(ncclRedOp_t op, ncclDataType_t type, void* into, const void* from,
            size_t count) {
  WithType(type, [&]<typename T>() { ReduceAs<T>(op, into, from, count); });
}

void Finish(ncclRedOp_t op, ncclDataType_t type, void* values, size_t count,
            int ranks) {
  if (op != ncclAvg) return;
  WithType(type, [&]<typename T>() { DivideAs<T>(values, count, ranks); });
}

void Scale(ncclDataType_t type, void* values, size_t count, double factor) {
  WithType(type, [&]<typename T>() { ScaleAs<T>(values, count, factor); });
}

double ReadNumber(ncclDataType_t type, const void* value) {
  double number = 0;
  WithType(type, [&]<typename T>() {
    number = static_cast<double>(*static_cast<const T*>(value));
  });
  return number;
}

}  // namespace dltap::simgpu
