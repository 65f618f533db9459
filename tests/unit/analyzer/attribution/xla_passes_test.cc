// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_passes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/reader/text/text_line.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr Direction kForward = Direction::kForward;
constexpr Direction kBackward = Direction::kBackward;
constexpr Direction kUpdate = Direction::kUpdate;
constexpr Direction kNone = Direction::kNone;

// A launch of `kernel`, in XLA's range for `path`; none: it writes no path.
std::string Thunk(int at_us, const std::string& path,
                  const std::string& kernel) {
  const std::string at = std::to_string(at_us);
  const std::string name = path.empty() ? "" : "name=" + path + ",";
  return "range t=" + at + ".." + std::to_string(at_us + 4) +
         "us thread=0 name=\"Thunk:#" + name + "hlo_op=" + kernel +
         "#\" kind=nvtx domain=TSL\ncall t=" + std::to_string(at_us + 1) +
         ".." + std::to_string(at_us + 3) +
         "us thread=0 cuLaunchKernel launches=" + kernel +
         "\nlaunchapi t=" + std::to_string(at_us + 1) + ".." +
         std::to_string(at_us + 2) + "us thread=0 corr=" + at +
         "\nkernel t=" + std::to_string(1000 + at_us) + ".." +
         std::to_string(1001 + at_us) + "us device=0 corr=" + at +
         " name=" + kernel + "\n";
}

std::string Module(int begin_us, int end_us,
                   const std::string& name = "jit_step") {
  return "range t=" + std::to_string(begin_us) + ".." + std::to_string(end_us) +
         "us thread=0 name=\"XlaModule:#hlo_module=" + name +
         "#\" kind=nvtx domain=TSL\n";
}

std::string OneNumber(const std::string& thunk) {
  return thunk.substr(0, thunk.size() - 1) + " grid=1,1,1 block=1,1,1\n";
}

// With more than one block; else it may be a factor.
std::string InBlocks(const std::string& thunk) {
  return thunk.substr(0, thunk.size() - 1) + " grid=64,1,1 block=32,1,1\n";
}

std::vector<Attributed> AttributedOf(const std::string& text) {
  const TraceModel model =
      TraceFromText("device 0 name=gpu\nthread 0 tid=1 name=python\n" + text);
  return Attribute(model).processes[0].activities;
}

std::vector<Direction> DirectionsOf(const std::string& text) {
  std::vector<Direction> directions;
  for (const Attributed& at : AttributedOf(text)) {
    directions.push_back(at.direction);
  }
  return directions;
}

using Directions = std::vector<Direction>;

constexpr char kJvp[] = "jit(step)/jvp()/dot_general";
constexpr char kTransposed[] = "jit(step)/transpose(jvp())/dot_general";

TEST(XlaPassesTest, APathTellsThePass) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) +
                Thunk(10, "jit(step)/jvp()/dot_general", "gemm_fusion_dot") +
                Thunk(20, "jit(step)/transpose(jvp())/mul", "loop_add_fusion") +
                Thunk(30,
                      "jit(f)/transpose(jvp())/checkpoint/"
                      "rematted_computation/tanh",
                      "loop_tanh_fusion")),
            (Directions{kForward, kBackward, Direction::kRecompute}));
}

std::string Instruction(const std::string& path) {
  return "fusion.1 = f32[8] fusion(p), metadata={op_name=\"" + path + "\"}";
}

// `thunk` with what XLA hands over beside its name: the instruction and the
// computation that it calls.
std::string With(const std::string& thunk, const std::string& instruction,
                 const std::vector<std::string>& paths) {
  std::string detail = instruction + "\n- train.py:3:4[step]\nfused {\n";
  for (const std::string& path : paths) detail += Instruction(path) + "\n";
  std::string text = thunk;
  return text.insert(text.find(" kind=nvtx"), " detail=" + Quoted(detail));
}

TEST(XlaPassesTest, WhatJoinsComputedNumbersIsElementwise) {
  const auto class_of = [](const std::string& opcode) {
    return AttributedOf(Module(0, 90) +
                        With(Thunk(10, "", "input_concatenate_fusion"),
                             "f = u32[2] fusion(p)\nc {\n x = u32[2] " +
                                 opcode +
                                 "(p)\n ROOT j = u32[4] concatenate(x, p)\n}",
                             {}))
        .at(0)
        .layer_class;
  };
  EXPECT_EQ(class_of("xor"), LayerClass::kElementwise);
  EXPECT_EQ(class_of("slice"), LayerClass::kLayout);
}

// A name has only what its operations have in common.
TEST(XlaPassesTest, AnInstructionTellsWhatItsNameLeavesOut) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) +
          With(Thunk(10, "jit(step)", "loop_1"),
               Instruction("jit(step)/jvp()/tanh"), {"jit(step)/jvp()/tanh"}) +
          With(Thunk(20, "jit(step)", "loop_2"),
               Instruction("jit(step)/transpose(jvp())/mul"),
               {"jit(step)/jvp()/tanh", "jit(step)/transpose(jvp())/mul"}) +
          With(Thunk(30, "jit(step)", "loop_3"), Instruction("jit(step)/sub"),
               {"jit(step)/transpose(jvp())/mul", "jit(step)/sub"}) +
          With(Thunk(40, "", "loop_4"), "fusion.4 = (f32[8]) fusion(p)",
               {"jit(step)/transpose(jvp())/reduce_sum"})),
      (Directions{kForward, kBackward, kUpdate, kBackward}));
}

TEST(XlaPassesTest, ANameHasTheInstructionOfItsOtherRuns) {
  const std::string told = Instruction("jit(step)/transpose(jvp())/mul");
  EXPECT_EQ(DirectionsOf(Module(0, 90) + Thunk(10, "jit(step)", "loop_1") +
                         With(Thunk(20, "jit(step)", "loop_1"), told, {})),
            (Directions{kBackward, kBackward}));
}

TEST(XlaPassesTest, ANameOfSeveralInstructionsTellsNone) {
  EXPECT_EQ(
      DirectionsOf(Module(0, 90) + Thunk(10, "jit(step)", "loop_1") +
                   With(Thunk(20, "jit(step)", "loop_1"),
                        Instruction("jit(step)/transpose(jvp())/mul"), {}) +
                   With(Thunk(30, "jit(step)", "loop_1"),
                        Instruction("jit(step)/jvp()/mul"), {})),
      (Directions{kNone, kBackward, kForward}));
}

// The update is another module's, after several batches.
TEST(XlaPassesTest, ARunThatOnlyAddsToItsGradientsSumsThemUp) {
  const std::string add = "jit(micro)/add";
  const auto run = [&](const std::string& last) {
    return DirectionsOf(
        Module(0, 90, "jit_micro") + Thunk(10, kJvp, "gemm_1") +
        Thunk(20, kTransposed, "gemm_2") +
        With(Thunk(30, "jit(micro)", "loop_add_fusion"), Instruction(add),
             {"jit(micro)/transpose(jvp())/mul", add}) +
        With(InBlocks(Thunk(40, add, "wrapped_add")), Instruction(add), {}) +
        With(InBlocks(Thunk(50, last, "wrapped_last")), Instruction(last), {}));
  };
  EXPECT_EQ(run(add),
            (Directions{kForward, kBackward, kBackward, kBackward, kBackward}));
  EXPECT_EQ(run("jit(micro)/mul"),
            (Directions{kForward, kBackward, kBackward, kUpdate, kUpdate}));
}

TEST(XlaPassesTest, WhatALibraryOfOptimizersCallsForIsTheUpdate) {
  const std::string source =
      "\n- train.py:9:4[<module>]\n"
      "-- /lib/site-packages/optax/_src/update.py:40:9[apply]";
  const std::string loss =
      "\n-- /lib/site-packages/optax/losses/_regression.py:40:9[squared]";
  EXPECT_EQ(DirectionsOf(Module(0, 90) +
                         With(Thunk(10, "", "loop_1"),
                              Instruction("jit(step)/mul") + source, {}) +
                         With(Thunk(15, "", "loop_2"),
                              Instruction("jit(step)/mul") + loss, {}) +
                         Thunk(20, kTransposed, "gemm_1")),
            (Directions{kUpdate, kNone, kBackward}));
}

TEST(XlaPassesTest, WhatIsCommonToSeveralPassesTellsNone) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) +
          Thunk(10, "jit(step)/transpose(jvp())/dot_general", "gemm_fusion") +
          Thunk(20, "jit(step)", "loop_add_fusion") +
          Thunk(30, "", "loop_subtract_fusion") +
          Thunk(40, "jit(step)/transpose(jvp())/dot_general", "gemm_fusion")),
      (Directions{kBackward, kNone, kNone, kBackward}));
}

// A loop over the batches of one update has both passes in its body.
TEST(XlaPassesTest, AScopeThatOtherPathsGoOnBehindIsCommonToPasses) {
  const std::string body = "jit(step)/while/body/closed_call";
  EXPECT_EQ(
      DirectionsOf(Module(0, 90) +
                   Thunk(10, body + "/jvp()/dot_general", "gemm_1") +
                   Thunk(20, body + "/transpose(jvp())/mul", "loop_1") +
                   Thunk(30, body, "loop_select_fusion") +
                   Thunk(40, "jit(step)/while/body", "loop_add_fusion") +
                   Thunk(50, body + "/transpose(jvp())/mul", "loop_2") +
                   Thunk(60, "jit(step)/while/body/add", "loop_add")),
      (Directions{kForward, kBackward, kNone, kNone, kBackward, kUpdate}));
}

TEST(XlaPassesTest, WhatUsesGradientsIsTheUpdate) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) + Thunk(10, "jit(step)/add", "loop_add_fusion_1") +
          Thunk(20, "jit(step)/transpose(jvp())/mul", "loop_multiply_fusion") +
          Thunk(30, "jit(step)/sub", "loop_subtract_fusion") +
          Thunk(40, "jit(step)/transpose(jvp())/mul", "loop_multiply_fusion") +
          InBlocks(Thunk(50, "jit(step)", "loop_subtract_fusion_1"))),
      (Directions{kNone, kBackward, kUpdate, kBackward, kUpdate}));
}

TEST(XlaPassesTest, WhatNoPathTellsHasThePassOfItsPlaceInTheRun) {
  const std::string backward = "jit(step)/transpose(jvp())/dot_general";
  EXPECT_EQ(DirectionsOf(Module(0, 90) +
                         InBlocks(Thunk(10, "jit(step)", "loop_tanh_fusion")) +
                         Thunk(15, "jit(step)/jvp()/dot_general", "gemm_1") +
                         InBlocks(Thunk(20, "", "input_scatter_fusion")) +
                         Thunk(25, backward, "gemm_fusion_dot") +
                         Thunk(30, "jit(step)", "loop_select_fusion") +
                         Thunk(40, "jit(step)", "gemm_fusion_dot_1") +
                         InBlocks(Thunk(50, "jit(step)", "loop_add_fusion")) +
                         Thunk(60, "", "input_scatter_fusion_1") +
                         Thunk(70, "", "input_transpose_fusion")),
            (Directions{kForward, kForward, kNone, kBackward, kNone, kBackward,
                        kUpdate, kBackward, kUpdate}));
}

TEST(XlaPassesTest, AProductFusedWithTheUpdateOfItsWeightsIsBackward) {
  const std::string backward = "jit(step)/transpose(jvp())/dot_general";
  const std::string weights = "jit(step)";  // of product and update
  EXPECT_EQ(DirectionsOf(Module(0, 90) +
                         Thunk(10, "jit(step)/jvp()/dot_general", "gemm_0") +
                         Thunk(15, weights, "gemm_fusion_dot_1") +
                         Thunk(20, backward, "gemm_fusion_dot_2") +
                         Thunk(25, weights, "gemm_fusion_dot_3") +
                         Thunk(30, "", "fusion_7") +
                         Thunk(35, backward, "gemm_fusion_dot_4") +
                         Thunk(40, weights, "gemm_fusion_dot_5")),
            (Directions{kForward, kNone, kBackward, kBackward, kBackward,
                        kBackward, kBackward}));
}

TEST(XlaPassesTest, ALossMayBeWorkedOutAfterItsGradient) {
  const auto rows = [](const std::string& thunk, const std::string& blocks) {
    return thunk.substr(0, thunk.size() - 1) + " grid=" + blocks +
           ",1,1 block=32,1,1\n";
  };
  const auto passes = [&](const std::string& blocks) {
    return Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
           rows(Thunk(20, "", "fusion_7"), "64") +
           Thunk(30, kTransposed, "gemm_2") +
           rows(Thunk(40, "", "fusion_8"), blocks) +
           Thunk(50, kTransposed, "gemm_3");
  };
  EXPECT_EQ(DirectionsOf(passes("128")),
            (Directions{kForward, kForward, kBackward, kBackward, kBackward}));
  EXPECT_EQ(DirectionsOf(passes("64")),
            (Directions{kForward, kForward, kBackward, kNone, kBackward}));
}

TEST(XlaPassesTest, WhatPoolingFindsAgainForItsGradientStaysOpen) {
  const std::string backward = "jit(step)/transpose(jvp())/dot_general";
  EXPECT_EQ(DirectionsOf(Module(0, 90) + Thunk(20, backward, "gemm_fusion_1") +
                         Thunk(30, "jit(step)", "loop_reduce_window_fusion") +
                         Thunk(40, backward, "gemm_fusion_2")),
            (Directions{kBackward, kNone, kBackward}));
}

TEST(XlaPassesTest, ProductsOfAnUpdateAreNotTakenForGradients) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) +
                Thunk(10, "jit(step)/transpose(jvp())/dot_general", "gemm_1") +
                Thunk(20, "jit(step)", "gemm_fusion_dot_1") +
                Thunk(30, "jit(step)/dot_general", "gemm_fusion_dot_2") +
                Thunk(40, "jit(step)", "gemm_fusion_dot_3")),
            (Directions{kBackward, kNone, kUpdate, kNone}));
}

TEST(XlaPassesTest, AFilledGradientBeforeTheForwardPassEndsIt) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) +
          Thunk(5, "jit(step)/transpose(jvp())/broadcast_in_dim", "loop_1") +
          InBlocks(Thunk(10, "", "input_scatter_fusion")) +
          InBlocks(Thunk(15, "", "input_reduce_fusion")) +
          InBlocks(Thunk(20, "jit(step)/eq", "loop_compare_fusion")) +
          InBlocks(Thunk(25, "", "fusion_7")) +
          Thunk(30, "jit(step)/jvp()/dot_general", "gemm_fusion_dot_1") +
          Thunk(40, "jit(step)/transpose(jvp())/dot_general", "gemm_2")),
      (Directions{kBackward, kNone, kNone, kForward, kForward, kForward,
                  kBackward}));
}

// Statistics of a batch norm; XLA tells no path of a sum in several parts.
TEST(XlaPassesTest, SumsBetweenLayersForwardAreForward) {
  EXPECT_EQ(DirectionsOf(Module(0, 90) +
                         InBlocks(Thunk(5, "", "input_reduce_fusion")) +
                         Thunk(10, kJvp, "gemm_1") +
                         InBlocks(Thunk(15, "", "input_reduce_fusion_1")) +
                         OneNumber(Thunk(20, "", "loop_sqrt_fusion")) +
                         Thunk(30, kJvp, "gemm_2") +
                         InBlocks(Thunk(35, "", "input_reduce_fusion_2")) +
                         InBlocks(Thunk(40, "", "triton_softmax")) +
                         Thunk(45, kTransposed, "gemm_3")),
            (Directions{kNone, kForward, kForward, kNone, kForward, kNone,
                        kForward, kBackward}));
}

TEST(XlaPassesTest, SumsBetweenLayersBackwardAreGradients) {
  const std::string passes = Module(0, 190) + Thunk(10, kJvp, "gemm_1") +
                             Thunk(20, kTransposed, "gemm_2") +
                             InBlocks(Thunk(30, "", "input_reduce_fusion")) +
                             Thunk(40, kTransposed, "gemm_3");
  EXPECT_EQ(
      DirectionsOf(passes + InBlocks(Thunk(50, "", "input_reduce_fusion_1"))),
      (Directions{kForward, kBackward, kBackward, kBackward, kNone}));
  // That ends in one block: a norm, or the loss.
  EXPECT_EQ(DirectionsOf(passes + Thunk(50, "", "input_reduce_fusion_1")),
            (Directions{kForward, kBackward, kNone, kBackward, kNone}));
}

TEST(XlaPassesTest, ManySumsBehindAllLayersAreNormsOfTheUpdate) {
  const auto text = [](const auto& blocks) {
    std::string text = Module(0, 190) + Thunk(10, kJvp, "gemm_1") +
                       Thunk(20, kTransposed, "gemm_2");
    for (int i = 0; i < 4; ++i) {
      text += blocks(Thunk(50 + 5 * i, "", "input_reduce_fusion"));
    }
    return text;
  };
  EXPECT_EQ(
      DirectionsOf(text([](const std::string& sum) { return sum; })),
      (Directions{kForward, kBackward, kUpdate, kUpdate, kUpdate, kUpdate}));
  EXPECT_EQ(DirectionsOf(text(InBlocks)),
            (Directions{kForward, kBackward, kNone, kNone, kNone, kNone}));
}

// The gradient of rows that were read by index.
TEST(XlaPassesTest, AScatterBehindLayersBackwardIsAGradient) {
  EXPECT_EQ(DirectionsOf(Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
                         InBlocks(Thunk(15, "", "input_scatter_fusion")) +
                         Thunk(20, kTransposed, "gemm_2") +
                         InBlocks(Thunk(30, "", "input_scatter_fusion_1"))),
            (Directions{kForward, kNone, kBackward, kBackward}));
}

TEST(XlaPassesTest, AnUpdateWritesASumAndADifference) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
                Thunk(20, kTransposed, "gemm_2") +
                InBlocks(Thunk(30, "jit(step)", "loop_add_subtract_fusion")) +
                InBlocks(Thunk(40, "jit(step)", "loop_multiply_fusion")) +
                Thunk(50, kTransposed, "gemm_3")),
            (Directions{kForward, kBackward, kUpdate, kBackward, kBackward}));
}

TEST(XlaPassesTest, MapsAmongWhatIsComputedAgainStayOpen) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
                Thunk(20, kTransposed, "gemm_2") +
                Thunk(25, "jit(step)/transpose(jvp())/rematted_computation/dot",
                      "gemm_3") +
                Thunk(28, kTransposed, "gemm_4") +
                InBlocks(Thunk(30, "jit(step)", "loop_multiply_fusion")) +
                Thunk(40, kTransposed, "gemm_5")),
            (Directions{kForward, kBackward, Direction::kRecompute, kBackward,
                        kNone, kBackward}));
}

TEST(XlaPassesTest, AMapOfTheSizeOfFeaturesIsOfTheirGradient) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
          InBlocks(Thunk(15, "jit(step)/jvp()/tanh", "loop_tanh_fusion")) +
          Thunk(20, kJvp, "gemm_2") + Thunk(25, kTransposed, "gemm_3") +
          InBlocks(Thunk(30, "jit(step)", "loop_add_fusion")) +
          Thunk(40, "jit(step)", "loop_add_fusion_1") +
          Thunk(50, kTransposed, "gemm_4")),
      (Directions{kForward, kForward, kForward, kBackward, kBackward, kNone,
                  kBackward}));
}

TEST(XlaPassesTest, WhatWritesAsUpdatesBehindAllLayersDoIsAnUpdate) {
  const std::string fusion = "loop_subtract_fusion";
  const std::string passes = Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
                             Thunk(20, kTransposed, "gemm_2") +
                             InBlocks(Thunk(30, "jit(step)", fusion + "_1")) +
                             Thunk(40, kTransposed, "gemm_3");
  EXPECT_EQ(DirectionsOf(passes),
            (Directions{kForward, kBackward, kNone, kBackward}));
  EXPECT_EQ(DirectionsOf(passes + InBlocks(Thunk(50, "jit(step)", fusion))),
            (Directions{kForward, kBackward, kUpdate, kBackward, kUpdate}));
}

// As in actor-critic methods, that train one after the other in one module.
TEST(XlaPassesTest, GradientsOfOneLossMaySumUpInTheForwardPassOfAnother) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) + Thunk(10, kJvp, "gemm_1") +
                Thunk(20, kTransposed, "gemm_2") + Thunk(30, kJvp, "gemm_3") +
                InBlocks(Thunk(35, "", "input_reduce_fusion")) +
                InBlocks(Thunk(40, "jit(step)", "loop_add_subtract_fusion")) +
                Thunk(50, kJvp, "gemm_4") + Thunk(60, kTransposed, "gemm_5")),
            (Directions{kForward, kBackward, kForward, kNone, kUpdate, kForward,
                        kBackward}));
}

TEST(XlaPassesTest, RandomNumbersBehindAnUpdateAreOfTheNextBatch) {
  EXPECT_EQ(
      DirectionsOf(Module(0, 19) + Thunk(10, kTransposed, "gemm_fusion_dot") +
                   Module(20, 39, "jit__threefry_split") +
                   Thunk(30, "jit(_threefry_split)", "input_concatenate")),
      (Directions{kBackward, kForward}));
}

// One turn of a loop over batches, whose gradients are summed up.
std::string Turn(int at_us) {
  const std::string body = "jit(step)/while/body";
  return Thunk(at_us, body + "/closed_call/jvp()/dot_general", "gemm_1") +
         Thunk(at_us + 5, body + "/closed_call/transpose(jvp())/dot_general",
               "gemm_2") +
         InBlocks(Thunk(at_us + 10, body, "gemm_fusion_dot_3")) +
         InBlocks(Thunk(at_us + 15, body + "/add", "loop_add_fusion"));
}

TEST(XlaPassesTest, WhatIsDoneOnceBehindALoopOverBatchesIsTheUpdate) {
  EXPECT_EQ(DirectionsOf(Module(0, 90) + Turn(10) + Turn(30) +
                         InBlocks(Thunk(60, "jit(step)/sub", "loop_sub"))),
            (Directions{kForward, kBackward, kBackward, kNone, kForward,
                        kBackward, kBackward, kNone, kUpdate}));
}

TEST(XlaPassesTest, WhatEachTurnOfALoopOverStepsEndsWithIsTheUpdate) {
  EXPECT_EQ(DirectionsOf(Module(0, 90) + Turn(10) + Turn(30)),
            (Directions{kForward, kBackward, kBackward, kUpdate, kForward,
                        kBackward, kBackward, kUpdate}));
}

TEST(XlaPassesTest, WhatMovesTheLastGradientIsNoUpdate) {
  const auto run = [](const std::string& update) {
    return DirectionsOf(Module(0, 90) + Thunk(10, kJvp, "gemm_fusion_dot_1") +
                        Thunk(20, kTransposed, "gemm_fusion_dot_2") + update +
                        InBlocks(Thunk(40, "", "wrapped_transpose")));
  };
  EXPECT_EQ(run(""), (Directions{kForward, kBackward, kBackward}));
  EXPECT_EQ(run(InBlocks(Thunk(30, "jit(step)", "loop_subtract_fusion"))),
            (Directions{kForward, kBackward, kUpdate, kUpdate}));
}

TEST(XlaPassesTest, ALossAtTheEndOfARunIsNoUpdate) {
  const std::string loss =
      OneNumber(Thunk(30, "jit(step)", "loop_negate_fusion"));
  EXPECT_EQ(
      DirectionsOf(Module(0, 90) +
                   Thunk(10, "jit(step)/transpose(jvp())/mul", "loop_fusion") +
                   InBlocks(Thunk(20, "jit(step)", "loop_add_fusion")) + loss),
      (Directions{kBackward, kUpdate, kNone}));
}

TEST(XlaPassesTest, RunsWithoutGradientsUpdateBehindThoseWithAndElseEvaluate) {
  const std::string backward = "jit(step)/transpose(jvp())/dot_general";
  EXPECT_EQ(
      DirectionsOf(Module(0, 19) + Thunk(10, backward, "gemm_fusion_dot") +
                   Module(20, 39, "jit_apply") +
                   Thunk(30, "jit(apply)", "loop_subtract_fusion") +
                   Module(40, 59, "jit_test") +
                   Thunk(50, "jit(test)/dot_general", "gemm_fusion_dot_1") +
                   Module(60, 79, "jit_count") +
                   Thunk(70, "jit(count)", "loop_compare_fusion")),
      (Directions{kBackward, kUpdate, kForward, kForward}));
}

// Of a fusion of several products XLA tells no path.
TEST(XlaPassesTest, OneLayerWithAPathTellsThatARunGoesForward) {
  const std::string act =
      Module(0, 19) + Thunk(10, kTransposed, "gemm_fusion_dot") +
      Module(20, 49, "jit_act") + Thunk(30, "", "gemm_fusion_dot_1");
  EXPECT_EQ(DirectionsOf(act), (Directions{kBackward, kNone}));
  EXPECT_EQ(DirectionsOf(act + Thunk(40, "jit(act)/dot_general", "gemm_2")),
            (Directions{kBackward, kForward, kForward}));
}

TEST(XlaPassesTest, OtherRunsTellWhatTheFusionsOfACutOneAre) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 29) +
          Thunk(10, "jit(step)/transpose(jvp())/mul", "loop_multiply_fusion") +
          Thunk(20, "jit(step)/sub", "loop_subtract_fusion") + Module(30, 90) +
          Thunk(40, "jit(step)/sub", "loop_subtract_fusion")),
      (Directions{kBackward, kUpdate, kUpdate}));
}

// The trace ends in the middle of a step.
TEST(XlaPassesTest, ARunThatIsCutBeforeItsBackwardPassIsNoUpdate) {
  const auto tanh = InBlocks(Thunk(40, "jit(step)", "loop_tanh_fusion"));
  const std::string whole =
      Module(0, 29) +
      Thunk(10, "jit(step)/transpose(jvp())/dot_general", "gemm_fusion_dot") +
      Module(30, 90);
  EXPECT_EQ(DirectionsOf(whole + tanh), (Directions{kBackward, kNone}));
  EXPECT_EQ(
      DirectionsOf(whole + tanh +
                   Thunk(50, "jit(step)/jvp()/dot_general", "gemm_1") +
                   InBlocks(Thunk(60, "jit(step)", "loop_tanh_fusion_1"))),
      (Directions{kBackward, kForward, kForward, kNone}));
}

TEST(XlaPassesTest, WithoutAnythingDifferentiatedAllIsForward) {
  EXPECT_EQ(DirectionsOf(Thunk(10, "jit(f)/dot_general", "gemm_fusion_dot") +
                         Thunk(20, "jit(f)", "loop_multiply_fusion")),
            (Directions{kForward, kForward}));
}

// Vectors of words alone: neither products nor gradients have paths.
TEST(XlaPassesTest, APassThatIsDifferentiatedHidesABackwardOne) {
  EXPECT_EQ(DirectionsOf(
                Module(0, 90) + Thunk(10, "jit(step)/jvp()/mul", "loop_mul") +
                InBlocks(Thunk(20, "", "input_scatter_fusion")) +
                InBlocks(Thunk(30, "jit(step)", "loop_subtract_fusion"))),
            (Directions{kForward, kNone, kNone}));
}

// Of a long run parts are in memory, one after the other, and all texts.
TEST(XlaPassesTest, WhatIsDifferentiatedInAnotherPartOfTheRunIsNotForgotten) {
  TraceModel model =
      TraceFromText("device 0 name=gpu\nthread 0 tid=1 name=python\n" +
                    Thunk(10, "jit(f)", "loop_multiply_fusion"));
  const auto direction = [&] {
    return Attribute(model).processes[0].activities[0].direction;
  };
  EXPECT_EQ(direction(), kForward);
  model.texts.Intern("Thunk:#name=jit(g)/transpose(jvp())/mul,hlo_op=x#");
  EXPECT_EQ(direction(), kNone);
}

// Operations run one by one, each a module.
TEST(XlaPassesTest, WithoutJitAProductThatIsTransposedTellsOfAHiddenGradient) {
  const std::string product =
      Module(0, 19, "jit_dot_general,program_id=1") +
      Thunk(10, "jit(dot_general)/dot_general", "gemm_fusion_dot");
  const auto move = [](const std::string& name) {
    return Module(20, 39, "jit_" + name + ",program_id=2") +
           Thunk(30, "jit(" + name + ")/" + name, "wrapped_" + name);
  };
  EXPECT_EQ(DirectionsOf(product + move("add")),
            (Directions{kForward, kForward}));
  EXPECT_EQ(DirectionsOf(product + move("transpose")),
            (Directions{kNone, kNone}));
}

TEST(XlaPassesTest, ATapeOfTensorFlowTellsWhatHasGradients) {
  EXPECT_EQ(
      DirectionsOf(Module(0, 99) +
                   Thunk(10, "model_1/dense_1/MatMul", "gemm_fusion_dot") +
                   Thunk(20, "model_1", "gemm_fusion_dot_1") +
                   Thunk(30, "gradient_tape/model_1/dense_1/MatMul/MatMul",
                         "gemm_fusion_dot_2") +
                   Thunk(40, "", "gemm_fusion_dot_3") +
                   Thunk(50, "XLA_Args", "input_transpose_fusion") +
                   Thunk(60, "adam/mul", "loop_multiply_fusion") +
                   Thunk(70, "model_10/dense_1/MatMul", "gemm_fusion_dot_4")),
      (Directions{kForward, kForward, kBackward, kNone, kNone, kUpdate,
                  kUpdate}));
}

TEST(XlaPassesTest, ATapeMayStandInsideAScope) {
  EXPECT_EQ(
      DirectionsOf(
          Module(0, 90) + Thunk(10, "train/model/MatMul", "gemm_fusion_dot") +
          Thunk(20, "train/gradient_tape/model/MatMul", "gemm_fusion_dot_1") +
          Thunk(30, "train/mul", "loop_multiply_fusion") +
          Thunk(40, "my_gradient_tape/model", "loop_fusion")),
      (Directions{kForward, kBackward, kUpdate, kUpdate}));
}

TEST(XlaPassesTest, APathNamesWhatANameDoesNot) {
  const auto found = AttributedOf(
      Thunk(10, "jit(f)/jit(log_softmax)/sub", "triton_softmax_1") +
      Thunk(20, "jit(f)/LayerNorm_0/mul", "triton_softmax_2") +
      Thunk(30, "jit(f)", "triton_softmax_3") +
      Thunk(40, "jit(f)/dot_general", "loop_reduce_fusion") +
      Thunk(50, "jit(f)/LayerNorm_0/dot_general", "gemm_fusion_dot"));
  std::vector<LayerClass> classes;
  for (const Attributed& at : found) classes.push_back(at.layer_class);
  EXPECT_EQ(classes,
            (std::vector<LayerClass>{LayerClass::kSoftmax, LayerClass::kNorm,
                                     LayerClass::kReduction, LayerClass::kGemm,
                                     LayerClass::kGemm}));
}

// XLA names the range for what the norm and the sum before it have in common.
TEST(XlaPassesTest, AFusionIsWhatItsOwnPathNames) {
  const auto class_of = [](const std::string& own, const std::string& kernel) {
    return AttributedOf(Module(0, 90) +
                        With(Thunk(10, "jit(step)/jvp(Net)", kernel),
                             Instruction(own), {"jit(step)/jvp(Net)/add", own}))
        .at(0)
        .layer_class;
  };
  EXPECT_EQ(class_of("jit(step)/jvp(Net)/LayerNorm_0/reduce_sum",
                     "input_add_reduce_fusion"),
            LayerClass::kNorm);
  EXPECT_EQ(class_of("jit(step)/jvp(Net)/reduce_sum", "input_reduce_fusion"),
            LayerClass::kReduction);
  EXPECT_EQ(class_of("jit(step)/jvp(Net)/LayerNorm_0/mul", "gemm_fusion_dot"),
            LayerClass::kGemm);
}

// Flax names no modules of its newer kind, and JAX no softmax.
TEST(XlaPassesTest, AFusionOverRowsIsWhatItsFunctionsTell) {
  const auto class_of = [](const std::vector<std::string>& functions,
                           const std::string& kernel = "triton_softmax_2") {
    std::vector<std::string> paths;
    for (const std::string& f : functions) paths.push_back("jit(f)/jvp()/" + f);
    return AttributedOf(Module(0, 90) + With(Thunk(10, "jit(f)/jvp()", kernel),
                                             Instruction(paths.back()), paths))
        .at(0)
        .layer_class;
  };
  EXPECT_EQ(class_of({"reduce_max", "sub", "exp", "reduce_sum", "div"}),
            LayerClass::kSoftmax);
  EXPECT_EQ(class_of({"reduce_sum", "div", "add", "rsqrt", "mul"}),
            LayerClass::kNorm);
  EXPECT_EQ(class_of({"exp", "reduce_sum"}), LayerClass::kReduction);
  EXPECT_EQ(class_of({"rsqrt", "reduce_sum", "dot_general"}, "gemm_fusion_1"),
            LayerClass::kGemm);
}

TEST(XlaPassesTest, ThePathCountsMoreThanHowACallIsNamed) {
  EXPECT_EQ(SettledDirection(kBackward, kForward), kBackward);
  EXPECT_EQ(SettledDirection(kForward, Direction::kBackwardData), kForward);
  EXPECT_EQ(SettledDirection(kBackward, Direction::kBackwardWeight),
            Direction::kBackwardWeight);
  EXPECT_EQ(SettledDirection(kNone, Direction::kBackwardData),
            Direction::kBackwardData);
}

}  // namespace
}  // namespace dltap::analyzer
