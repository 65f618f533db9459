// SPDX-License-Identifier: Apache-2.0
// Facts about PyTorch's elementwise functors: the names are in its wheels, the
// members and captures in aten/src/ATen/native/cuda (public source).
#include "simgpu/torch/functor_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

namespace dltap::simgpu {
namespace {

// Integers wrap.
template <typename C>
using Wrapping = std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, C>;

template <typename C>
C First(const C* v) {
  return v[0];
}
// a + alpha * b; the alpha comes last.
template <typename C>
C AddScaled(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[0]) + W(v[2]) * W(v[1]));
}
// The other way round: captures self and alpha.
template <typename C>
C AddToScaled(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[1]) + W(v[2]) * W(v[0]));
}
template <typename C>
C Multiply(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[0]) * W(v[1]));
}
template <typename C>
C Negate(const C* v) {
  if constexpr (std::is_same_v<C, double>) return -v[0];
  return static_cast<C>(-Wrapping<C>(v[0]));
}
double Divide(const double* v) { return v[0] / v[1]; }
// Python's: the quotient is rounded down. A GPU gives no error for zero.
double FloorDivide(const double* v) { return std::floor(v[0] / v[1]); }
int64_t FloorDivideIntegers(const int64_t* v) {
  if (v[1] == 0 || v[1] == -1) return v[1] == 0 ? -1 : Negate<int64_t>(v);
  const int64_t quotient = v[0] / v[1];
  return v[0] % v[1] != 0 && (v[0] < 0) != (v[1] < 0) ? quotient - 1 : quotient;
}
double TruncDivide(const double* v) { return std::trunc(v[0] / v[1]); }
int64_t TruncDivideIntegers(const int64_t* v) {
  if (v[1] == 0 || v[1] == -1) return v[1] == 0 ? -1 : Negate<int64_t>(v);
  return v[0] / v[1];
}
// A shift by more than there are bits leaves zero, or the sign.
int64_t ShiftLeft(const int64_t* v) {
  if (v[1] < 0 || v[1] >= 64) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(v[0]) << v[1]);
}
int64_t ShiftRight(const int64_t* v) {
  return v[0] >> (v[1] < 0 || v[1] >= 64 ? 63 : v[1]);
}
double Remainder(const double* v) {
  return v[0] - v[1] * std::floor(v[0] / v[1]);
}
int64_t RemainderOfIntegers(const int64_t* v) {
  if (v[1] == 0 || v[1] == -1) return 0;
  const int64_t rest = v[0] % v[1];
  return rest != 0 && (rest < 0) != (v[1] < 0) ? rest + v[1] : rest;
}

// C's: the sign is that of the dividend.
double Rest(const double* v) { return std::fmod(v[0], v[1]); }
int64_t RestOfIntegers(const int64_t* v) {
  return v[1] == 0 || v[1] == -1 ? 0 : v[0] % v[1];
}
template <typename C>
C Square(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[0]) * W(v[0]));
}
template <typename C>
C Cube(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[0]) * W(v[0]) * W(v[0]));
}
double InverseSquare(const double* v) { return 1 / (v[0] * v[0]); }
double Power(const double* v) { return std::pow(v[0], v[1]); }
int64_t PowerOfIntegers(const int64_t* v) {
  if (v[1] < 0)
    return v[0] == 1 || (v[0] == -1 && v[1] % 2 == 0) ? 1 : v[0] == -1 ? -1 : 0;
  uint64_t power = 1;
  auto base = static_cast<uint64_t>(v[0]);
  for (int64_t left = v[1]; left > 0; left /= 2, base *= base) {
    if (left % 2 != 0) power *= base;
  }
  return static_cast<int64_t>(power);
}
// self + alpha * b * c; the alpha comes last.
template <typename C>
C AddProduct(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[0]) + W(v[3]) * (W(v[1]) * W(v[2])));
}
double AddQuotient(const double* v) { return v[0] + v[3] * (v[1] / v[2]); }
// Of two vectors. Captures alpha; beta and alpha.
template <typename C>
C OuterProduct(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[3]) * W(v[1]) * W(v[2]));
}
template <typename C>
C AddOuterProduct(const C* v) {
  using W = Wrapping<C>;
  return static_cast<C>(W(v[3]) * W(v[0]) + W(v[4]) * W(v[1]) * W(v[2]));
}
double Interpolate(const double* v) {
  return std::fabs(v[2]) < 0.5 ? v[0] + v[2] * (v[1] - v[0])
                               : v[1] - (v[1] - v[0]) * (1 - v[2]);
}

template <typename C>
C Absolute(const C* v) {
  if constexpr (std::is_same_v<C, double>) return std::fabs(v[0]);
  return static_cast<C>(v[0] < 0 ? -Wrapping<C>(v[0]) : Wrapping<C>(v[0]));
}
template <typename C>
C Sign(const C* v) {
  return static_cast<C>(0 < v[0]) - static_cast<C>(v[0] < 0);
}
double HasSign(const double* v) { return std::signbit(v[0]); }
int64_t IsNegative(const int64_t* v) { return v[0] < 0; }
template <typename C>
C Heaviside(const C* v) {
  return v[0] == 0 ? v[1] : static_cast<C>(0 < v[0]);
}
// Captures: the threshold, and what stands for all below it.
template <typename C>
C Threshold(const C* v) {
  return v[0] <= v[2] ? v[3] : v[1];
}
// Captures: in place of a NaN, of plus and of minus infinity.
double NanToNumber(const double* v) {
  if (std::isnan(v[0])) return v[1];
  if (std::isinf(v[0])) return v[0] > 0 ? v[2] : v[3];
  return v[0];
}
double Reciprocal(const double* v) { return 1 / v[0]; }
template <double (*kFunction)(double)>
double Unary(const double* v) {
  return kFunction(v[0]);
}
double Rsqrt(const double* v) { return 1 / std::sqrt(v[0]); }
// Captures: beta, and where it is taken for linear.
double Softplus(const double* v) {
  const double scaled = v[0] * v[1];
  return scaled > v[2] ? v[0] : std::log1p(std::exp(scaled)) / v[1];
}
double Sigmoid(const double* v) { return 1 / (1 + std::exp(-v[0])); }

// enum class EqOpType {EQ, NE}
template <typename C>
C Equal(const C* v) {
  return (v[0] == v[1]) == (v[2] == 0);
}
// enum class OpType {GE, GT, LE, LT}
template <typename C>
C Compare(const C* v) {
  switch (static_cast<int>(v[2])) {
    case 0: return v[0] >= v[1];
    case 1: return v[0] > v[1];
    case 2: return v[0] <= v[1];
    default: return v[0] < v[1];
  }
}
// The same, its captures in the lambda's order: op, right hand side.
template <typename C>
C CompareScalar(const C* v) {
  const C ordered[] = {v[0], v[2], v[1]};
  return Compare<C>(ordered);
}

template <typename C>
C LogicalNot(const C* v) {
  return v[0] == 0;
}
template <typename C>
C LogicalAnd(const C* v) {
  return v[0] != 0 && v[1] != 0;
}
template <typename C>
C LogicalOr(const C* v) {
  return v[0] != 0 || v[1] != 0;
}
template <typename C>
C LogicalXor(const C* v) {
  return (v[0] != 0) != (v[1] != 0);
}
int64_t BitwiseNot(const int64_t* v) { return ~v[0]; }
template <typename Operator>
int64_t Bitwise(const int64_t* v) {
  return Operator{}(v[0], v[1]);
}

template <typename C>
C Maximum(const C* v) {
  if (v[0] != v[0]) return v[0];  // a NaN wins
  return v[1] != v[1] || v[0] < v[1] ? v[1] : v[0];
}
template <typename C>
C Minimum(const C* v) {
  if (v[0] != v[0]) return v[0];
  return v[1] != v[1] || v[1] < v[0] ? v[1] : v[0];
}
// enum class ClampLimits {Min, Max, MinMax}; captures: limits, low, high.
template <typename C>
C Clamp(const C* v) {
  if (v[0] != v[0]) return v[0];
  const auto limits = static_cast<int>(v[1]);
  if (limits == 0) return std::max(v[0], v[2]);
  if (limits == 1) return std::min(v[0], v[2]);
  return std::min(std::max(v[0], v[2]), v[3]);
}
// Between tensors. A NaN wins.
template <typename C>
C ClampBetween(const C* v) {
  for (int i = 0; i < 3; ++i) {
    if (v[i] != v[i]) return v[i];
  }
  return std::min(std::max(v[0], v[1]), v[2]);
}
template <typename C>
C Where(const C* v) {
  return v[0] != 0 ? v[1] : v[2];
}
template <typename C>
C MaskedFill(const C* v) {
  return v[1] != 0 ? v[2] : v[0];
}
template <int kSign>
double IsInfinity(const double* v) {
  return v[0] == kSign * std::numeric_limits<double>::infinity();
}

using Result = FunctorRow::Result;
#define BOTH(function) function<double>, function<int64_t>
#define REAL(function) Unary<static_cast<double (*)(double)>(function)>, nullptr

constexpr FunctorRow kRows[] = {
    {"FillFunctor", 0, "T", Result::kSame, BOTH(First)},
    {"direct_copy_kernel_cuda", 1, "", Result::kSame, BOTH(First)},
    {"converting_copy_kernel_cuda", 1, "", Result::kArgument, BOTH(First)},
    {"float16_copy_kernel_cuda", 1, "", Result::kFloat16, BOTH(First)},
    {"bfloat16_copy_kernel_cuda", 1, "", Result::kBfloat16, BOTH(First)},
    {"float16tofloat32_copy_kernel_cuda", 1, "", Result::kFloat32, BOTH(First)},
    {"bfloat16tofloat32_copy_kernel_cuda", 1, "", Result::kFloat32,
     BOTH(First)},
    {"CUDAFunctor_add", 2, "o", Result::kSame, BOTH(AddScaled)},
    {"CUDAFunctorOnSelf_add", 1, "oo", Result::kSame, BOTH(AddScaled)},
    {"CUDAFunctorOnOther_add", 1, "oo", Result::kSame, BOTH(AddToScaled)},
    {"MulFunctor", 2, "", Result::kSame, BOTH(Multiply)},
    {"DivFunctor", 2, "", Result::kSame, Divide, nullptr},
    {"div_floor_kernel_cuda", 2, "", Result::kSame, FloorDivide,
     FloorDivideIntegers},
    {"div_trunc_kernel_cuda", 2, "", Result::kSame, TruncDivide,
     TruncDivideIntegers},
    {"lshift_kernel_cuda", 2, "", Result::kSame, nullptr, ShiftLeft},
    {"rshift_kernel_cuda", 2, "", Result::kSame, nullptr, ShiftRight},
    {"remainder_kernel_cuda", 2, "", Result::kSame, Remainder,
     RemainderOfIntegers},
    {"fmod_kernel_cuda", 2, "", Result::kSame, Rest, RestOfIntegers},
    {"pow_tensor_scalar_kernel_impl#1", 1, "=", Result::kSame, BOTH(Square)},
    {"pow_tensor_scalar_kernel_impl#2", 1, "=", Result::kSame, BOTH(Cube)},
    {"pow_tensor_scalar_kernel_impl#3", 1, "=", Result::kSame, InverseSquare,
     nullptr},
    {"pow_tensor_scalar_kernel_impl#4", 1, "T", Result::kSame, Power,
     PowerOfIntegers},
    {"pow_tensor_tensor_kernel", 2, "=", Result::kSame, Power, PowerOfIntegers},
    {"addcmul_cuda_kernel", 3, "a", Result::kSame, BOTH(AddProduct)},
    {"addcdiv_cuda_kernel", 3, "a", Result::kSame, AddQuotient, nullptr},
    {"addr_kernel_cuda#1", 3, "T", Result::kSame, BOTH(OuterProduct)},
    {"addr_kernel_cuda#2", 3, "TT", Result::kSame, BOTH(AddOuterProduct)},
    {"lerp_scalar_kernel", 2, "o", Result::kSame, Interpolate, nullptr},
    {"lerp_tensor_kernel", 3, "", Result::kSame, Interpolate, nullptr},
    {"signbit_kernel_cuda", 1, "", Result::kBool, HasSign, IsNegative},
    {"heaviside_kernel_cuda", 2, "", Result::kSame, BOTH(Heaviside)},
    {"threshold_kernel_impl", 2, "TT", Result::kSame, BOTH(Threshold)},
    {"AbsFunctor", 1, "", Result::kSame, BOTH(Absolute)},
    {"sign_kernel_cuda", 1, "", Result::kSame, BOTH(Sign)},
    {"nan_to_num_kernel_cuda", 1, "TTT", Result::kSame, NanToNumber, nullptr},
    {"neg_kernel_cuda", 1, "", Result::kSame, BOTH(Negate)},
    {"reciprocal_kernel_cuda", 1, "", Result::kSame, Reciprocal, nullptr},
    {"sqrt_kernel_cuda", 1, "", Result::kSame, REAL(std::sqrt)},
    {"rsqrt_kernel_cuda", 1, "", Result::kSame, Rsqrt, nullptr},
    {"exp_kernel_cuda", 1, "", Result::kSame, REAL(std::exp)},
    {"log_kernel_cuda", 1, "", Result::kSame, REAL(std::log)},
    {"tanh_kernel_cuda", 1, "", Result::kSame, REAL(std::tanh)},
    {"softplus_kernel", 1, "oo", Result::kSame, Softplus, nullptr},
    {"log1p_kernel_cuda", 1, "", Result::kSame, REAL(std::log1p)},
    {"expm1_kernel_cuda", 1, "", Result::kSame, REAL(std::expm1)},
    {"sigmoid_kernel_cuda", 1, "", Result::kSame, Sigmoid, nullptr},
    {"floor_kernel_cuda", 1, "", Result::kSame, REAL(std::floor)},
    {"ceil_kernel_cuda", 1, "", Result::kSame, REAL(std::ceil)},
    {"trunc_kernel_cuda", 1, "", Result::kSame, REAL(std::trunc)},
    {"round_kernel_cuda", 1, "", Result::kSame, REAL(std::nearbyint)},
    {"CompareEqFunctor", 2, "i", Result::kBool, BOTH(Equal)},
    {"CompareFunctor", 2, "i", Result::kBool, BOTH(Compare)},
    {"compare_scalar_kernel", 1, "iT", Result::kBool, BOTH(CompareScalar)},
    {"logical_not_kernel_cuda", 1, "", Result::kBool, BOTH(LogicalNot)},
    {"logical_and_kernel_cuda", 2, "", Result::kBool, BOTH(LogicalAnd)},
    {"logical_or_kernel_cuda", 2, "", Result::kBool, BOTH(LogicalOr)},
    {"logical_xor_kernel_cuda", 2, "", Result::kBool, BOTH(LogicalXor)},
    {"bitwise_not_kernel_cuda", 1, "", Result::kSame, nullptr, BitwiseNot},
    {"BitwiseAndFunctor", 2, "", Result::kSame, nullptr,
     Bitwise<std::bit_and<int64_t>>},
    {"BitwiseOrFunctor", 2, "", Result::kSame, nullptr,
     Bitwise<std::bit_or<int64_t>>},
    {"BitwiseXorFunctor", 2, "", Result::kSame, nullptr,
     Bitwise<std::bit_xor<int64_t>>},
    {"isposinf_kernel_impl", 1, "", Result::kBool, IsInfinity<1>, nullptr},
    {"isneginf_kernel_impl", 1, "", Result::kBool, IsInfinity<-1>, nullptr},
    {"maximum_kernel_cuda", 2, "", Result::kSame, BOTH(Maximum)},
    {"minimum_kernel_cuda", 2, "", Result::kSame, BOTH(Minimum)},
    {"launch_clamp_scalar", 1, "ioo", Result::kSame, BOTH(Clamp)},
    {"clamp_kernel_impl", 3, "", Result::kSame, BOTH(ClampBetween)},
    {"where_kernel_impl", 3, "", Result::kSame, BOTH(Where)},
    {"masked_fill_kernel", 2, "T", Result::kSame, BOTH(MaskedFill)},
};

#undef BOTH
#undef REAL

}  // namespace

const FunctorRow* FindFunctorRow(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [name](const FunctorRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace dltap::simgpu
