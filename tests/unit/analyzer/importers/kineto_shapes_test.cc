// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_shapes.h"

#include <gtest/gtest.h>

#include <vector>

#include "opmodel/cost.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

constexpr char kFloats[] = R"(["float", "float"])";

// Batch, m, n, k of the one product; empty when there is none.
std::vector<int64_t> ProductOf(std::string_view name, std::string_view dims) {
  const OperationNodes nodes = OperationOfOperator(name, dims, kFloats, "");
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
      R"(["c10::BFloat16", "c10::BFloat16"])",
      R"(["", "", "", "[64]", "[2, 3]", "[2, 1]", "[1, 1]", "False",
          "[0, 0]", "4", "[True, True, False]"])");
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

// FLOPs of the operator's nodes together.
double FlopsOf(std::string_view name, std::string_view dims,
               std::string_view concrete) {
  double flops = 0;
  for (const auto& op : OperationOfOperator(name, dims, kFloats, concrete)) {
    flops += opmodel::CostOf(op)->flops;
  }
  return flops;
}

// 8 images of 3 x 32 x 32, 16 filters of 3 x 3, stride 2, padding 1: outputs of
// 16 x 16, each the sum of 27 products.
TEST(KinetoShapesTest, ConvolutionsResultFollowsFromItsStrides) {
  const double expected = 2.0 * 8 * 16 * 16 * 16 * 27;
  EXPECT_EQ(FlopsOf("aten::convolution", "[[8,3,32,32],[16,3,3,3],[]]",
                    R"(["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]",
                        "1"])"),
            expected);
  EXPECT_EQ(FlopsOf("aten::cudnn_convolution", "[[8,3,32,32],[16,3,3,3]]",
                    R"(["","","[1, 1]","[2, 2]","[1, 1]","1","False"])"),
            expected);
}

TEST(KinetoShapesTest, ConvolutionWithoutRecordedStridesIsUnknown) {
  EXPECT_EQ(FlopsOf("aten::convolution", "[[8,3,32,32],[16,3,3,3],[]]", ""), 0);
  EXPECT_EQ(FlopsOf("aten::convolution_backward",
                    "[[8,16,16,16],[8,3,32,32],[16,3,3,3]]", ""),
            0);
}

// The first layer of a net needs no gradient of its input.
TEST(KinetoShapesTest, OnlyTheGradientsAskedForAreCounted) {
  EXPECT_EQ(FlopsOf("aten::convolution_backward",
                    "[[8,16,16,16],[8,3,32,32],[16,3,3,3]]",
                    R"(["","","","[16]","[2, 2]","[1, 1]","[1, 1]","False",
                        "[0, 0]","1","[False, True, True]"])"),
            2.0 * 8 * 16 * 16 * 16 * 27);
}

// Each of 4 x 4 inputs of 16 channels is spread over 8 filters of 2 x 2.
TEST(KinetoShapesTest, TransposedConvolutionCountsItsInputs) {
  EXPECT_EQ(FlopsOf("aten::convolution", "[[2,16,4,4],[16,8,2,2],[]]",
                    R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]",
                        "1"])"),
            2.0 * 2 * 4 * 4 * 16 * 8 * 4);
}

// Two layers of 64 LSTM cells over 16 words of 32: four gates each.
TEST(KinetoShapesTest, RecurrentLayersOfCudnn) {
  EXPECT_EQ(FlopsOf("aten::_cudnn_rnn", "[[8,16,32]]",
                    R"(["","","4","","","","2","64","0","2","True","0.1",
                        "True","False","[]",""])"),
            2.0 * 8 * 16 * 4 * 64 * ((32 + 64) + (64 + 64)));
}

// Six steps of three sequences (3 + 2 + 1), one layer of 64 LSTM cells.
TEST(KinetoShapesTest, SequencesOfSeveralLengthsCountTheirOwnSteps) {
  EXPECT_EQ(FlopsOf("aten::_cudnn_rnn", "[[6,32]]",
                    R"(["","","4","","","","2","64","0","1","False","0.",
                        "True","False","[3, 2, 1]",""])"),
            2.0 * 6 * 4 * 64 * (32 + 64));
  EXPECT_EQ(FlopsOf("aten::_cudnn_rnn", "[[6,32]]",
                    R"(["","","4","","","","2","64","0","1","False","0.",
                        "True","False","[]",""])"),
            0);
}

// 4 batches, 2 heads, 64 x 64 scores of 32 products, and as many with V.
TEST(KinetoShapesTest, AttentionsMaskLeavesHalf) {
  constexpr char kDims[] = "[[4,2,64,32],[4,2,64,32],[4,2,64,32]]";
  constexpr char kName[] = "aten::_scaled_dot_product_flash_attention";
  const double whole = 2.0 * 2 * 4 * 2 * 64 * 64 * 32;
  EXPECT_EQ(FlopsOf(kName, kDims, R"(["","","","0.","False","False",""])"),
            whole);
  EXPECT_EQ(FlopsOf(kName, kDims, R"(["","","","0.","True","False",""])"),
            whole / 2);
  EXPECT_EQ(FlopsOf(kName, kDims, ""), 0) << "whether it is causal is unknown";
}

TEST(KinetoShapesTest, UnexpectedScalarsGiveNoOperation) {
  for (const char* concrete :
       {"[", "[\"", "[\"\", \"[1\"]", "{}",
        R"(["","","","[x]","[0]","[1]","1","[]","1"])"}) {
    EXPECT_EQ(FlopsOf("aten::convolution", "[[8,3,9,9],[4,3,3,3]]", concrete),
              0)
        << concrete;
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

TEST(KinetoShapesTest, ActivationsGoOverTheirTensorOnce) {
  const auto cost_of = [](const char* name, const char* dims) {
    const OperationNodes nodes = OperationOfOperator(
        name, dims, R"(["c10::BFloat16","c10::BFloat16",""])", "");
    EXPECT_EQ(nodes.size(), 1u) << name;
    return *opmodel::CostOf(nodes.at(0));
  };
  // 141 x 2048 = 288,768 numbers of two bytes, read and written.
  EXPECT_EQ(cost_of("aten::gelu", "[[1,141,2048],[]]").flops, 288'768);
  EXPECT_EQ(cost_of("aten::gelu", "[[1,141,2048],[]]").bytes, 1'155'072);
  const auto back =
      cost_of("aten::gelu_backward", "[[1,141,2048],[1,141,2048],[]]");
  EXPECT_EQ(back.flops, 577'536);
  EXPECT_EQ(back.bytes, 1'732'608);
}

}  // namespace
}  // namespace dltap::analyzer
