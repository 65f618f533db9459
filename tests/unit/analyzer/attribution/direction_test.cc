// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/direction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

std::vector<Direction> DirectionsOf(const std::string& text,
                                    const std::string& process = "") {
  const TraceModel model =
      TraceFromText(process +
                    "device 0 name=gpu\nthread 0 tid=1 name=python\n"
                    "thread 1 tid=2 name=pt_autograd_0\n" +
                    text);
  const Attribution attribution = Attribute(model);
  std::vector<Direction> directions;
  for (const Attributed& at : attribution.processes[0].activities) {
    directions.push_back(at.direction);
  }
  return directions;
}

using Directions = std::vector<Direction>;
constexpr Direction kForward = Direction::kForward;
constexpr Direction kBackward = Direction::kBackward;

std::string Copy(int at_us, const std::string& kind_and_bytes) {
  const std::string at = std::to_string(at_us);
  return "call t=" + at + ".." + std::to_string(at_us + 2) +
         "us thread=0 cudaMemcpyAsync\nlaunchapi t=" + at + ".." +
         std::to_string(at_us + 1) + "us thread=0 corr=" + at +
         "\nmemcpy t=" + std::to_string(1000 + at_us) + ".." +
         std::to_string(1001 + at_us) + "us device=0 corr=" + at +
         " kind=" + kind_and_bytes + "\n";
}

// Of what the host copies to the device.
std::string CopyInput(int at_us) { return Copy(at_us, "htod bytes=4096"); }

// A launch of one kernel at that time by a thread.
std::string Launch(int at_us, int thread, const std::string& kernel) {
  const std::string at = std::to_string(at_us);
  const std::string in = std::to_string(at_us + 1);
  return "call t=" + at + ".." + std::to_string(at_us + 2) +
         "us thread=" + std::to_string(thread) +
         " cudaLaunchKernel launches=" + kernel + "\nlaunchapi t=" + at + ".." +
         in + "us thread=" + std::to_string(thread) + " corr=" + at +
         "\nkernel t=" + std::to_string(1000 + at_us) + ".." +
         std::to_string(1001 + at_us) + "us device=0 corr=" + at +
         " name=" + kernel + "\n";
}

TEST(DirectionTest, WithoutAnyBackwardPassAllIsForward) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 0, "elementwise_add")),
            (Directions{kForward, kForward}));
}

TEST(DirectionTest, NamesThatWouldNotShowABackwardPassProveNothing) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 0, "loop_add_fusion")),
            (Directions{Direction::kNone, Direction::kNone}));
}

// optimizer.zero_grad(set_to_none=False); loss.backward()
TEST(DirectionTest, GradientsAreClearedByTheUpdateBeforeABackwardPass) {
  constexpr char kFill[] = "at::native::FillFunctor<float>";
  const Directions found =
      DirectionsOf(Launch(10, 0, kFill) + Launch(20, 0, "volta_sgemm_tn") +
                   Launch(30, 0, kFill) + Launch(40, 0, kFill) +
                   Launch(50, 0, kFill) +  // the gradient of the loss
                   Launch(60, 1, kFill) + Launch(70, 1, "volta_sgemm_nt"));
  EXPECT_EQ(found,
            (Directions{kForward, kForward, Direction::kUpdate,
                        Direction::kUpdate, kForward, kBackward, kBackward}));
}

// A library's call by autograd's thread, of that many kernels.
std::string CallBackward(int at_us, const std::string& function, int kernels) {
  const std::string at = std::to_string(at_us);
  std::string text = "call t=" + at + ".." + std::to_string(at_us + 7) +
                     "us thread=1 " + function + "\n";
  for (int i = 0; i < kernels; ++i) {
    const std::string corr = std::to_string(10 * at_us + i);
    text += "launchapi t=" + at + ".." + std::to_string(at_us + 1) +
            "us thread=1 corr=" + corr + " ext=" + at +
            "us\nkernel t=" + std::to_string(1000 + at_us + i) + ".." +
            std::to_string(1001 + at_us + i) + "us device=0 corr=" + corr +
            " name=some_kernel\n";
  }
  return text;
}

// Of fills behind an update and the next batch, if `backward` follows them.
Directions FillsBefore(int fills, const std::string& backward) {
  std::string text = Launch(1, 0, "volta_sgemm_tn") +
                     Launch(4, 1, "volta_sgemm_nt") +
                     Launch(7, 0, "multi_tensor_apply_adam") + CopyInput(10);
  for (int i = 0; i < fills; ++i) {
    text += Launch(20 + i, 0, "at::native::FillFunctor<float>");
  }
  const Directions found =
      DirectionsOf(text + Launch(50, 0, "volta_sgemm_tn") + backward);
  return {found.begin() + 4, found.begin() + 4 + fills};
}

// Added to gradients that are there already.
std::string Additions(int at_us, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += Launch(at_us + i, 1, "at::native::CUDAFunctor_add<float>");
  }
  return text;
}

// By six kernels each, with norms between.
std::string TwoConvolutionsBackward() {
  std::string text;
  for (const int at : {120, 140}) {
    text += CallBackward(at, "cudnnConvolutionBackwardFilter", 6);
    for (int i = 0; i < 3; ++i) {
      text += Launch(at + 10 + i, 1, "layer_norm_backward_kernel");
    }
  }
  return text;
}

TEST(DirectionTest, GradientsMayBeClearedInFrontOfTheForwardPass) {
  const std::string backward = TwoConvolutionsBackward() + Additions(160, 4);
  EXPECT_EQ(FillsBefore(4, backward), Directions(4, Direction::kUpdate));
  EXPECT_EQ(FillsBefore(3, backward), Directions(3, kForward));
  // What begins right behind them is none.
  Directions and_a_state(4, Direction::kUpdate);
  and_a_state.push_back(kForward);
  EXPECT_EQ(FillsBefore(5, backward), and_a_state);
}

TEST(DirectionTest, WhatIsFilledAndNotAddedToIsNoGradient) {
  // torch.zeros(...) to put results into; gradients are None.
  EXPECT_EQ(FillsBefore(10, TwoConvolutionsBackward()),
            Directions(10, kForward));
}

TEST(DirectionTest, SumsOfBranchesAreNoGradientsThatAreAddedUp) {
  // Of four residual blocks, each of two layers.
  std::string backward;
  for (int i = 0; i < 16; ++i) {
    backward += CallBackward(100 + 10 * i, "cudnnConvolutionBackwardFilter", 1);
  }
  EXPECT_EQ(FillsBefore(6, backward + Additions(300, 4)),
            Directions(6, kForward));
}

TEST(DirectionTest, StatesOfRecurrentLayersAreNoGradients) {
  // Two of each of three layers; the gradients of another batch are there.
  std::string backward;
  for (const int at : {120, 140, 160}) {
    backward += CallBackward(at, "cudnnRNNBackwardData_v8", 3) +
                CallBackward(at + 10, "cudnnRNNBackwardWeights_v8", 1);
  }
  backward += Additions(200, 12);
  EXPECT_EQ(FillsBefore(6, backward), Directions(6, kForward));
  EXPECT_EQ(FillsBefore(12, backward), Directions(12, Direction::kUpdate));
}

// index_put_(accumulate=True), as in an evaluation that places its targets.
TEST(DirectionTest, RowsThatAreAddedUpByIndexOnTheMainThreadAreForward) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 0, "indexing_backward_kernel") +
                         Launch(30, 1, "indexing_backward_kernel")),
            (Directions{kForward, kForward, kBackward}));
}

TEST(DirectionTest, ATransposedConvolutionIsForwardOnTheMainThread) {
  const Directions found = DirectionsOf(Launch(10, 0, "xmma_dgrad_kernel") +
                                        Launch(20, 1, "elementwise_mul"));
  EXPECT_EQ(found, (Directions{kForward, kBackward}));
}

TEST(DirectionTest, BetweenTwoOfOneDirectionIsThatDirection) {
  EXPECT_EQ(DirectionsOf(
                Launch(10, 0, "flash_fwd_a") + Launch(20, 0, "volta_sgemm_tn") +
                Launch(30, 0, "flash_fwd_b") + Launch(40, 0, "volta_sgemm_nn") +
                Launch(50, 0, "flash_bwd_a") + Launch(60, 0, "volta_sgemm_nt") +
                Launch(70, 0, "flash_bwd_b")),
            (Directions{kForward, kForward, kForward, Direction::kNone,
                        kBackward, kBackward, kBackward}));
}

TEST(DirectionTest, AGraphUpdatesWhileItsBackwardPassGoesOn) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "flash_bwd_a") +
                         Launch(20, 0, "Sub_GPU_DT_FLOAT_DT_FLOAT_kernel") +
                         Launch(30, 0, "volta_sgemm_nt") +
                         Launch(40, 0, "flash_bwd_b")),
            (Directions{kBackward, Direction::kNone, kBackward, kBackward}));
}

std::string Product(int at, int a, int b) {
  return absl::StrCat(
      "call t=", at, "..", at + 5, "us thread=0 cublasSgemm_v2 transa=", a,
      " transb=", b, " m=8 n=8 k=8\nlaunchapi t=", at + 1, "..", at + 2,
      "us thread=0 corr=", at, " ext=", at, "us\nkernel t=", at + 3, "..",
      at + 4, "us device=0 stream=7 corr=", at, " name=some_gemm\n");
}

TEST(DirectionTest, InAGraphAPlainProductMayBeTheNextForwardPass) {
  const std::string of_graph =
      Launch(10, 0, "flash_bwd_a") +
      Launch(20, 0, "Sub_GPU_DT_FLOAT_DT_FLOAT_kernel");
  const std::string others = Product(30, 0, 0) + Product(40, 1, 0) +
                             Product(50, 0, 1) + Launch(60, 0, "flash_bwd_b");
  // The products' kernels run first.
  EXPECT_EQ(DirectionsOf(of_graph + others),
            (Directions{Direction::kNone, kBackward, kBackward, kBackward,
                        Direction::kNone, kBackward}));
}

// The weights' of the first layer, behind which nothing is told.
TEST(DirectionTest, InAGraphTheLastGradientsOfTheRunAreTold) {
  const std::string of_graph =
      Launch(100, 0, "flash_bwd_a") +
      Launch(120, 0, "Sub_GPU_DT_FLOAT_DT_FLOAT_kernel");
  const std::string others =
      Product(130, 0, 1) + Product(140, 0, 0) + Product(150, 0, 1);
  // The products' kernels run first.
  EXPECT_EQ(DirectionsOf(of_graph + others),
            (Directions{kBackward, Direction::kNone, Direction::kNone,
                        kBackward, Direction::kNone}));
}

TEST(DirectionTest, AnEngineUpdatesWhileItsBackwardPassGoesOn) {
  const std::string launches = Launch(10, 0, "multi_tensor_apply_sgd") +
                               Launch(20, 0, "volta_sgemm_nt") +
                               Launch(30, 0, "flash_bwd_a");
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(DirectionsOf(launches),
            (Directions{update, Direction::kNone, kBackward}));
  EXPECT_EQ(DirectionsOf(launches, "process framework=\"mxnet 1.9.1\"\n"),
            (Directions{update, kBackward, kBackward}));
}

TEST(DirectionTest, AnIterationBetweenTwoUpdatesIsNoUpdate) {
  const Direction update = Direction::kUpdate;
  const Direction none = Direction::kNone;
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "multi_tensor_apply_sgd") +
                         Launch(20, 0, "elementwise_mul") +
                         Launch(30, 0, "multi_tensor_apply_sgd") +
                         Launch(40, 0, "volta_sgemm_tn") +
                         Launch(50, 0, "elementwise_add") +
                         Launch(60, 0, "multi_tensor_apply_sgd")),
            (Directions{update, update, update, none, none, update}));
}

TEST(DirectionTest, WhatRepeatsTheForwardPassInTheBackwardPassIsRecompute) {
  const std::vector<std::string> segment = {"volta_sgemm_tn", "gelu_forward",
                                            "elementwise_add"};
  std::string text;
  int at = 0;
  for (const auto& name : segment) text += Launch(at += 10, 0, name);
  for (const auto& name : segment) text += Launch(at += 10, 1, name);
  text += Launch(at += 10, 1, "gelu_backward");
  text += Launch(at += 10, 1, "volta_sgemm_nn");
  const Direction again = Direction::kRecompute;
  EXPECT_EQ(DirectionsOf(text),
            (Directions{kForward, kForward, kForward, again, again, again,
                        kBackward, kBackward}));
}

// The first state of a recurrent layer, say. Sums of gradients are none.
TEST(DirectionTest, WhatIsFilledForARecomputedLayerIsRecomputeToo) {
  const auto with = [](const std::string& first) {
    std::string text;
    int at = 0;
    for (const int thread : {0, 1}) {
      for (const auto& name : {first, std::string("volta_sgemm_tn"),
                               std::string("gelu_forward")}) {
        text += Launch(at += 10, thread, name);
      }
    }
    return DirectionsOf(text + Launch(at + 10, 1, "gelu_backward"));
  };
  const std::string plain = "vectorized_elementwise_kernel";
  EXPECT_EQ(with(plain + "<FillFunctor>")[3], Direction::kRecompute);
  EXPECT_EQ(with(plain + "<CUDAFunctor_add>")[3], kBackward);
}

TEST(DirectionTest, AnUpdateIsWhatFollowsTheBackwardPass) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         Launch(30, 0, "elementwise_mul") +
                         Launch(40, 0, "volta_sgemm_tn")),
            (Directions{kForward, kBackward, Direction::kUpdate, kForward}));
}

// Captured by autograd's thread, replayed by the main thread.
TEST(DirectionTest, AReplayHasTheDirectionOfWhatWasCaptured) {
  EXPECT_EQ(DirectionsOf(
                "call t=0..2us thread=0 cublasSgemm_v2 capturing m=8 n=8 k=8\n"
                "call t=5..7us thread=1 cublasSgemm_v2 capturing m=8 n=8 k=8\n"
                "call t=50..55us thread=0 cudaGraphLaunch\n"
                "launchapi t=51..54us thread=0 corr=5\n"
                "graphnode 70 thread=0 call=0us\n"
                "graphnode 71 thread=1 call=5us\n"
                "kernel t=60..65us device=0 corr=5 graph=1 graph_node=70 "
                "name=x\n"
                "kernel t=66..69us device=0 corr=5 graph=1 graph_node=71 "
                "name=x\n"),
            (Directions{kForward, kBackward}));
}

// Nothing tells of the capture; the same ran before, to warm up.
TEST(DirectionTest, AReplayHasTheDirectionOfItsWarmup) {
  std::string text = Launch(10, 0, "volta_sgemm_tn") +
                     Launch(20, 1, "volta_sgemm_nn") +
                     Launch(30, 1, "elementwise_mul") +
                     "call t=50..55us thread=0 cudaGraphLaunch\n"
                     "launchapi t=51..54us thread=0 corr=5\n";
  int at = 2000;
  for (const char* name :
       {"volta_sgemm_tn", "volta_sgemm_nn", "elementwise_mul"}) {
    text += "kernel t=" + std::to_string(at) + ".." + std::to_string(at + 1) +
            "us device=0 corr=5 name=" + name + "\n";
    at += 2;
  }
  EXPECT_EQ(DirectionsOf(text), (Directions{kForward, kBackward, kBackward,
                                            kForward, kBackward, kBackward}));
}

TEST(DirectionTest, AFewKernelsOfAReplayMayNotHaveWarmedUp) {
  std::string text;
  std::string replay;
  int at = 0;
  const auto add = [&](int thread, const std::string& name, bool warms_up) {
    at += 10;
    if (warms_up) text += Launch(at, thread, name);
    replay += "kernel t=" + std::to_string(3000 + at) + ".." +
              std::to_string(3001 + at) +
              "us device=0 corr=5 graph=1 graph_node=" + std::to_string(at) +
              " name=" + name + "\n";
  };
  for (int i = 0; i < 10; ++i) add(0, "volta_sgemm_tn", true);
  for (int i = 0; i < 10; ++i) {
    add(1, "volta_sgemm_nn", true);
    if (i == 4) add(1, "fill_kernel", false);
  }
  add(0, "elementwise_add", true);
  add(0, "fill_kernel", false);
  const Directions found =
      DirectionsOf(text +
                   "call t=900..905us thread=0 cudaGraphLaunch\n"
                   "launchapi t=901..904us thread=0 corr=5\n" +
                   replay);
  Directions expected(10, kForward);
  expected.resize(21, kBackward);
  expected.resize(23, Direction::kUpdate);
  EXPECT_EQ(Directions(found.end() - 23, found.end()), expected);
}

TEST(DirectionTest, AReplayWithoutWarmupHasNoDirection) {
  const Directions found = DirectionsOf(
      Launch(10, 0, "volta_sgemm_tn") + Launch(20, 1, "volta_sgemm_nn") +
      "call t=50..55us thread=0 cudaGraphLaunch\n"
      "launchapi t=51..54us thread=0 corr=5\n"
      "kernel t=2000..2001us device=0 corr=5 name=volta_sgemm_nt\n"
      "kernel t=2002..2003us device=0 corr=5 name=volta_sgemm_nn\n");
  EXPECT_EQ(found, (Directions{kForward, kBackward, Direction::kNone,
                               Direction::kNone}));
}

// As of a library that is linked statically.
TEST(DirectionTest, AKernelWithoutCallIsWhereTheOneBeforeItIs) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         "kernel t=1022..1023us device=0 corr=99 "
                         "name=vector_fft\n" +
                         Launch(30, 1, "elementwise_mul") +
                         Launch(40, 0, "elementwise_add")),
            (Directions{kForward, kBackward, kBackward, kBackward,
                        Direction::kUpdate}));
}

TEST(DirectionTest, AClampInTheUpdateClipsGradients) {
  const TraceModel model = TraceFromText(
      "device 0 name=gpu\nthread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n" +
      Launch(10, 0, "volta_sgemm_tn") + Launch(20, 1, "volta_sgemm_nn") +
      Launch(30, 0, "launch_clamp_scalar"));
  const Attribution attribution = Attribute(model);
  const Attributed& clamp = attribution.processes[0].activities[2];
  EXPECT_EQ(clamp.direction, Direction::kUpdate);
  EXPECT_EQ(clamp.layer_class, LayerClass::kElementwise);
}

// Backward of backward convolves as forward does, by the kernels of one call.
TEST(DirectionTest, OneCallOfSeveralKernelsAgainIsNoRecompute) {
  std::string text;
  for (const int at : {10, 40}) {
    const std::string t = std::to_string(at);
    const std::string thread = at == 10 ? "0" : "1";
    text += "call t=" + t + ".." + std::to_string(at + 5) +
            "us thread=" + thread + " cublasSgemm_v2 m=8 n=8 k=8\n";
    for (int i = 0; i < 2; ++i) {
      const std::string corr = std::to_string(at + i);
      text += "launchapi t=" + corr + ".." + std::to_string(at + i + 1) +
              "us thread=" + thread + " corr=" + corr + " ext=" + t + "us\n" +
              "kernel t=" + std::to_string(1000 + at + i) + ".." +
              std::to_string(1001 + at + i) + "us device=0 corr=" + corr +
              " name=fprop_part" + std::to_string(i) + "\n";
    }
  }
  EXPECT_EQ(DirectionsOf(text),
            (Directions{kForward, kForward, kBackward, kBackward}));
}

TEST(DirectionTest, ANormInFrontOfTheFirstProductIsNoUpdate) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         Launch(30, 0, "elementwise_mul") +
                         Launch(40, 0, "vectorized_layer_norm_kernel") +
                         Launch(50, 0, "elementwise_mul")),
            (Directions{kForward, kBackward, Direction::kUpdate, kForward,
                        kForward}));
}

// Passes of a model of two layers, with work of the main thread after each
// backward pass; a forward pass behind the last.
Directions BetweenPasses(const std::vector<std::vector<std::string>>& between) {
  std::string text;
  int at = 0;
  const auto add = [&](int thread, const std::vector<std::string>& kernels) {
    for (const std::string& kernel : kernels) {
      text += Launch(at += 10, thread, kernel);
    }
  };
  Directions found;
  for (const auto& row : between) {
    add(0, {"volta_sgemm_tn", "volta_sgemm_tn"});
    add(1, {"volta_sgemm_nn", "volta_sgemm_nt", "volta_sgemm_nt"});
    add(0, row);
  }
  add(0, {"volta_sgemm_tn"});
  const Directions all = DirectionsOf(text);
  size_t first = 0;
  for (const auto& row : between) {
    first += 5;
    found.insert(found.end(), all.begin() + static_cast<ptrdiff_t>(first),
                 all.begin() + static_cast<ptrdiff_t>(first + row.size()));
    first += row.size();
  }
  return found;
}

constexpr char kNoise[] = "distribution_elementwise_grid_stride_kernel";

TEST(DirectionTest, WhatMakesTheNextBatchBetweenBackwardPassesIsNoUpdate) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(
      BetweenPasses({{kNoise, "elementwise_mul"},
                     {"multi_tensor_apply_adam", "elementwise_lerp", kNoise,
                      "elementwise_mul"}}),
      (Directions{kForward, kForward, update, update, kForward, kForward}));
  // Also where there are as many operations as an update may have.
  EXPECT_EQ(BetweenPasses({{kNoise, "elementwise_mul", "elementwise_add"},
                           {"multi_tensor_apply_adam"}}),
            (Directions{kForward, kForward, kForward, update}));
  // Without random numbers the other row tells.
  EXPECT_EQ(BetweenPasses({{"elementwise_mul"},
                           {"multi_tensor_apply_adam", "elementwise_lerp",
                            "elementwise_mul"}}),
            (Directions{kForward, update, update, kForward}));
}

// As of equations whose residuals are made of gradients.
TEST(DirectionTest, WhatIsComputedOfAGradientAndSummedUpIsNoUpdate) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(BetweenPasses({{"elementwise_mul", "elementwise_add",
                            "elementwise_pow", "at::native::reduce_kernel"},
                           {"multi_tensor_apply_adam"}}),
            (Directions{kForward, kForward, kForward, kForward, update}));
  // Norms of gradients scale them first.
  EXPECT_EQ(
      BetweenPasses({{"at::native::reduce_kernel", "at::native::reduce_kernel",
                      "elementwise_mul", "elementwise_mul", "elementwise_add",
                      "elementwise_add"},
                     {"multi_tensor_apply_adam"}}),
      Directions(7, update));
}

// As of an attack on the input, or a sample that moves along the gradient.
TEST(DirectionTest, WhatIsDoneOnceWithAGradientIsNoUpdateOfWeights) {
  EXPECT_EQ(
      BetweenPasses({{"elementwise_sign", "elementwise_mul", "elementwise_add",
                      "elementwise_clamp"},
                     {"multi_tensor_apply_adam"}}),
      (Directions{kForward, kForward, kForward, kForward, Direction::kUpdate}));
}

TEST(DirectionTest, BetweenTwoBackwardPassesWithoutAnOptimizerIsALoss) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(
      DirectionsOf(
          Launch(10, 0, "volta_sgemm_tn") + Launch(20, 1, "volta_sgemm_nn") +
          Launch(30, 0, "elementwise_add") + Launch(40, 0, "elementwise_mul") +
          Launch(50, 1, "elementwise_mul") +
          Launch(60, 0, "multi_tensor_apply_adam")),
      (Directions{kForward, kBackward, kForward, kForward, kBackward, update}));
}

constexpr char kFillsNumbers[] =
    "\"void at::native::vectorized_elementwise_kernel<2, "
    "at::native::FillFunctor<long> >(int)\"";

// As the state of a graph's random numbers, or labels.
TEST(DirectionTest, WholeNumbersThatAreFilledInBeginTheNextBatch) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(BetweenPasses(
                {{kFillsNumbers}, {"multi_tensor_apply_adam", kFillsNumbers}}),
            (Directions{kForward, update, kForward}));
  // Between gradients and what may update by them they tell nothing.
  EXPECT_EQ(
      BetweenPasses({{kFillsNumbers, "elementwise_add", "elementwise_add"},
                     {"multi_tensor_apply_adam"}}),
      (Directions{update, update, update, update}));
}

// As where graphs replay all but the first pass backward.
TEST(DirectionTest, AnOptimizerThatFollowsNoPassBackwardTellsOfUpdates) {
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         Launch(30, 0, kFillsNumbers) +
                         Launch(40, 0, "volta_sgemm_tn") +
                         Launch(50, 0, "multi_tensor_apply_adam")),
            (Directions{kForward, kBackward, kForward, kForward,
                        Direction::kUpdate}));
}

TEST(DirectionTest, NumbersInOrderBehindTheOptimizerBeginTheNextBatch) {
  EXPECT_EQ(BetweenPasses({{"multi_tensor_apply_adam", "elementwise_lerp",
                            "elementwise_kernel_with_index_arange"}}),
            (Directions{Direction::kUpdate, Direction::kUpdate, kForward}));
}

// As of a temperature that is learnt beside an actor.
TEST(DirectionTest, ALossWithoutLayersBehindTheOptimizerIsForward) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(DirectionsOf(Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         Launch(30, 0, "multi_tensor_apply_adam") +
                         Launch(40, 0, "elementwise_add") +
                         Launch(50, 0, "elementwise_mul") +
                         Launch(60, 1, "elementwise_mul") +
                         Launch(70, 0, "multi_tensor_apply_adam")),
            (Directions{kForward, kBackward, update, kForward, kForward,
                        kBackward, update}));
}

TEST(DirectionTest, AsManyOperationsAsWeightsMayBeAnUpdateOfTheirOwn) {
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(BetweenPasses({{"elementwise_add", "elementwise_add"},
                           {"multi_tensor_apply_adam"}}),
            (Directions{update, update, update}));
}

// An actor beside a learner.
TEST(DirectionTest, AThreadThatOnlyComputesForwardIsInNoUpdateOfAnother) {
  const std::string two = "thread 2 tid=3 name=actor\n";
  const Direction update = Direction::kUpdate;
  EXPECT_EQ(DirectionsOf(two + Launch(10, 0, "volta_sgemm_tn") +
                         Launch(20, 1, "volta_sgemm_nn") +
                         Launch(30, 0, "elementwise_mul") +
                         Launch(40, 2, "elementwise_tanh_kernel") +
                         Launch(50, 2, "volta_sgemm_tn") +
                         Launch(60, 0, "elementwise_mul") +
                         Launch(70, 0, "multi_tensor_apply_adam")),
            (Directions{kForward, kBackward, update, kForward, kForward, update,
                        update}));
}

// As DataParallel has them: the loss follows on the main thread.
TEST(DirectionTest, ThreadsThatComputeAPartOfTheStepAreInItsForwardPass) {
  const std::string threads =
      "thread 2 tid=3 name=replica\nthread 3 tid=4 name=replica\n";
  EXPECT_EQ(DirectionsOf(threads + Launch(10, 2, "volta_sgemm_tn") +
                         Launch(20, 0, "elementwise_mul") +
                         Launch(30, 0, "softmax_warp_forward") +
                         Launch(40, 1, "volta_sgemm_nn") +
                         Launch(50, 0, "multi_tensor_apply_adam") +
                         Launch(60, 3, "volta_sgemm_tn") +
                         Launch(70, 0, "elementwise_mul") +
                         Launch(80, 0, "softmax_warp_forward")),
            (Directions{kForward, kForward, kForward, kBackward,
                        Direction::kUpdate, kForward, kForward, kForward}));
}

// L-BFGS: its step computes the loss and the gradients itself.
TEST(DirectionTest, AnOptimizerThatComputesGradientsTellsNoDirection) {
  const std::string range = " thread=0 kind=op name=";
  EXPECT_EQ(
      DirectionsOf(
          Launch(10, 0, "volta_sgemm_tn") + Launch(20, 0, "volta_sgemm_nn") +
          Launch(30, 0, "elementwise_mul") + "range t=5..40us" + range +
          "Optimizer.step#LBFGS.step\nrange t=19..25us" + range +
          "\"autograd::engine::evaluate_function: MmBackward0\"\n"),
      (Directions{kForward, kBackward, Direction::kUpdate}));
}

constexpr char kInput[] = "input";

// Three steps of a model of two layers, with the products of `update` after
// each backward pass; `before` comes first, `after` last.
Directions UpdateDirections(const std::vector<std::string>& update,
                            const std::vector<std::string>& after = {}) {
  std::string text;
  int at = 0;
  const auto add = [&](int thread, const std::vector<std::string>& kernels) {
    for (const std::string& kernel : kernels) {
      at += 10;
      text += kernel == kInput ? CopyInput(at) : Launch(at, thread, kernel);
    }
  };
  for (int step = 0; step < 4; ++step) {
    add(0, {"volta_sgemm_tn", "elementwise_relu", "volta_sgemm_nt"});
    add(1, {"elementwise_mul", "volta_sgemm_nn"});
    add(0, {"elementwise_lerp"});
    add(0, update);
  }
  add(0, after);
  const Directions all = DirectionsOf(text);
  // What the second step's update is.
  const auto begin = all.begin() + 6 + static_cast<ptrdiff_t>(update.size());
  return {begin + 6, begin + 6 + static_cast<ptrdiff_t>(update.size())};
}

TEST(DirectionTest, ProductsOfAnUpdateAreNoForwardPass) {
  const Directions update(3, Direction::kUpdate);
  EXPECT_EQ(UpdateDirections({"volta_dgemm_nt", "scale_add", "volta_dgemm_nn"}),
            update);
  // Also where an evaluation follows the last step.
  EXPECT_EQ(UpdateDirections({"volta_dgemm_nt", "scale_add", "volta_dgemm_nn"},
                             {"volta_sgemm_tn", "elementwise_relu"}),
            update);
}

TEST(DirectionTest, APassForwardAfterEachUpdateIsOne) {
  EXPECT_EQ(UpdateDirections({"volta_sgemm_tn", "relu", "volta_sgemm_nt"}),
            Directions(3, kForward));
}

// The norms of batches have other kernels there than in training.
TEST(DirectionTest, AnEvaluationWithKernelsOfItsOwnIsNoUpdate) {
  EXPECT_EQ(UpdateDirections({"volta_dgemm_tn", "bn_fw_inf_1C11", "relu"}),
            Directions(3, kForward));
}

// Of what lies on the GPU (all items, noise), so nothing is copied for it.
TEST(DirectionTest, ProductsWithActivationsBehindThemAreNoUpdate) {
  EXPECT_EQ(UpdateDirections(
                {"volta_dgemm_nt", "launch_clamp_scalar", "volta_dgemm_nn"}),
            Directions(3, kForward));
  // What a program clips is something else.
  EXPECT_EQ(UpdateDirections({"volta_dgemm_nt", "scale_add",
                              "launch_clamp_scalar", "volta_dgemm_nn"}),
            Directions(4, Direction::kUpdate));
}

// In another precision than training.
TEST(DirectionTest, ProductsOfAnInputBehindTheOptimizersKernelsAreForward) {
  EXPECT_EQ(UpdateDirections({"multi_tensor_apply_adam", kInput,
                              "volta_dgemm_tn", "relu", "volta_dgemm_nt"}),
            (Directions{Direction::kUpdate, Direction::kNone, kForward,
                        kForward, kForward}));
  // The next batch was sent for in front of the update.
  EXPECT_EQ(
      UpdateDirections({kInput, "multi_tensor_apply_adam", "volta_dgemm_tn",
                        "scale_add", "volta_dgemm_nt"}),
      (Directions{Direction::kNone, Direction::kUpdate, Direction::kUpdate,
                  Direction::kUpdate, Direction::kUpdate}));
}

// Of ten steps of a model of two layers with a product in each update, in the
// first and the sixth of which a matrix is taken apart; those are of the sixth,
// with `more` behind its product.
Directions OfSixthUpdate(const std::vector<std::string>& more) {
  std::string text;
  int at = 0;
  size_t begin = 0;
  size_t end = 0;
  const auto add = [&](int thread, const std::vector<std::string>& kernels) {
    for (const std::string& kernel : kernels) {
      text += Launch(at += 10, thread, kernel);
    }
  };
  for (int step = 0; step < 10; ++step) {
    add(0, {"volta_sgemm_tn", "elementwise_relu", "volta_sgemm_nt"});
    add(1, {"elementwise_mul", "volta_sgemm_nn"});
    if (step == 5) begin = static_cast<size_t>(at) / 10;
    if (step % 5 == 0) add(0, {"volta_dgemm_nn", "getrf_pivot"});
    add(0, {"volta_dgemm_nt", "scale_add"});
    if (step != 5) continue;
    add(0, more);
    end = static_cast<size_t>(at) / 10;
  }
  const Directions all = DirectionsOf(text);
  return {all.begin() + static_cast<ptrdiff_t>(begin),
          all.begin() + static_cast<ptrdiff_t>(end)};
}

TEST(DirectionTest, AnUpdateMayTakeMatricesApartNowAndThen) {
  EXPECT_EQ(OfSixthUpdate({}), Directions(4, Direction::kUpdate));
  EXPECT_EQ(OfSixthUpdate({"volta_dgemm_nn"}),
            Directions(5, Direction::kUpdate));
  // An evaluation follows.
  Directions evaluated(4, Direction::kUpdate);
  evaluated.resize(4 + 3, kForward);
  EXPECT_EQ(
      OfSixthUpdate({"volta_sgemm_tn", "elementwise_relu", "volta_sgemm_nt"}),
      evaluated);
}

// Weights are adapted by hand each third time, and what they give then is only
// looked at; an optimizer follows all other passes.
TEST(DirectionTest, ProductsBehindAnAdaptationAreNoUpdate) {
  std::string text;
  int at = 0;
  size_t looked_at = 0;
  for (int pass = 1; pass <= 10; ++pass) {
    text += Launch(at += 10, 0, "volta_sgemm_tn");
    text += Launch(at += 10, 1, "volta_sgemm_nt");
    text += Launch(at += 10, 0, "multi_tensor_apply_adam");
    if (pass % 3 != 0) continue;
    text += Launch(at += 10, 0, "volta_sgemm_tn");
    text += Launch(at += 10, 1, "volta_sgemm_nt");
    text += Launch(at += 10, 0, "scale_add");
    text += Launch(at += 10, 0, "volta_dgemm_tn");
    looked_at = static_cast<size_t>(at) / 10 - 1;
    text += Launch(at += 10, 0, "elementwise_add");
  }
  text += Launch(at += 10, 0, "volta_dgemm_tn");
  EXPECT_EQ(DirectionsOf(text)[looked_at], kForward);
}

// Nine backward passes; an optimizer's kernel follows each `nth`, and each
// third these kernels, and a copy of so many bytes to the host. Of the first
// three.
Directions OfEachThird(const std::vector<std::string>& kernels, int nth,
                       const std::string& bytes) {
  std::string text;
  int at = 0;
  size_t begin = 0;
  for (int pass = 1; pass <= 9; ++pass) {
    text += Launch(at += 10, 0, "volta_sgemm_tn");
    text += Launch(at += 10, 1, "volta_sgemm_nt");
    if (pass % nth == 0) text += Launch(at += 10, 0, "multi_tensor_apply_adam");
    if (pass % 3 != 0) continue;
    if (pass == 3) begin = static_cast<size_t>(at) / 10;
    for (const std::string& kernel : kernels) {
      text += Launch(at += 10, 0, kernel);
    }
    text += Copy(at += 10, "dtoh bytes=" + bytes);
  }
  const auto first = DirectionsOf(text);
  const auto it = first.begin() + static_cast<ptrdiff_t>(begin);
  return {it, it + static_cast<ptrdiff_t>(kernels.size())};
}

// All scores of a factorization: nothing is copied there, nor activated.
TEST(DirectionTest, ProductsThatAreReadNowAndThenAreForward) {
  const Directions update(3, Direction::kUpdate);
  const std::vector<std::string> kernels = {"volta_dgemm_nt", "scale_add",
                                            "volta_dgemm_nn"};
  EXPECT_EQ(OfEachThird(kernels, 1, "4096"), Directions(3, kForward));
  EXPECT_EQ(OfEachThird(kernels, 1, "4"), update);
  // Gradients of three passes, and losses that are read behind each update.
  EXPECT_EQ(OfEachThird(kernels, 3, "4096"), update);
}

}  // namespace
}  // namespace dltap::analyzer
