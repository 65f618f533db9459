// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/tape_scopes.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace dltap::analyzer {
namespace {

TEST(GraphOperationTest, HasAPathAndAType) {
  const auto operation =
      ParseGraphOperation("call/model/dense_1/MatMul:MatMul");
  ASSERT_TRUE(operation.has_value());
  EXPECT_EQ(operation->path, "call/model/dense_1/MatMul");
  EXPECT_EQ(operation->type, "MatMul");
  const auto sends = ParseGraphOperation("a/_14:_Send#from=a,to=b,key=x:0;0#");
  ASSERT_TRUE(sends.has_value());
  EXPECT_EQ(sends->type, "_Send");
}

TEST(GraphOperationTest, OtherNamesAreNone) {
  for (const std::string_view name :
       {"", "step", "aten::mm", "XlaModule:#hlo_module=jit_step#",
        "Thunk:#name=jit(f)/add,hlo_op=add#", "train.py:12", "epoch 3: Train",
        "a:", ":MatMul", "#edge_name=copy#"}) {
    EXPECT_FALSE(ParseGraphOperation(name).has_value()) << name;
  }
}

TapeScopes ScopesOf(std::initializer_list<std::string_view> names) {
  TapeScopes scopes;
  for (const std::string_view name : names) {
    scopes.Add(*ParseGraphOperation(name));
  }
  return scopes;
}

TEST(TapeScopesTest, CallsAroundAScopeArePartOfIt) {
  const TapeScopes scopes = ScopesOf(
      {"PartitionedCall_1/gradient_tape/model/Mul:Mul",
       "PartitionedCall_1/sgd/AssignSubVariableOp:AssignSubVariableOp"});
  EXPECT_TRUE(scopes.IsDifferentiated("PartitionedCall_1/model/dense/Add"));
  EXPECT_FALSE(scopes.IsDifferentiated("PartitionedCall_1/models/dense/Add"));
  EXPECT_FALSE(scopes.IsDifferentiated("model/dense/Add"));
  EXPECT_TRUE(scopes.IsUpdate("PartitionedCall_1/sgd/Mul_3"));
  EXPECT_FALSE(scopes.IsUpdate("PartitionedCall_1/Mul_3"));
}

TEST(TapeScopesTest, OnlyWholePartsNameGradients) {
  EXPECT_TRUE(TapeScopes::IsGradient("a/gradient_tape/b/Mul"));
  EXPECT_TRUE(TapeScopes::IsGradient("gradients_2/b_grad/Mul"));
  EXPECT_FALSE(TapeScopes::IsGradient("my_gradient_tape/b/Mul"));
  EXPECT_FALSE(TapeScopes::IsGradient("gradients_of_b/Mul"));
  EXPECT_FALSE(TapeScopes::IsGradient("model/gradients"));
}

TEST(TapeScopesTest, ALayerThatSumsIsNoUpdate) {
  const TapeScopes scopes =
      ScopesOf({"gradient_tape/model/Mul:Mul", "other/dense/MatMul:MatMul",
                "other/norm/AssignSubVariableOp:AssignSubVariableOp"});
  EXPECT_FALSE(scopes.IsUpdate("other/norm/Mul"));
  EXPECT_FALSE(scopes.IsOtherLayer("other/norm/Mul"));
}

TEST(TapeScopesTest, WithoutATapeNothingIsAnUpdate) {
  const TapeScopes scopes =
      ScopesOf({"metrics/AssignAddVariableOp:AssignAddVariableOp"});
  EXPECT_FALSE(scopes.any());
  EXPECT_FALSE(scopes.IsUpdate("metrics/Add"));
}

}  // namespace
}  // namespace dltap::analyzer
