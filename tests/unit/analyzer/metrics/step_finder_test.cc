// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "analyzer/metrics/steps/warm_up.h"
#include "analyzer/metrics/windows/window.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Steps StepsOf(const TraceModel& model) {
  const Attribution attribution = Attribute(model);
  return FindSteps(model, model.processes[0], attribution.processes[0]);
}

// A launch of `kernel` at `at` us, which runs 5 us.
std::string Launch(int at, int correlation, const std::string& kernel) {
  const auto us = [](int t) { return std::to_string(t) + "us"; };
  return "call t=" + us(at) + ".." + us(at + 2) +
         " cudaLaunchKernel launches=" + kernel + "\nlaunchapi t=" + us(at) +
         ".." + us(at + 1) + " corr=" + std::to_string(correlation) +
         "\nkernel t=" + us(at + 3) + ".." + us(at + 8) +
         " device=0 corr=" + std::to_string(correlation) + " name=" + kernel +
         "\n";
}

// A product of two operands at `at` us, whose kernel runs 5 us.
std::string Product(int at, int a, int b) {
  const auto us = [](int t) { return std::to_string(t) + "us"; };
  const std::string corr = std::to_string(at + 1);
  return "call t=" + us(at) + ".." + us(at + 2) +
         " thread=0 cublasGemmStridedBatchedEx m=8 n=8 k=8 batchCount=1 A=" +
         std::to_string(a) + " B=" + std::to_string(b) +
         "\nlaunchapi t=" + us(at) + ".." + us(at + 1) +
         " thread=0 corr=" + corr + " ext=" + us(at) +
         "\nkernel t=" + us(at + 3) + ".." + us(at + 8) +
         " device=0 corr=" + corr + " name=gemm\n";
}

// Of convolutions.
constexpr char kConvolutions[] =
    "device 0 name=gpu\n"
    "operation 1 conv_forward storage=f16 batch=8 channels_in=8 "
    "channels_out=8 depth_in=1 height_in=8 width_in=8 filter_depth=1 "
    "filter_height=1 filter_width=1 depth_out=1 height_out=8 width_out=8 "
    "groups=1\n";

// A convolution with the filter at `w`, whose kernel runs 5 us.
std::string Convolution(int at, int w) {
  return absl::StrFormat(
      "call t=%dus..%dus thread=0 cudnnBackendExecute node_x=1 node_w=%d "
      "node_y=2 operation=1\n"
      "launchapi t=%dus..%dus thread=0 corr=%d ext=%dus\n"
      "kernel t=%dus..%dus device=0 corr=%d name=conv\n",
      at, at + 2, w, at, at + 1, at + 1, at, at + 3, at + 8, at + 1);
}

std::string Loop(int steps, int first_step_extra_us) {
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  int correlation = 1;
  for (int step = 0; step < steps; ++step) {
    text += Launch(at, correlation++, "forward_a");
    text += Launch(at += 10, correlation++, "forward_b");
    text += Launch(at += 10, correlation++, "multi_tensor_apply_sgd");
    at += 10 + (step == 0 ? first_step_extra_us : 0);
  }
  return text;
}

TEST(StepFinderTest, FindsTheLoopAndLeavesTheFirstStepOut) {
  const Steps steps = StepsOf(TraceFromText(Loop(6, 500)));
  EXPECT_EQ(steps.found_by, StepsFoundBy::kPeriod);
  ASSERT_EQ(steps.steps.size(), 6);
  EXPECT_EQ(steps.steps[0].use, StepUse::kWarmUp);
  EXPECT_EQ(steps.steps[1].use, StepUse::kUsed);
  EXPECT_EQ(steps.steps[1].begin_ns, 530'000);
  EXPECT_EQ(steps.steps[1].end_ns, 560'000);
}

// Sixteen steps of a loop in TensorFlow's graph take a batch together.
TEST(StepFinderTest, GradientsOfAGraphThatTellsNoUpdateAreNoRequests) {
  const auto count = [](const std::string& framework) {
    const auto copy = [](int at, const char* call, int corr, const char* kind) {
      return absl::StrFormat(
          "call t=%dus..%dus %s\nlaunchapi t=%dus..%dus corr=%d\n"
          "memcpy t=%dus..%dus device=0 corr=%d kind=%s bytes=65536\n",
          at, at + 2, call, at, at + 1, corr, at + 2, at + 8, corr, kind);
    };
    std::string text =
        "process framework=\"" + framework + "\"\ndevice 0 name=gpu\n";
    for (int i = 0; i < 96; ++i) {
      const int at = 100 * i;
      if (i % 16 == 0) {
        text += copy(at, "cuMemcpyHtoDAsync_v2", 4 * i + 1, "htod");
      }
      text += Launch(at + 20, 4 * i + 2, "flash_fwd_a") +
              Launch(at + 40, 4 * i + 3, "flash_bwd_a");
      if (i % 16 == 15) {
        text += copy(at + 60, "cuMemcpyDtoH_v2", 4 * i + 4, "dtoh");
      }
    }
    return StepsOf(TraceFromText(text)).steps.size();
  };
  EXPECT_EQ(count("tensorflow 2.20.0"), 96);
  EXPECT_EQ(count("torch 2.11.0"), 6);
}

TEST(StepFinderTest, WhatIsReadLongAfterTheLoopIsOfNoStep) {
  const auto end_of_last = [](int read_at) {
    return StepsOf(TraceFromText(
                       Loop(6, 0) +
                       absl::StrFormat("call t=%dus..%dus cuMemcpyDtoH_v2\n"
                                       "launchapi t=%dus..%dus corr=99\n"
                                       "memcpy t=%dus..%dus device=0 corr=99 "
                                       "kind=dtoh bytes=4\n",
                                       read_at, read_at + 4, read_at,
                                       read_at + 1, read_at + 2, read_at + 3)))
        .steps.back()
        .end_ns;
  };
  EXPECT_EQ(end_of_last(180), 184'000);
  EXPECT_EQ(end_of_last(9180), 172'000);
}

TEST(StepFinderTest, AStepThatIsSlowBeforeTheFirstPassesForwardIsWarmUp) {
  // Steps of 10 ns; passes behind each fourth are compiled before the first
  // ones. The eighth step is slow for another reason.
  Steps steps{.found_by = StepsFoundBy::kPeriod, .steps = {}};
  int64_t at = 0;
  for (int i = 1; i <= 16; ++i) {
    const int64_t end = at + (i == 4 || i == 8 ? 500 : 10);
    steps.steps.push_back({at, end});
    at = end;
    if (i % 4 != 0) continue;
    steps.steps.push_back({at, at + 5, StepUse::kEvaluation});
    at += 5;
  }
  MarkWarmUp(steps);
  std::vector<size_t> warm_up;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    if (steps.steps[i].use == StepUse::kWarmUp) warm_up.push_back(i);
  }
  EXPECT_EQ(warm_up, (std::vector<size_t>{0, 3}));
}

TEST(StepFinderTest, TrialsBeforeAStepAreNoPartOfTheOneBefore) {
  const TraceModel model =
      TraceFromText(Loop(6, 0) + Launch(84, 100, "trial_kernel"));
  Attribution attribution = Attribute(model);
  const Process& process = model.processes[0];
  for (size_t i = 0; i < process.activities.size(); ++i) {
    attribution.processes[0].activities[i].autotune =
        model.texts[process.activities[i].name] == "trial_kernel";
  }
  const Steps steps = FindSteps(model, process, attribution.processes[0]);
  ASSERT_EQ(steps.steps.size(), 6);
  EXPECT_EQ(steps.steps[1].end_ns, 60'000);
  EXPECT_EQ(steps.steps[2].end_ns, 82'000);
  EXPECT_FALSE(steps.steps[2].end_known);
  EXPECT_EQ(steps.steps[3].use, StepUse::kAutotune);
  const std::vector<StepWindow> windows =
      AllStepWindows(process, attribution.processes[0], steps, DeviceId(0));
  ASSERT_EQ(windows.size(), 6);
  EXPECT_EQ(windows[1].span.end_ns, 63'000);
  EXPECT_EQ(windows[2].span.end_ns, 88'000);
}

TEST(StepFinderTest, WherePassesAreNotToldTheLoopTellsSteps) {
  // Gradients have names of their own; all products lie between two of them.
  std::string text = "device 0 name=gpu\n" + Launch(0, 1, "gemm");
  int at = 10;
  const auto add = [&](const std::string& kernel) {
    text += Launch(at, at, kernel);
    at += 10;
  };
  for (int step = 0; step < 20; ++step) {
    for (const char* kernel :
         {"EigenMetaKernel", "gemm", "BiasNHWCKernel", "tensorflow::BiasGrad",
          "gemm", "main_kernel", "tensorflow::BiasGrad", "Cast_GPU_DT_x"}) {
      add(kernel);
    }
    at += 300;
  }
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 20);
}

// Steps of 60 us, and of 20 us behind the first `slow`.
Steps SlowThenQuick(int steps, int slow) {
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  for (int step = 0; step < steps; ++step) {
    text += Launch(at, 2 * step + 1, "forward_a");
    text += Launch(at + 10, 2 * step + 2, "multi_tensor_apply_sgd");
    at += step < slow ? 60 : 20;
  }
  return StepsOf(TraceFromText(text));
}

TEST(StepFinderTest, ManySlowStepsAreNoWarmUp) {
  const Steps steps = SlowThenQuick(20, 9);
  ASSERT_EQ(steps.steps.size(), 20);
  EXPECT_EQ(steps.steps[2].use, StepUse::kWarmUp);
  EXPECT_EQ(steps.steps[3].use, StepUse::kUsed);
}

TEST(StepFinderTest, AQuickerLoopBehindTheFirstMakesItNoWarmUp) {
  const Steps steps = SlowThenQuick(50, 24);
  ASSERT_EQ(steps.steps.size(), 50);
  EXPECT_EQ(steps.steps[0].use, StepUse::kWarmUp);
  EXPECT_EQ(steps.steps[1].use, StepUse::kUsed);
}

TEST(StepFinderTest, LayersAreToldByTheirWeights) {
  // Ten passes of four equal layers of two products, without any I/O.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 80; ++i) text += Product(10 * i, 1 + i % 8, 100 + i % 2);
  const Steps steps = StepsOf(TraceFromText(text));
  ASSERT_EQ(steps.steps.size(), 10);
  EXPECT_EQ(steps.steps[1].end_ns - steps.steps[1].begin_ns, 80'000);
}

TEST(StepFinderTest, EqualConvolutionsAreToldByTheirFilters) {
  // Ten passes of eight equal layers, without any I/O.
  std::string text = kConvolutions;
  for (int i = 0; i < 80; ++i) text += Convolution(10 * i, 100 + i % 8);
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 10);
}

// Passes of eight blocks of PyTorch's, each of two products, without any I/O;
// Kineto tells which module is called.
std::string PassesOfModules(int passes) {
  std::string text = "format kineto\ndevice 0 name=gpu\n";
  for (int i = 0; i < 8 * passes; ++i) {
    const int at = 40 * i + 200 * (i / 8);
    text += absl::StrFormat(
        "range t=%dus..%dus thread=0 kind=python name=\"nn.Module: "
        "Block_%d\"\n",
        at, at + 35, i % 8);
    text += Launch(at + 2, 3 * i + 1, "ampere_sgemm_128x64_nn");
    text += Launch(at + 12, 3 * i + 2, "ampere_sgemm_128x64_nn");
    text += Launch(at + 22, 3 * i + 3, "relu");
  }
  return text;
}

TEST(StepFinderTest, EqualLayersAreToldByTheirModules) {
  EXPECT_EQ(StepsOf(TraceFromText(PassesOfModules(5))).steps.size(), 5);
}

TEST(StepFinderTest, TheLayersOfTheOnlyPassAreNoSteps) {
  EXPECT_TRUE(StepsOf(TraceFromText(PassesOfModules(1))).steps.empty());
}

TEST(StepFinderTest, TwoEqualLayersMayBeTwoStepsOrOne) {
  // Operands that take turns: the weights of two layers, or two buffers.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) text += Product(10 * i, 1 + i % 2, 100 + i % 2);
  const Steps steps = StepsOf(TraceFromText(text));
  EXPECT_EQ(steps.steps.size(), 40);
  EXPECT_EQ(steps.other_count, 20);
}

TEST(StepFinderTest, PassesThatAreAlikeInTheirProductsAloneAreNoLoop) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) {
    text += Product(30 * i, 1 + i % 4, 100);
    for (int k = 1; k < 3; ++k) {
      const int at = 30 * i + 10 * k;
      text += Launch(at, at + 1, "kernel" + std::to_string(i / 4 * 8 + k));
    }
  }
  EXPECT_TRUE(StepsOf(TraceFromText(text)).steps.empty());
}

TEST(StepFinderTest, TwoEqualLayersWithFiltersAreOneStep) {
  std::string text = kConvolutions;
  for (int i = 0; i < 40; ++i) text += Convolution(10 * i, 100 + i % 2);
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 20);
}

TEST(StepFinderTest, BuffersThatTakeTurnsAreNoLayers) {
  // What each of forty iterations computes lies in the first operand.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) text += Product(10 * i, 1 + i % 5, 100);
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 40);
}

TEST(StepFinderTest, IterationsThatMultiplyByTheSameDataTwiceAreNoLayers) {
  // The gradient of least squares by hand: a matrix, then its transpose, times
  // what forty iterations compute, in buffers that take turns.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) {
    const int at = 40 * i + 200 * (i / 8);
    text += Product(at, 1 + i % 4, 100);
    text += Launch(at + 10, at + 11, "subtract");
    text += Product(at + 20, 11 + i % 4, 100);
    text += Launch(at + 30, at + 31, "shrink");
  }
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 40);
}

TEST(StepFinderTest, IterationsOfOneProductThatAreReadAreNoLayers) {
  // Both operands are made anew in each of forty iterations, in buffers that
  // take turns; the host reads how far the result moved.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) {
    const int at = 30 * i;
    text += Product(at, 1 + i % 5, 101 + i % 5);
    text += absl::StrFormat(
        "call t=%dus..%dus thread=0 cudaMemcpyAsync\n"
        "launchapi t=%dus..%dus thread=0 corr=%d\n"
        "memcpy t=%dus..%dus device=0 corr=%d kind=dtoh bytes=4\n",
        at + 10, at + 12, at + 10, at + 11, at + 2, at + 13, at + 14, at + 2);
  }
  const Steps steps = StepsOf(TraceFromText(text));
  EXPECT_EQ(steps.steps.size(), 40);
  EXPECT_EQ(steps.other_count, 8);
}

TEST(StepFinderTest, MarkersWin) {
  const Steps steps = StepsOf(TraceFromText(
      Loop(6, 0) +
      "range t=0..60us thread=0 name=\"ProfilerStep#1\" kind=step\n"
      "range t=60..120us thread=0 name=\"ProfilerStep#2\" "
      "kind=step\n"));
  EXPECT_EQ(steps.found_by, StepsFoundBy::kMarker);
  ASSERT_EQ(steps.steps.size(), 2);
  EXPECT_EQ(steps.steps[1].begin_ns, 60'000);
}

TEST(StepFinderTest, OneMarkerOfTheProfilerWins) {
  const Steps steps = StepsOf(TraceFromText(
      Loop(6, 0) +
      "range t=0..60us thread=0 name=\"ProfilerStep#1\" kind=step\n"));
  EXPECT_EQ(steps.found_by, StepsFoundBy::kMarker);
  EXPECT_EQ(steps.steps.size(), 1);
}

TEST(StepFinderTest, OtherMarkersWinIfTheyHoldMostOfTheWork) {
  const auto marked = [](int end_us) {
    return StepsOf(
        TraceFromText(Loop(6, 0) + "range t=0.." + std::to_string(end_us) +
                      "us thread=0 name=\"iteration 1\" kind=nvtx\n"));
  };
  EXPECT_EQ(marked(100).found_by, StepsFoundBy::kMarker);
  EXPECT_EQ(marked(80).found_by, StepsFoundBy::kPeriod);
}

TEST(StepFinderTest, StepsDuringWhichModulesWereLoaded) {
  const Steps steps = StepsOf(TraceFromText(
      Loop(6, 0) + "call t=25..26us thread=1 cuModuleLoadData\n"));
  ASSERT_EQ(steps.steps.size(), 6);
  for (const Step& step : steps.steps) {
    const bool holds = step.begin_ns <= 26'000 && 26'000 < step.end_ns;
    EXPECT_EQ(step.loads_modules, holds) << step.begin_ns;
  }
  EXPECT_EQ(std::ranges::count_if(
                steps.steps, [](const Step& s) { return s.loads_modules; }),
            1);
}

TEST(StepFinderTest, TheEndOfTheLastStepIsNotKnown) {
  const Steps steps = StepsOf(TraceFromText(Loop(6, 0)));
  ASSERT_EQ(steps.steps.size(), 6);
  EXPECT_TRUE(steps.steps[4].end_known);
  EXPECT_FALSE(steps.steps[5].end_known);
}

TEST(StepFinderTest, TransposedConvolutionsGoForward) {
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  int correlation = 1;
  for (int pass = 0; pass < 5; ++pass) {
    text +=
        "call t=" + std::to_string(at) + ".." + std::to_string(at + 5) +
        "us cudaMemcpyAsync corr=" + std::to_string(correlation) +
        "\nmemcpy t=" + std::to_string(at + 5) + ".." + std::to_string(at + 9) +
        "us device=0 kind=htod bytes=4 corr=" + std::to_string(correlation) +
        "\n";
    ++correlation;
    for (int layer = 0; layer < 3; ++layer) {
      text += Launch(at += 10, correlation++, "dgrad_engine");
      text += Launch(at += 10, correlation++, "elementwise_kernel");
    }
    at += 10;
  }
  TraceModel model = TraceFromText("format kineto\n" + text);
  Attribution attribution = Attribute(model);
  for (Attributed& activity : attribution.processes[0].activities) {
    if (IsCopyOrMemset(activity.layer_class)) continue;
    const bool conv = activity.layer_class == LayerClass::kConv;
    activity.direction = conv ? Direction::kBackwardData : Direction::kBackward;
  }
  const Steps steps =
      FindSteps(model, model.processes[0], attribution.processes[0]);
  EXPECT_EQ(steps.steps.size(), 5);
}

// Every 10 us one kernel: 'f', 'w', 'd' convolution forward and backward, 'g'
// the gradient of a loss, 'b' of a bias, 'e' anything.
std::string Convolutions(const std::string& kernels) {
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  for (const char kernel : kernels) {
    at += 10;
    text += Launch(at, at + 1,
                   kernel == 'f'   ? "sm80_xmma_fprop_implicit_gemm"
                   : kernel == 'w' ? "sm80_xmma_wgrad_implicit_gemm"
                   : kernel == 'd' ? "sm80_xmma_dgrad_implicit_gemm"
                   : kernel == 'b' ? "tensorflow::BiasGradNHWC"
                   : kernel == 'e' ? "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel"
                                   : "SparseXentGradGenerator");
  }
  return text;
}

TEST(StepFinderTest, AGradientOfTheLossAloneIsNoBackwardPass) {
  // TensorFlow computes it with the loss, also to evaluate.
  const std::string epoch = "ffgwwffgwwffgwwffgww";
  const std::string evaluation = "ffgffgffg";
  const Steps steps = StepsOf(
      TraceFromText(Convolutions(epoch + evaluation + epoch + evaluation)));
  ASSERT_EQ(steps.steps.size(), 10);
  EXPECT_EQ(steps.steps[4].use, StepUse::kEvaluation);
  EXPECT_EQ(steps.steps[5].use, StepUse::kUsed);
  EXPECT_EQ(steps.steps[9].use, StepUse::kEvaluation);
}

// Every 10 us one kernel of a training, by letters: 'f' and 'b' products
// forward and backward, 's' sums of slices, 'u' an optimizer's.
std::string TrainingOf(const std::string& kernels) {
  std::string text =
      "device 0 name=gpu\nthread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n";
  int at = 0;
  for (const char kernel : kernels) {
    at += 10;
    const char* name = kernel == 's'   ? "splitKreduce_kernel"
                       : kernel == 'u' ? "multi_tensor_apply_kernel_adam"
                                       : "ampere_sgemm_32x32_nn";
    text += absl::StrFormat(
        "call t=%dus..%dus thread=%d cudaLaunchKernel\n"
        "launchapi t=%dus..%dus thread=%d corr=%d\n"
        "kernel t=%dus..%dus device=0 stream=7 corr=%d name=%s\n",
        at, at + 2, kernel == 'b', at, at + 1, kernel == 'b', at, at + 3,
        at + 8, at, name);
  }
  return text;
}

TEST(StepFinderTest, SumsOfSlicesAreNoProductsOfTheirOwn) {
  // The last batch of an epoch is smaller: its products are not split.
  const std::string epoch = "fsfbbufsfbbufsfbbuffbbu";
  const Steps steps = StepsOf(TraceFromText(
      "format kineto\n" + TrainingOf(epoch + epoch + epoch + epoch)));
  EXPECT_EQ(steps.steps.size(), 16);
  EXPECT_EQ(steps.other_count, 0);
}

// What TensorFlow runs for a letter: 'f' forward, 'b' its gradient, 'c' what a
// gradient begins with, 'm' no product, any other an optimizer's.
std::string OperationOf(char letter) {
  if (letter == 'f') return "model/MatMul:MatMul";
  if (letter == 'b') return "gradient_tape/model/MatMul:MatMul";
  if (letter == 'c') return "gradient_tape/model/Fill:Fill";
  if (letter == 'm') return "model/Mul:Mul";
  return std::string("adam/").append(1, letter) + ":AssignSubVariableOp";
}

std::string KernelOf(char letter) {
  if (letter == 'f' || letter == 'b') return {'g', 'e', 'm', 'm', '_', letter};
  return std::string(1, letter) + "_GPU_DT_FLOAT_DT_FLOAT_kernel";
}

// Every 10 us one operation of TensorFlow's, by letters.
std::string Operations(const std::string& letters) {
  std::string text =
      "process pid=1 framework=\"tensorflow 2.20.0\"\ndevice 0 name=gpu\n"
      "thread 0 tid=1 name=python\n";
  int at = 0;
  for (const char letter : letters) {
    at += 10;
    text += absl::StrFormat(
        "range t=%dus..%dus thread=0 name=\"%s\" kind=nvtx domain=TSL\n"
        "call t=%dus..%dus thread=0 cudaLaunchKernel launches=%s\n"
        "launchapi t=%dus..%dus thread=0 corr=%d\n"
        "kernel t=%dus..%dus device=0 corr=%d name=%s\n",
        at, at + 5, OperationOf(letter), at + 1, at + 3, KernelOf(letter),
        at + 1, at + 2, at, at + 4, at + 9, at, KernelOf(letter));
  }
  return text;
}

TEST(StepFinderTest, FactorsOfAnUpdateMayBeWorkedOutBeforeTheStep) {
  // Each step has two and two factors, one of them before its forward pass.
  std::string epoch;
  for (const char order : std::string("ABBABA")) {
    epoch += order == 'A' ? "pqfrsbu" : "rsfpqbu";
  }
  EXPECT_EQ(
      StepsOf(TraceFromText(Operations(epoch + epoch + epoch))).steps.size(),
      18);
}

TEST(StepFinderTest, WhatNeedsNoInputBeforeTheFirstPassIsNoStep) {
  std::string run;
  for (int i = 0; i < 12; ++i) run += "cpffbbu";
  EXPECT_EQ(StepsOf(TraceFromText(Operations(run))).steps.size(), 12);
}

TEST(StepFinderTest, StepsWithoutProductsAreToldBehindAProductOfTheSetUp) {
  std::string run = "f";
  for (int i = 0; i < 12; ++i) run += "mmcpq";
  EXPECT_EQ(StepsOf(TraceFromText(Operations(run))).steps.size(), 12);
}

TEST(StepFinderTest, APassForwardAmongGradientsBeginsNoStep) {
  // Two models: what runs the graph takes what is ready.
  std::string work = "fffwdbfwdwwfffdbddwwdweee";
  std::string run;
  for (int i = 0; i < 12; ++i) {
    std::rotate(work.begin(), work.begin() + 7, work.end());
    run += "g" + work;
  }
  EXPECT_EQ(StepsOf(TraceFromText(Convolutions(run))).steps.size(), 12);
}

TEST(StepFinderTest, PassesOfEvaluationAloneAreALoop) {
  const Steps steps =
      StepsOf(TraceFromText(Convolutions("ffgffgffgffgffgffg")));
  EXPECT_EQ(steps.steps.size(), 6);
}

TEST(StepFinderTest, AStepThatBreaksOffIsIncomplete) {
  const std::string text = Loop(6, 0) + Launch(180, 90, "forward_a");
  const Steps steps = StepsOf(TraceFromText(text));
  ASSERT_GE(steps.steps.size(), 6);
  if (steps.steps.size() == 7) {
    EXPECT_EQ(steps.steps.back().use, StepUse::kIncomplete);
  }
  EXPECT_EQ(steps.steps[5].use, StepUse::kUsed);
}

TEST(StepFinderTest, NothingRepeatsNothingFound) {
  const Steps steps = StepsOf(TraceFromText(
      "device 0 name=gpu\n" + Launch(0, 1, "a") + Launch(10, 2, "b")));
  EXPECT_EQ(steps.found_by, StepsFoundBy::kNone);
  EXPECT_TRUE(steps.steps.empty());
}

TEST(StepFinderTest, ModelsOneAfterAnotherHaveALoopEach) {
  // Ten passes of two products over each of three models, without any I/O.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 60; ++i) {
    text += Product(10 * i, 1 + 2 * (i / 20) + i % 2, 100 + i % 2);
  }
  const Steps steps = StepsOf(TraceFromText(text));
  ASSERT_EQ(steps.steps.size(), 30);
  EXPECT_EQ(steps.steps[29].begin_ns, 580'000);
}

TEST(StepFinderTest, ProblemsWhoseSolutionsAreReadAreNoModels) {
  // Twenty iterations over the matrix of each of ten problems, which lie in
  // buffers that take turns.
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  for (int problem = 0; problem < 10; ++problem) {
    text += Launch(at, at + 2, "distances");
    for (int i = 0; i < 20; ++i)
      text += Product(at += 10, 1 + problem % 3, 100);
    at += 10;
    text += absl::StrFormat(
        "call t=%dus..%dus thread=0 cudaMemcpyAsync\n"
        "launchapi t=%dus..%dus thread=0 corr=%d\n"
        "memcpy t=%dus..%dus device=0 corr=%d kind=dtoh bytes=4\n",
        at, at + 2, at, at + 1, at + 2, at + 3, at + 4, at + 2);
    at += 10;
  }
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 10);
}

TEST(StepFinderTest, IterationsOfLaterEpochsAreStepsLikeTheFirstOnes) {
  // Ten iterations of two products; then four epochs of as many, each of
  // which ends with a pass of another product.
  std::string text = "device 0 name=gpu\n";
  int at = 0;
  const auto iterate = [&](int times) {
    for (int i = 0; i < 2 * times; ++i) {
      text += Product(at += 10, 1 + i % 2, 100 + i % 2);
    }
  };
  iterate(10);
  for (int epoch = 0; epoch < 4; ++epoch) {
    iterate(10);
    text += Product(at += 10, 3, 103);
  }
  const Steps steps = StepsOf(TraceFromText(text));
  EXPECT_EQ(steps.steps.size(), 50);
}

std::string LaunchBy(int thread, int at, int correlation,
                     const std::string& kernel) {
  std::string launch = Launch(at, correlation, kernel);
  for (const std::string call : {"us cudaLaunch", "us corr="}) {
    launch.replace(launch.find(call) + 2, 1,
                   " thread=" + std::to_string(thread) + " ");
  }
  return launch;
}

// Forward and update of a thread; `at` in us.
std::string Training(int at, int thread) {
  return LaunchBy(thread, at, 2 * at + thread + 1, "ampere_sgemm_nn") +
         LaunchBy(thread, at + 10, 2 * at + thread + 21,
                  "multi_tensor_apply_x");
}

TEST(StepFinderTest, StepsOfTwoThreadsThatTrainAtOnceAreNotTold) {
  const std::string threads =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2\n";
  std::string at_once = threads;
  std::string in_turn = threads;
  for (int step = 0; step < 8; ++step) {
    at_once += Training(40 * step, 0) + Training(40 * step + 5, 1);
    in_turn += Training(40 * step, step / 4);
  }
  const Steps steps = StepsOf(TraceFromText(at_once));
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_EQ(steps.threads_at_once, (std::vector<uint64_t>{8, 8}));
  EXPECT_EQ(StepsOf(TraceFromText(in_turn)).steps.size(), 8);
}

// Its operations run on any of the threads; the loop is one.
TEST(StepFinderTest, ThreadsOfMxnetsEngineAreNotTrainersOfTheirOwn) {
  std::string text =
      "process framework=\"mxnet 1.9.1\"\ndevice 0 name=gpu\n"
      "thread 0 tid=1\nthread 1 tid=2\n";
  for (int step = 0; step < 8; ++step) {
    const int thread = step % 3 == 0 ? 1 : 0;
    text += LaunchBy(thread, 40 * step, 2 * step + 1, "ampere_sgemm_nn") +
            LaunchBy(step % 2, 40 * step + 10, 2 * step + 2,
                     "multi_tensor_apply_x");
  }
  const Steps steps = StepsOf(TraceFromText(text));
  EXPECT_TRUE(steps.threads_at_once.empty());
  EXPECT_EQ(steps.steps.size(), 8);
}

// A batch that a thread computes: three products, read back. `at` in us.
std::string Answer(int at, int thread, const std::string& kernel, int apart) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += LaunchBy(thread, at + i * apart, 4 * at + 2 * thread + 100 * i + 1,
                     i == 1 ? "softmax_warp_forward" : kernel);
  }
  return text;
}

TEST(StepFinderTest, LoopsOfThreadsThatAnswerAtOnceAreCountedByThread) {
  const std::string threads =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2\n";
  std::string at_once = threads;
  std::string in_turn = threads;
  for (int batch = 0; batch < 12; ++batch) {
    at_once += Answer(400 * batch, 0, "ampere_sgemm_nn", 20);
    if (batch < 9) at_once += Answer(400 * batch + 5, 1, "ampere_sgemm_nt", 20);
    in_turn += Answer(400 * batch, batch % 2, "ampere_sgemm_nn", 20);
  }
  const Steps steps = StepsOf(TraceFromText(at_once));
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_EQ(steps.threads_at_once, (std::vector<uint64_t>{12, 9}));
  // One loop that is handed from thread to thread.
  const Steps handed = StepsOf(TraceFromText(in_turn));
  EXPECT_TRUE(handed.threads_at_once.empty());
  EXPECT_EQ(handed.steps.size(), 12);
}

// Actors beside a learner: their batches are in no step's way.
TEST(StepFinderTest, StepsOfALearnerAreToldBesideThreadsThatOnlyCompute) {
  std::string text = "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2\n";
  const auto answer = [&text](int at) {
    text += Answer(at, 1, "ampere_sgemm_nt", 3);
  };
  for (int step = 0; step < 9; ++step) {
    const int at = 100 * step;
    text += Training(at, 0);
    if (step % 3 != 0) answer(at + 2);  // between its forward pass and update
    if (step % 2 == 0) answer(at + 40);
  }
  const Steps steps = StepsOf(TraceFromText(text));
  EXPECT_TRUE(steps.threads_at_once.empty());
  ASSERT_EQ(steps.steps.size(), 9);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(steps.steps[i].begin_ns, static_cast<int64_t>(100'000 * i));
  }
}

std::string CopyToDeviceBy(int thread, int at, int correlation) {
  const std::string by = "us thread=" + std::to_string(thread);
  const std::string corr = " corr=" + std::to_string(correlation);
  return "call t=" + std::to_string(at) + ".." + std::to_string(at + 2) + by +
         " cudaMemcpyAsync\nlaunchapi t=" + std::to_string(at) + ".." +
         std::to_string(at + 1) + by + corr +
         "\nmemcpy t=" + std::to_string(at + 1) + ".." +
         std::to_string(at + 2) + "us device=0 stream=7" + corr +
         " kind=htod bytes=4096\n";
}

// Stages of a pipeline, replicas: the passes of both threads lie in each other.
TEST(StepFinderTest, ThreadsThatAnotherOneFeedsAreOfItsLoop) {
  const std::string threads =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2\nthread 2 tid=3\n";
  const auto run = [&threads](int first_feeder, int second_feeder) {
    std::string text = threads;
    for (int batch = 0; batch < 12; ++batch) {
      const int at = 400 * batch;
      text += CopyToDeviceBy(first_feeder, at, 4 * at + 1001);
      text += CopyToDeviceBy(second_feeder, at + 3, 4 * at + 1003);
      text += Answer(at + 10, 0, "ampere_sgemm_nn", 20);
      text += Answer(at + 15, 1, "ampere_sgemm_nt", 20);
    }
    return StepsOf(TraceFromText(text));
  };
  EXPECT_EQ(run(0, 1).threads_at_once, (std::vector<uint64_t>{12, 12}));
  EXPECT_EQ(run(0, 0).steps.size(), 12);  // the first stage takes the batches
  EXPECT_EQ(run(2, 2).steps.size(), 12);  // of a third thread
}

TEST(StepFinderTest, AnOptimizerMayComputeTheLossSeveralTimes) {
  // Two or three losses in each of four steps of L-BFGS.
  std::string text =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2 name=pt_autograd_0\n";
  const auto range = [](int thread, int from, int to, const std::string& name) {
    return "range t=" + std::to_string(from) + ".." + std::to_string(to) +
           "us thread=" + std::to_string(thread) + " kind=op name=\"" + name +
           "\"\n";
  };
  int at = 0;
  for (int step = 0; step < 4; ++step) {
    const int begin = at;
    for (int loss = 0; loss < 2 + step % 2; ++loss) {
      text += LaunchBy(0, at, at + 1, "ampere_sgemm_nn");
      text += LaunchBy(1, at + 10, at + 2, "ampere_sgemm_nt");
      text += range(1, at + 9, at + 15,
                    "autograd::engine::evaluate_function: MmBackward0");
      text += LaunchBy(0, at + 20, at + 3, "vectorized_elementwise_kernel");
      at += 30;
    }
    text += range(0, begin, at - 5, "Optimizer.step#LBFGS.step");
  }
  const Steps steps = StepsOf(TraceFromText(text));
  ASSERT_EQ(steps.steps.size(), 4);
  EXPECT_EQ(steps.steps[1].begin_ns, 60'000);
}

struct Node {
  const char* kernel;
  int thread;  // 1: autograd's
};

// Three steps, then `replays` of one that was captured as these nodes.
std::string CapturedTraining(const std::vector<Node>& nodes, int replays) {
  std::string text =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2 name=pt_autograd_0\n";
  int at = 0;
  for (int step = 0; step < 3; ++step, at += 40) {
    text += LaunchBy(0, at, at + 1, "ampere_sgemm_nn") +
            LaunchBy(1, at + 10, at + 2, "ampere_sgemm_nt") +
            LaunchBy(0, at + 20, at + 3, "multi_tensor_apply_sgd");
  }
  const int n = static_cast<int>(nodes.size());
  for (int i = 0; i < n; ++i, at += 10) {
    const std::string begin = std::to_string(at) + "us";
    const std::string thread = "thread=" + std::to_string(nodes[i].thread);
    text += "call t=" + begin + ".." + std::to_string(at + 1) + "us " + thread +
            " cudaLaunchKernel capturing launches=" + nodes[i].kernel +
            "\ngraphnode " + std::to_string(70 + i) + " " + thread +
            " call=" + begin + "\n";
  }
  for (int i = 0; i < replays; ++i, at += 50) {
    const auto us = [at](int t) { return std::to_string(at + t); };
    const std::string corr = " corr=" + std::to_string(1000 + i);
    text += "call t=" + us(0) + ".." + us(9) +
            "us thread=0 cudaGraphLaunch\nlaunchapi t=" + us(1) + ".." + us(8) +
            "us thread=0" + corr + "\n";
    for (int node = 0; node < n; ++node) {
      text += "kernel t=" + us(10 * node + 5) + ".." + us(10 * node + 9) +
              "us device=0 graph=1 graph_node=" + std::to_string(70 + node) +
              " name=" + nodes[node].kernel + corr + "\n";
    }
  }
  return text;
}

TEST(StepFinderTest, AReplayThatBeginsWithTheUpdatesWorkIsAStep) {
  // Gradients are set to zero first.
  const std::string text = CapturedTraining({{"multi_tensor_apply_zero", 0},
                                             {"ampere_sgemm_nn", 0},
                                             {"ampere_sgemm_nt", 1},
                                             {"multi_tensor_apply_sgd", 0}},
                                            9);
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 3 + 9);
}

TEST(StepFinderTest, AReplayThatBeginsWithTheBackwardPassIsAStep) {
  // XLA's scheduler puts what depends on little first.
  const std::string text = CapturedTraining({{"ampere_sgemm_nt", 1},
                                             {"ampere_sgemm_nn", 0},
                                             {"multi_tensor_apply_sgd", 0}},
                                            9);
  EXPECT_EQ(StepsOf(TraceFromText(text)).steps.size(), 3 + 9);
}

}  // namespace
}  // namespace dltap::analyzer
