// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/names/name_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace dltap::analyzer {
namespace {

std::string GlobsOf(const NameRule* rule) {
  return rule == nullptr ? "no rule" : std::string(rule->globs);
}

void ExpectCaught(const NameRule& rule,
                  const NameRule* (*match)(std::string_view)) {
  for (std::string_view rest = rule.examples; !rest.empty();) {
    const size_t bar = std::min(rest.find('|'), rest.size());
    const std::string_view example = rest.substr(0, bar);
    EXPECT_EQ(GlobsOf(match(example)), rule.globs) << example;
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
}

TEST(NameRulesTest, EveryKernelRuleCatchesItsOwnExamples) {
  for (const NameRule& rule : KernelNameRules()) {
    ExpectCaught(rule, MatchKernelName);
  }
}

TEST(NameRulesTest, EveryOperatorRuleCatchesItsOwnExamples) {
  for (const NameRule& rule : OperatorNameRules()) {
    ExpectCaught(rule, MatchOperatorName);
  }
}

TEST(KernelPathTest, KeepsWhatTheKernelDoes) {
  EXPECT_EQ(KernelPath("void a::(anonymous namespace)::k<4, a::F<float>, "
                       "long>(b::Gemm*)"),
            "a::k<a::F<>>");
  EXPECT_EQ(KernelPath("volta_sgemm_32x128_tn"), "volta_sgemm_32x128_tn");
  EXPECT_EQ(KernelPath("void a::k<a::f(b::Gemm&)::{lambda(float)#1}>(int)"),
            "a::k<a::f::{lambda#1}>");
  EXPECT_EQ(KernelPath("void a::k<4, a::f(b::S&)::{lambda()#4}::operator()() "
                       "const::{lambda(long)#1}, x::y<char*, 2ul> >(int)"),
            "a::k<a::f::{lambda#4}::operator const::{lambda(long)#1},x::y<> >");
  EXPECT_EQ(KernelPath("void a::<unnamed>::k<(int)4, (bool)1>(T1 *)"),
            "a::k<>");
  EXPECT_EQ(KernelPath("a::f(int)::k<float>(int)"), "a::f::k<>");
  EXPECT_EQ(KernelPath("triton_poi_fused_cat_12"), "triton_poi_fused_cat");
  EXPECT_EQ(KernelPath(""), "");
  EXPECT_EQ(KernelPath("k<a::b(c<d"), "k<a::b");
  EXPECT_EQ(KernelPath("k>,)"), "k>,)");
}

TEST(NameRulesTest, AFusionIsWhatItsDominantOperationIs) {
  const auto class_of = [](std::string_view name) {
    return MatchKernelName(name)->layer_class;
  };
  EXPECT_EQ(class_of("triton_poi_fused_add_convolution_0"),
            LayerClass::kElementwise);
  EXPECT_EQ(class_of("triton_per_fused_add_native_layer_norm_view_4"),
            LayerClass::kNorm);
  EXPECT_EQ(class_of("triton_tem_fused_mm_relu_9"), LayerClass::kGemm);
  EXPECT_EQ(class_of("triton_red_fused_addmm_sum_2"), LayerClass::kReduction);
  // gelu(x) * 2 + y, converted: only the last operation is named, and what does
  // nothing else is called wrapped.
  EXPECT_EQ(class_of("loop_convert_fusion_2"), LayerClass::kElementwise);
  EXPECT_EQ(class_of("wrapped_convert_2"), LayerClass::kLayout);
}

TEST(NameRulesTest, ACastThatComputesIsWhatItComputes) {
  const std::string head =
      "void at::native::elementwise_kernel<128, 4, "
      "at::native::gpu_kernel_impl<";
  const std::string tail =
      ">(at::TensorIteratorBase&)::{lambda(int)#1}, "
      "at::native::memory::LoadWithCast<2>, "
      "at::native::memory::StoreWithCast<1> >(int)";
  const auto class_of = [&](const std::string& functor) {
    return MatchKernelName(head + functor + tail)->layer_class;
  };
  EXPECT_EQ(class_of("at::native::CUDAFunctor_add<float>"),
            LayerClass::kElementwise);
  EXPECT_EQ(class_of("at::native::sigmoid_kernel_cuda(at::TensorIteratorBase&)"
                     "::{lambda(float)#1}"),
            LayerClass::kActivation);
  EXPECT_EQ(class_of("at::native::direct_copy_kernel_cuda("
                     "at::TensorIteratorBase&)::{lambda(float)#1}"),
            LayerClass::kLayout);
}

TEST(NameRulesTest, ACopyThatChangesTheTypeIsACast) {
  const std::string copy =
      "void at::native::unrolled_elementwise_kernel<"
      "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::"
      "{lambda(float)#1}";
  EXPECT_TRUE(IsCast(copy + ", at::native::memory::LoadWithCast<1> >(int)"));
  EXPECT_FALSE(IsCast(copy + ", at::native::memory::LoadWithoutCast>(int)"));
  EXPECT_FALSE(IsCast("void k<at::native::memory::LoadWithCast<1> >(int)"));
  EXPECT_TRUE(IsCast("void k<at::native::bfloat16_copy_kernel_cuda(int)>()"));
}

TEST(NameRulesTest, AParameterListDecidesNothing) {
  EXPECT_EQ(MatchKernelName("void at::native::jagged_dense_elementwise_kernel_<"
                            "at::native::_fbgemm_dense_to_jagged(at::Tensor&)>"
                            "(int, at::Gemm)")
                ->layer_class,
            LayerClass::kLayout);

  EXPECT_EQ(MatchKernelName("void secret(fbgemm_gpu::Tensor, Softmax*)"),
            nullptr);
  EXPECT_EQ(MatchKernelName("void secret<cutlass::half_t, 8>(int)"), nullptr);
}

TEST(NameRulesTest, UnknownNamesMatchNothing) {
  EXPECT_EQ(MatchKernelName("my_secret_thing"), nullptr);
  EXPECT_EQ(MatchKernelName(""), nullptr);
}

TEST(GlobTest, MatchesWholeTexts) {
  EXPECT_TRUE(GlobMatches("abc", "abc"));
  EXPECT_FALSE(GlobMatches("abc", "abcd"));
  EXPECT_TRUE(GlobMatches("*b*", "abc"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("a*c", "abcbc"));
  EXPECT_FALSE(GlobMatches("a*cd", "abc"));
  EXPECT_FALSE(GlobMatches("ab*ba", "aba"));
  EXPECT_TRUE(GlobMatches("*x*y*", "1x2y3"));
  EXPECT_FALSE(GlobMatches("*y*x*", "1x2y3"));
}

TEST(DemangleTest, LeavesWhatIsNotMangled) {
  EXPECT_EQ(Demangle("_Z3fooi"), "foo(int)");
  EXPECT_EQ(Demangle("volta_sgemm_64x64_nt"), "volta_sgemm_64x64_nt");
  EXPECT_EQ(Demangle("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace dltap::analyzer
