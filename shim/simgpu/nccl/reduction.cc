// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/nccl/reduction.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace dltap::simgpu {
namespace {

struct TypeRow {
  ncclDataType_t type;
  size_t bytes;
  std::string_view name;
};

constexpr TypeRow kTypes[] = {
    {ncclInt8, 1, "i8"},           {ncclUint8, 1, "u8"},
    {ncclInt32, 4, "i32"},         {ncclUint32, 4, "u32"},
    {ncclInt64, 8, "i64"},         {ncclUint64, 8, "u64"},
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

template <typename T>
T Narrow(float value) {
  return T::From(value);
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
      out[i] = Narrow<T>(Combine<float>(op, out[i], in[i]));
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
      out[i] = Narrow<T>(static_cast<float>(out[i]) / ranks);
    }
  }
}

// Calls visit.operator()<T>() with the C++ type; false: none stands for it.
template <typename Visit>
bool WithType(ncclDataType_t type, Visit visit) {
  switch (type) {
    case ncclInt8: visit.template operator()<int8_t>(); return true;
    case ncclUint8: visit.template operator()<uint8_t>(); return true;
    case ncclInt32: visit.template operator()<int32_t>(); return true;
    case ncclUint32: visit.template operator()<uint32_t>(); return true;
    case ncclInt64: visit.template operator()<int64_t>(); return true;
    case ncclUint64: visit.template operator()<uint64_t>(); return true;
    case ncclFloat16: visit.template operator()<F16>(); return true;
    case ncclFloat32: visit.template operator()<float>(); return true;
    case ncclFloat64: visit.template operator()<double>(); return true;
    case ncclBfloat16: visit.template operator()<Bf16>(); return true;
    default: return false;
  }
}

}  // namespace

size_t ElementBytes(ncclDataType_t type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? 0 : row->bytes;
}

std::string_view TypeName(ncclDataType_t type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? "i8" : row->name;
}

std::string_view OpName(ncclRedOp_t op) {
  switch (op) {
    case ncclSum: return "Sum";
    case ncclProd: return "Prod";
    case ncclMax:
    case ncclMin: return "MinMax";
    case ncclAvg: return "SumPostDiv";
    default: return "PreMulSum";
  }
}

bool Reduce(ncclRedOp_t op, ncclDataType_t type, void* into, const void* from,
            size_t count) {
  return WithType(type,
                  [&]<typename T>() { ReduceAs<T>(op, into, from, count); });
}

void Finish(ncclRedOp_t op, ncclDataType_t type, void* values, size_t count,
            int ranks) {
  if (op != ncclAvg) return;
  WithType(type, [&]<typename T>() { DivideAs<T>(values, count, ranks); });
}

}  // namespace dltap::simgpu
