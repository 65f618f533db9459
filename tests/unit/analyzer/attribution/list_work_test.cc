// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/list_work.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::analyzer {
namespace {

using opmodel::DType;

std::string Applied(const std::string& functor) {
  return "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
         "at::native::(anonymous namespace)::TensorListMetadata<2>, "
         "at::native::(anonymous namespace)::" +
         functor + ", std::plus<float>, float>(int)";
}

TEST(ListWorkTest, FunctorsTellTheTypeAndWhatTheyRead) {
  const auto add =
      ListKernelOf(Applied("BinaryOpListAlphaFunctor<c10::Half, 2, 2, 0>"));
  ASSERT_TRUE(add);
  EXPECT_EQ(add->type, DType::kF16);
  EXPECT_EQ(add->moved, 2);
  const auto root = ListKernelOf(Applied("UnaryOpFunctor<double, 2, 1, 1>"));
  ASSERT_TRUE(root);
  EXPECT_EQ(root->type, DType::kF64);
  EXPECT_EQ(root->moved, 1);
}

// Parameters and two moments are read and written, gradients read.
TEST(ListWorkTest, AdamWritesAllButTheGradients) {
  const auto adam = ListKernelOf(
      Applied("FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, "
              "false>"));
  ASSERT_TRUE(adam);
  EXPECT_EQ(adam->moved + 1, 7);
}

TEST(ListWorkTest, ConcatenationTellsTheSizeOfAnElement) {
  const auto copy = ListKernelOf(
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<"
      "at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 1, "
      "128, 1, 16, 8>(char*)");
  ASSERT_TRUE(copy);
  EXPECT_EQ(opmodel::BitsOf(copy->type), 16);
  EXPECT_EQ(copy->moved, 1);
}

TEST(ListWorkTest, OtherKernelsAndComplexNumbersTellNothing) {
  EXPECT_FALSE(ListKernelOf("void at::native::reduce_kernel<512, 1>(int)"));
  EXPECT_FALSE(ListKernelOf(Applied("LpNormFunctor<float, 1, float, 1, 1>")));
  EXPECT_FALSE(ListKernelOf(
      Applied("BinaryOpListAlphaFunctor<c10::complex<float>, 2, 2, 0>")));
}

}  // namespace
}  // namespace dltap::analyzer
