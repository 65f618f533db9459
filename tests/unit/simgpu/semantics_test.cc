// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simgpu/torch/functor.h"
#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

TEST(KernelNameTest, TakesATemplateApart) {
  const NameParts parts = TakeApart(
      "void at::native::(anonymous namespace)::kernel<4, a::F<float, b<int> >, "
      "std::array<char*, 2ul> >(int, a::F<float, b<int> >)");
  EXPECT_EQ("kernel", parts.name);
  ASSERT_EQ(3u, parts.arguments.size());
  EXPECT_EQ("4", parts.arguments[0]);
  EXPECT_EQ("a::F<float, b<int> >", parts.arguments[1]);
  EXPECT_TRUE(parts.lambdas.empty());
}

TEST(KernelNameTest, TakesALambdaApart) {
  const NameParts parts = TakeApart(
      "at::copy(at::Base&, void (*)(int))::{lambda()#3}::operator()() "
      "const::{lambda(float, long)#12}");
  EXPECT_EQ("copy", parts.name);
  ASSERT_EQ(2u, parts.lambdas.size());
  EXPECT_EQ(3, parts.lambdas[0].number);
  EXPECT_EQ(12, parts.lambdas[1].number);
  ASSERT_EQ(2u, parts.lambdas[1].parameters.size());
  EXPECT_EQ("long", parts.lambdas[1].parameters[1]);
}

TEST(KernelNameTest, SurvivesAnyText) {
  for (const char* text : {"", "<", "f<a", "f(}>", "f<>()", "{lambda(", "::"}) {
    EXPECT_LE(TakeApart(text).arguments.size(), 1u) << text;
  }
}

TEST(KernelNameTest, TellsTheParameters) {
  EXPECT_EQ(
      (std::vector<std::string_view>{"float*", "float const*", "A<int, 2>"}),
      TakeApart("void f<int*>(float*, float const*, A<int, 2>)").parameters);
  EXPECT_TRUE(TakeApart("").parameters.empty());
}

TEST(ScalarTypeTest, RoundsAsTheTypeDoes) {
  EXPECT_EQ(2048, RoundTo<double>(ScalarType::kFloat16, 2049));
  EXPECT_EQ(256, RoundTo<double>(ScalarType::kBfloat16, 257));
  EXPECT_EQ(-1, RoundTo<int64_t>(ScalarType::kInt8, 255));
  EXPECT_EQ(1, RoundTo<double>(ScalarType::kBool, 0.25));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(RoundTo<double>(ScalarType::kBfloat16, nan)));
}

TEST(ScalarTypeTest, RealNumbersBecomeTheNearestInteger) {
  EXPECT_EQ(-3, RoundTo<double>(ScalarType::kInt64, -3.9));
  EXPECT_EQ(2147483647, RoundTo<double>(ScalarType::kInt32, 1e20));
  EXPECT_EQ(0, RoundTo<double>(ScalarType::kInt64, std::nan("")));
}

TEST(FunctorTest, HeldInputLiesBehindTheInnerFunctor) {
  const Functor functor = FindFunctor(
      "at::native::AUnaryFunctor<float, float, bool, "
      "at::native::(anonymous namespace)::CompareEqFunctor<float> >");
  ASSERT_TRUE(functor.IsComputed());
  ASSERT_EQ(1u, functor.inputs.size());
  EXPECT_EQ(1, functor.input_indices[0]);
  EXPECT_EQ(ScalarType::kBool, functor.result);
  ASSERT_EQ(2u, functor.captures.size());
  EXPECT_EQ(4u, functor.captures[1].offset);
  EXPECT_EQ(0, functor.captures[1].value_index);
}

// What lies behind a lambda in a kernel's argument is found by its size.
TEST(FunctorTest, LambdasThatCaptureEndWithAPointer) {
  const auto bytes_of = [](const std::string& function,
                           const std::string& parameters) {
    const Functor functor = FindFunctor("at::native::" + function +
                                        "(at::TensorIteratorBase&)::{lambda(" +
                                        parameters + ")#1}");
    EXPECT_TRUE(functor.IsComputed()) << function;
    return functor.bytes;
  };
  EXPECT_EQ(1u, bytes_of("maximum_kernel_cuda", "int, int"));
  EXPECT_EQ(8u, bytes_of("pow_tensor_tensor_kernel", "int, int"));
  EXPECT_EQ(16u, bytes_of("compare_scalar_kernel", "unsigned char"));
  EXPECT_EQ(16u, bytes_of("addcmul_cuda_kernel",
                          "unsigned char, unsigned char, unsigned char"));
}

TEST(FunctorTest, UnknownFunctorsAndTypesAreNotComputed) {
  for (const char* name : {"at::native::OddFunctor<float>",
                           "at::native::FillFunctor<c10::complex<float> >",
                           "at::native::BitwiseAndFunctor<float>"}) {
    EXPECT_FALSE(FindFunctor(name).IsComputed()) << name;
  }
}

TEST(FunctorTest, NamesTellTheTypesOfUnknownFunctors) {
  const Functor gelu = FindFunctor(
      "at::native::GeluBackward(at::T&)::{lambda()#1}::operator()() "
      "const::{lambda(c10::Half, float)#1}");
  EXPECT_EQ((std::vector{ScalarType::kFloat16, ScalarType::kFloat32}),
            gelu.inputs);
  EXPECT_EQ(ScalarType::kFloat16, gelu.result);
  const Functor fill =
      FindFunctor("at::native::FillFunctor<c10::complex<float> >", 7);
  EXPECT_TRUE(fill.inputs.empty());
  EXPECT_EQ(ScalarType::kComplex64, fill.result);
  const Functor odd = FindFunctor("at::native::OddFunctor<F<double> >", 2);
  EXPECT_EQ(2u, odd.inputs.size());
  EXPECT_EQ(ScalarType::kFloat64, odd.result);
  EXPECT_FALSE(odd.counts_inputs);
}

}  // namespace
}  // namespace dltap::simgpu
