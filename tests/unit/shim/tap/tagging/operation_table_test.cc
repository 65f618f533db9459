// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/operation_table.h"

#include <gtest/gtest.h>

#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

Operation Gemm(int64_t m) {
  Operation op;
  op.kind = OpKind::kGemm;
  op[Dim::kM] = m;
  op[Dim::kN] = 5;
  return op;
}

TEST(OperationTableTest, EqualOperationsShareOneDefinition) {
  FakeTaggingRuntime runtime;
  const uint32_t first = DefineOperation(Gemm(16));
  EXPECT_NE(first, 0u);
  EXPECT_EQ(DefineOperation(Gemm(16)), first);
  EXPECT_NE(DefineOperation(Gemm(17)), first);
  ASSERT_EQ(runtime.operations[first].size(), 1u);
  EXPECT_EQ(runtime.operations[first][0][Dim::kM], 16);
  EXPECT_EQ(runtime.operations[first][0][Dim::kN], 5);
}

TEST(OperationTableTest, IdIsWithheldUntilItsDefinitionIsWritten) {
  FakeTaggingRuntime runtime;
  runtime.definitions_work = false;
  EXPECT_EQ(DefineOperation(Gemm(18)), 0u);
  runtime.definitions_work = true;
  EXPECT_NE(DefineOperation(Gemm(18)), 0u);
}

TEST(OperationTableTest, ANewSessionGetsItsOwnDefinition) {
  FakeTaggingRuntime runtime;
  const uint32_t id = DefineOperation(Gemm(19));
  runtime.operations.clear();
  EXPECT_EQ(DefineOperation(Gemm(19)), id);
  EXPECT_TRUE(runtime.operations.empty());
  ++runtime.session;
  EXPECT_EQ(DefineOperation(Gemm(19)), id);
  EXPECT_EQ(runtime.operations.count(id), 1u);
}

TEST(OperationTableTest, NothingIsDefinedWithoutASession) {
  FakeTaggingRuntime runtime;
  runtime.session = 0;
  EXPECT_EQ(DefineOperation(Gemm(20)), 0u);
  EXPECT_TRUE(runtime.operations.empty());
}

TEST(OperationTableTest, WhoMayHaveAPartOfTheTableLeavesTheRest) {
  FakeTaggingRuntime runtime;
  const uint32_t known = DefineOperation(Gemm(21));
  EXPECT_EQ(DefineOperation(Gemm(22), 1), 0u);
  EXPECT_EQ(runtime.losses, 1);
  EXPECT_EQ(DefineOperation(Gemm(21), 1), known);
  EXPECT_NE(DefineOperation(Gemm(22)), 0u);
  EXPECT_EQ(runtime.losses, 1);
}

TEST(OperationTableTest, TooManyNodesAreCutAndSaid) {
  OperationEncoder nodes;
  for (int i = 0; i < 1000; ++i) nodes.Add(Gemm(i + 1));
  EXPECT_TRUE(nodes.truncated());
  EXPECT_LE(nodes.bytes().size(), 8192u);
  EXPECT_EQ(nodes.node_count(), 8192 / (8 + 2 * 16));
}

}  // namespace
}  // namespace dltap::shim::tagging
