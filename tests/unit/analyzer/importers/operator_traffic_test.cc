// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/operator_traffic.h"

#include <gtest/gtest.h>

#include "opmodel/cost.h"

namespace dltap::analyzer {
namespace {

// FLOPs and bytes of an operator; -1 each: not told.
struct Work {
  double flops = -1;
  double bytes = -1;
  bool operator==(const Work&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.flops << " FLOPs, " << work.bytes << " bytes";
}

Work WorkOf(std::string_view name, std::string_view dims,
            std::string_view types, std::string_view concrete = R"([""])",
            std::string_view strides = "") {
  const OperationNodes nodes =
      TrafficOf(name, OperatorInputs(dims, types, concrete, strides));
  if (nodes.empty()) return {};
  Work work{0, opmodel::CostOf(nodes[0])->bytes};
  for (const auto& node : nodes) work.flops += opmodel::CostOf(node)->flops;
  return work;
}

TEST(OperatorTrafficTest, ElementwiseOperatorsMoveEachTensorOnce) {
  constexpr char kTwo[] = R"(["float", "float", "Scalar"])";
  EXPECT_EQ(WorkOf("aten::add", "[[8, 4], [8, 4], []]", kTwo),
            (Work{32, 3 * 32 * 4}));
  EXPECT_EQ(WorkOf("aten::add_", "[[8, 4], [4], []]", kTwo),
            (Work{32, (32 + 4 + 32) * 4}));
  EXPECT_EQ(WorkOf("aten::lerp", "[[10], [10], []]", kTwo),
            (Work{30, 3 * 10 * 4}));
}

TEST(OperatorTrafficTest, ResultHasTheShapeThatAllAreBroadcastTo) {
  EXPECT_EQ(WorkOf("aten::mul", "[[8, 1], [1, 4]]", R"(["float", "float"])"),
            (Work{32, (8 + 4 + 32) * 4}));
  EXPECT_EQ(WorkOf("aten::mul", "[[8, 3], [4]]", R"(["float", "float"])"),
            Work());
}

TEST(OperatorTrafficTest, WhatIsExpandedLiesInMemoryOnce) {
  EXPECT_EQ(WorkOf("aten::div", "[[8, 4], []]", R"(["float", "Scalar"])",
                   R"(["", "256"])", "[[1, 0], []]"),
            (Work{32, (8 + 32) * 4}));
}

TEST(OperatorTrafficTest, SparseTensorsHaveNoStridesAndAreUnknown) {
  EXPECT_EQ(WorkOf("aten::add", "[[8, 4], [8, 4]]", R"(["float", "float"])",
                   R"([""])", "[[], []]"),
            Work());
}

TEST(OperatorTrafficTest, TypesMayDiffer) {
  EXPECT_EQ(WorkOf("aten::gt", "[[16], []]", R"(["float", "Scalar"])"),
            (Work{16, 16 * 4 + 16}));
  EXPECT_EQ(WorkOf("aten::where", "[[16], [16], [16]]",
                   R"(["bool", "c10::Half", "c10::Half"])"),
            (Work{0, 16 + 3 * 32}));
  EXPECT_EQ(WorkOf("aten::copy_", "[[16], [16], []]",
                   R"(["c10::BFloat16", "float", "Scalar"])"),
            (Work{0, 16 * 2 + 16 * 4}));
}

TEST(OperatorTrafficTest, IntegersComputeNothingThatCounts) {
  EXPECT_EQ(WorkOf("aten::add", "[[16], [16]]", R"(["long int", "long int"])"),
            (Work{0, 3 * 16 * 8}));
  // Gives floats, of a type that no input has.
  EXPECT_EQ(WorkOf("aten::div", "[[16], [16]]", R"(["long int", "long int"])"),
            Work());
}

TEST(OperatorTrafficTest, ComplexArithmeticIsNotCounted) {
  EXPECT_EQ(WorkOf("aten::mul", "[[16], [16]]",
                   R"(["c10::complex<float>", "c10::complex<float>"])"),
            Work());
}

TEST(OperatorTrafficTest, ReductionsCountWhatTheyRead) {
  constexpr char kTypes[] = R"(["float", "ScalarList", "Scalar", ""])";
  EXPECT_EQ(WorkOf("aten::sum", "[[8, 10], [], [], []]", kTypes,
                   R"(["", "[0]", "True", ""])"),
            (Work{80, (80 + 10) * 4}));
  EXPECT_EQ(WorkOf("aten::mean", "[[2, 3, 4], [], [], []]", kTypes,
                   R"(["", "[-1, -2]", "True", ""])"),
            (Work{24, (24 + 2) * 4}));
  EXPECT_EQ(
      WorkOf("aten::sum", "[[8, 10], []]", R"(["float", ""])", R"(["", ""])"),
      (Work{80, (80 + 1) * 4}));
  // In FP32, of half precision.
  EXPECT_EQ(WorkOf("aten::sum", "[[8, 10], [], [], []]",
                   R"(["c10::Half", "ScalarList", "Scalar", "Scalar"])",
                   R"(["", "[0]", "True", "6"])"),
            Work());
  // Which dimensions was not recorded.
  EXPECT_EQ(WorkOf("aten::sum", "[[8, 10], [], [], []]", kTypes, ""), Work());
}

TEST(OperatorTrafficTest, RowsAreReadByIndex) {
  EXPECT_EQ(WorkOf("aten::embedding", "[[100, 16], [2, 5], [], [], []]",
                   R"(["float", "long int", "Scalar", "Scalar", "Scalar"])"),
            (Work{0, 2 * 160 * 4 + 10 * 8}));
  EXPECT_EQ(WorkOf("aten::index_select", "[[100, 16], [], [5]]",
                   R"(["float", "Scalar", "long int"])", R"(["", "0", ""])"),
            (Work{0, 2 * 80 * 4 + 5 * 8}));
}

TEST(OperatorTrafficTest, ShapesThatCannotBeTellNothing) {
  constexpr char kHuge[] = "[[9000000000000000000, 9000000000000000000], []]";
  EXPECT_EQ(WorkOf("aten::neg", kHuge, R"(["float", ""])"), Work());
  EXPECT_EQ(WorkOf("aten::neg", "[[-3], []]", R"(["float", ""])"), Work());
  EXPECT_EQ(WorkOf("aten::_foreach_neg_",
                   "[[[9000000000000000000, 9000000000000000000], [2]]]",
                   R"(["TensorList"])"),
            Work());
}

TEST(OperatorTrafficTest, ListsTellTheirElementsButNoType) {
  const OperationNodes nodes = TrafficOf(
      "aten::_foreach_addcmul_",
      OperatorInputs("[[[3, 3], [2]], [[3, 3], [2]], [[3, 3], [2]], []]",
                     R"(["TensorList", "TensorList", "TensorList", "Scalar"])",
                     R"(["", "", "", "0.1"])"));
  ASSERT_EQ(nodes.size(), 3);  // FLOPs of an element
  EXPECT_EQ(nodes[0][opmodel::Dim::kElementsOut], 11);
  EXPECT_EQ(nodes[0].storage, opmodel::DType::kUnknown);
}

}  // namespace
}  // namespace dltap::analyzer
