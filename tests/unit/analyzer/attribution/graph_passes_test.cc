// SPDX-License-Identifier: Apache-2.0
// TensorFlow's graphs: what the ranges of their operations tell.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr Direction kForward = Direction::kForward;
constexpr Direction kBackward = Direction::kBackward;
constexpr Direction kUpdate = Direction::kUpdate;
constexpr Direction kNone = Direction::kNone;
using Directions = std::vector<Direction>;

std::string Us(int t) { return std::to_string(t) + "us"; }

std::string InRange(int begin_us, int end_us, const std::string& name) {
  return "range t=" + Us(begin_us) + ".." + Us(end_us) + " thread=0 name=\"" +
         name + "\" kind=nvtx domain=TSL\n";
}

std::string LaunchAt(int at_us, const std::string& kernel) {
  const std::string corr = " corr=" + std::to_string(at_us);
  return "call t=" + Us(at_us + 1) + ".." + Us(at_us + 3) +
         " thread=0 cudaLaunchKernel launches=" + kernel +
         "\nlaunchapi t=" + Us(at_us + 1) + ".." + Us(at_us + 2) + " thread=0" +
         corr + "\nkernel t=" + Us(1000 + at_us) + ".." + Us(1001 + at_us) +
         " device=0" + corr + " name=" + kernel + "\n";
}

// A launch of TensorFlow's operation of that name in a graph and type.
std::string Operation(int at_us, const std::string& name,
                      const std::string& kernel = "main_kernel") {
  return InRange(at_us, at_us + 4, name) + LaunchAt(at_us, kernel);
}

std::vector<Attributed> AttributedOf(const std::string& text) {
  const TraceModel model =
      TraceFromText("device 0 name=gpu\nthread 0 tid=1 name=python\n" + text);
  return Attribute(model).processes[0].activities;
}

Directions DirectionsOf(const std::string& text) {
  const std::vector<Attributed> found = AttributedOf(text);
  Directions directions;
  directions.reserve(found.size());
  for (const Attributed& at : found) directions.push_back(at.direction);
  return directions;
}

TEST(GraphPassesTest, AnOperationOfAGraphHasThePassOfItsScope) {
  const std::string call = "StatefulPartitionedCall/";
  EXPECT_EQ(
      DirectionsOf(
          Operation(10, call + "adam/Pow:Pow") +
          Operation(20, call + "model/dense/MatMul:MatMul") +
          Operation(30, call + "model/dense/Relu:Relu") +
          Operation(40, call + "gradient_tape/model/dense/ReluGrad:ReluGrad") +
          Operation(50, call + "adam/Sub_1:Sub") +
          Operation(60, call + "adam/AssignSubVariableOp:AssignSubVariableOp") +
          Operation(70, call + "mul_1:Mul")),
      (Directions{kUpdate, kForward, kForward, kBackward, kUpdate, kUpdate,
                  kNone}));
}

TEST(GraphPassesTest, AFunctionDifferentiatedAsAWholeHasGradientsToo) {
  EXPECT_EQ(DirectionsOf(
                Operation(10, "net/MatMul_2:MatMul") +
                Operation(20, "gradients/net/MatMul_2_grad/MatMul:MatMul") +
                Operation(30, "gradients_1/net/Tanh_grad/TanhGrad:TanhGrad")),
            (Directions{kForward, kBackward, kBackward}));
}

// Those of random numbers, say.
TEST(GraphPassesTest, AScopeThatReplacesItsStateIsNoUpdate) {
  EXPECT_EQ(
      DirectionsOf(Operation(10, "flip/AssignVariableOp:AssignVariableOp") +
                   Operation(20, "model/dense/MatMul:MatMul") +
                   Operation(30, "gradient_tape/model/dense/MatMul:MatMul")),
      (Directions{kNone, kForward, kBackward}));
}

TEST(GraphPassesTest, LayersWithoutGradientsAreForward) {
  EXPECT_EQ(
      DirectionsOf(Operation(10, "frozen/dense/MatMul:MatMul") +
                   Operation(20, "frozen/dense/BiasAdd:BiasAdd") +
                   Operation(30, "model/dense/MatMul:MatMul") +
                   Operation(40, "gradient_tape/model/dense/MatMul:MatMul")),
      (Directions{kForward, kForward, kForward, kBackward}));
}

TEST(GraphPassesTest, AGraphWithoutGradientsGoesForward) {
  EXPECT_EQ(
      DirectionsOf(
          Operation(10, "model/dense/MatMul:MatMul") +
          Operation(20, "Mean:Mean") +
          InRange(30, 50, "XlaModule:#hlo_module=cluster#") +
          Operation(32, "Thunk:#name=model,hlo_op=gemm_fusion_dot#",
                    "gemm_fusion_dot") +
          Operation(40, "Thunk:#hlo_op=loop_add_fusion#", "loop_add_fusion")),
      (Directions{kForward, kForward, kForward, kForward}));
}

// What runs one by one has no names: it may train.
TEST(GraphPassesTest, AGraphTellsNothingOfWhatRunsOutsideOfIt) {
  EXPECT_EQ(DirectionsOf(Operation(10, "model/dense/MatMul:MatMul") +
                         LaunchAt(40, "Mul_GPU_DT_FLOAT_kernel")),
            (Directions{kForward, kNone}));
}

TEST(GraphPassesTest, ATypeTellsWhatKernelsNamesDoNot) {
  const std::vector<Attributed> found =
      AttributedOf(Operation(10, "model/dense/Relu:Relu") +
                   Operation(20, "model/dense/Add:AddV2") +
                   Operation(30,
                             "loss/SparseSoftmaxCrossEntropyWithLogits:"
                             "SparseSoftmaxCrossEntropyWithLogits") +
                   Operation(40, "model/concat:ConcatV2"));
  std::vector<LayerClass> classes;
  classes.reserve(found.size());
  for (const Attributed& at : found) classes.push_back(at.layer_class);
  EXPECT_EQ(classes, (std::vector<LayerClass>{
                         LayerClass::kActivation, LayerClass::kElementwise,
                         LayerClass::kLoss, LayerClass::kLayout}));
}

}  // namespace
}  // namespace dltap::analyzer
