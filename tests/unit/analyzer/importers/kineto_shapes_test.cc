// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_shapes.h"

#include <gtest/gtest.h>

#include <vector>

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

constexpr char kFloats[] = R"(["float", "float"])";

// Batch, m, n, k of the one product; empty when there is none.
std::vector<int64_t> ProductOf(std::string_view name, std::string_view dims) {
  const OperationNodes nodes = OperationOfOperator(name, dims, kFloats);
  if (nodes.size() != 1 || nodes[0].kind != OpKind::kGemm) return {};
  const auto& op = nodes[0];
  return {op[Dim::kBatch], op[Dim::kM], op[Dim::kN], op[Dim::kK]};
}

using Dims = std::vector<int64_t>;

TEST(KinetoShapesTest, ProductsOfMatrices) {
  EXPECT_EQ(ProductOf("aten::mm", "[[8, 3], [3, 5]]"), (Dims{1, 8, 5, 3}));
  EXPECT_EQ(ProductOf("aten::addmm", "[[5], [8, 3], [3, 5], [], []]"),
            (Dims{1, 8, 5, 3}));
  EXPECT_EQ(ProductOf("aten::bmm", "[[4, 8, 3], [4, 3, 5]]"),
            (Dims{4, 8, 5, 3}));
}

TEST(KinetoShapesTest, LinearFoldsAllLeadingDimensions) {
  EXPECT_EQ(ProductOf("aten::linear", "[[2, 7, 3], [5, 3], [5]]"),
            (Dims{1, 14, 5, 3}));
}

TEST(KinetoShapesTest, ConvolutionBackwardIsTwoConvolutions) {
  const OperationNodes nodes = OperationOfOperator(
      "aten::convolution_backward",
      "[[2, 64, 28, 14], [2, 32, 56, 42], [64, 8, 5, 3], [], [], []]",
      R"(["c10::BFloat16", "c10::BFloat16"])");
  ASSERT_EQ(nodes.size(), 2);
  EXPECT_EQ(nodes[0].kind, OpKind::kConvBackwardData);
  EXPECT_EQ(nodes[1].kind, OpKind::kConvBackwardWeight);
  for (const auto& op : nodes) {
    EXPECT_EQ(op.storage, DType::kBf16);
    EXPECT_EQ(op[Dim::kBatch], 2);
    EXPECT_EQ(op[Dim::kChannelsIn], 32);
    EXPECT_EQ(op[Dim::kChannelsOut], 64);
    EXPECT_EQ(op[Dim::kGroups], 4);
    EXPECT_EQ(op[Dim::kHeightIn], 56);
    EXPECT_EQ(op[Dim::kWidthIn], 42);
    EXPECT_EQ(op[Dim::kFilterHeight], 5);
    EXPECT_EQ(op[Dim::kFilterWidth], 3);
    EXPECT_EQ(op[Dim::kHeightOut], 28);
    EXPECT_EQ(op[Dim::kWidthOut], 14);
    EXPECT_EQ(op[Dim::kDepthIn], 1);
  }
}

TEST(KinetoShapesTest, UnexpectedShapesGiveNoOperation) {
  for (const char* dims :
       {"", "[]", "[[8, 3]]", "[[8], [3, 5]]", "[[[8, 3]], [[3, 5]]]", "[[-",
        "]]]]", "[[-], [-]]", "[[8, 3"}) {
    EXPECT_TRUE(ProductOf("aten::mm", dims).empty()) << dims;
  }
  EXPECT_TRUE(ProductOf("aten::relu", "[[8, 3], [3, 5]]").empty());
  EXPECT_TRUE(ProductOf("mine::mm", "[[8, 3], [3, 5]]").empty());
}

}  // namespace
}  // namespace dltap::analyzer
