// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/kernel_kind.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(KernelKindTest, VariantsOfOneFunctorAreOfOneKind) {
  const auto fill = KernelKind(
      "void at::native::vectorized_elementwise_kernel<4, "
      "at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, "
      "at::native::FillFunctor<float>, std::array<char*, 1ul>)");
  EXPECT_EQ(fill, KernelKind("void at::native::unrolled_elementwise_kernel<"
                             "at::native::FillFunctor<float>, "
                             "std::array<char*, 1ul>, 4>(int)"));
  EXPECT_NE(fill, KernelKind("void at::native::vectorized_elementwise_kernel<"
                             "4, at::native::AUnaryFunctor<float>, "
                             "std::array<char*, 2ul> >(int)"));
}

TEST(KernelKindTest, TilesAreOfOneKind) {
  EXPECT_EQ(KernelKind("void reduce_tile64<128, 4>(float*)"),
            KernelKind("void reduce_tile128<256, 8>(float*)"));
}

TEST(KernelKindTest, ACompilersNamesStayApart) {
  EXPECT_NE(KernelKind("fusion_1"), KernelKind("fusion_2"));
}

}  // namespace
}  // namespace dltap::analyzer
