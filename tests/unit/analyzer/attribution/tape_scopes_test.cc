// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/tape_scopes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace dltap::analyzer {
namespace {

// "PATH TYPE"; "none".
std::string Parsed(std::string_view name) {
  const std::optional<GraphOperation> operation = ParseGraphOperation(name);
  if (!operation) return "none";
  return std::string(operation->path).append(" ").append(operation->type);
}

TEST(GraphOperationTest, HasAPathAndAType) {
  EXPECT_EQ(Parsed("call/model/dense_1/MatMul:MatMul"),
            "call/model/dense_1/MatMul MatMul");
  EXPECT_EQ(Parsed("a/_14:_Send#from=a,to=b,key=x:0;0#"), "a/_14 _Send");
}

TEST(GraphOperationTest, OtherNamesAreNone) {
  for (const std::string_view name :
       {"", "step", "aten::mm", "XlaModule:#hlo_module=jit_step#",
        "Thunk:#name=jit(f)/add,hlo_op=add#", "train.py:12", "epoch 3: Train",
        "a:", ":MatMul", "#edge_name=copy#"}) {
    EXPECT_EQ(Parsed(name), "none") << name;
  }
}

TapeScopes ScopesOf(std::initializer_list<std::string_view> names) {
  TapeScopes scopes;
  for (const std::string_view name : names) {
    const size_t colon = name.find(':');
    scopes.Add(GraphOperation{name.substr(0, colon), name.substr(colon + 1)});
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

TEST(GraphOperationTest, OutsideOfGraphsTypesNameGradients) {
  EXPECT_TRUE(IsGradientByType({"BiasAddGrad", "BiasAddGrad"}));
  EXPECT_TRUE(
      IsGradientByType({"Conv2DBackpropFilter", "Conv2DBackpropFilter"}));
  EXPECT_FALSE(
      IsGradientByType({"Conv2DBackpropInput", "Conv2DBackpropInput"}));
  EXPECT_FALSE(IsGradientByType({"model/MyGrad", "BiasAddGrad"}));
}

TEST(TapeScopesTest, WithoutATapeNothingIsAnUpdate) {
  const TapeScopes scopes =
      ScopesOf({"metrics/AssignAddVariableOp:AssignAddVariableOp"});
  EXPECT_FALSE(scopes.any());
  EXPECT_FALSE(scopes.IsUpdate("metrics/Add"));
}

}  // namespace
}  // namespace dltap::analyzer
