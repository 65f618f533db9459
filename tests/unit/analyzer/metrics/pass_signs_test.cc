// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/pass_signs.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// A product of XLA that comes from `path` of the program.
std::string Product(int at_us, const std::string& path) {
  return absl::StrCat(
      "call t=", at_us, "..", at_us + 2, "us thread=0 cuLaunchKernel\n",
      "launchapi t=", at_us, "..", at_us + 1, "us thread=0 corr=", at_us + 1,
      "\nkernel t=", at_us + 3, "..", at_us + 8, "us device=0 corr=", at_us + 1,
      " name=gemm_fusion_dot\nrange t=", at_us, "..", at_us + 2,
      "us thread=0 kind=nvtx name=\"Thunk:#name=", path,
      ",hlo_op=gemm_fusion_dot#\"\n");
}

std::string CopyFromHost(int at_us) {
  return absl::StrCat("call t=", at_us, "..", at_us + 2,
                      "us thread=0 cuMemcpyHtoDAsync_v2\nlaunchapi t=", at_us,
                      "..", at_us + 1, "us thread=0 corr=", at_us + 1,
                      "\nmemcpy t=", at_us + 3, "..", at_us + 8,
                      "us device=0 corr=", at_us + 1, " kind=htod bytes=64\n");
}

// c: a batch; f, b: products of the two passes; e: one of an evaluation.
TraceModel TraceOf(std::string_view letters) {
  std::string text = "device 0 name=gpu\nthread 0 tid=1\n";
  int at = 0;
  for (const char letter : letters) {
    text += letter == 'c'   ? CopyFromHost(at)
            : letter == 'f' ? Product(at, "jit(step)/jvp()/dot_general")
            : letter == 'b' ? Product(at, "jit(step)/transpose(jvp())/dot")
                            : Product(at, "jit(evaluate)/dot_general");
    at += 10;
  }
  return TraceFromText(text);
}

Steps StepsOf(const TraceModel& model) {
  const Attribution attribution = Attribute(model);
  return FindSteps(model, model.processes[0], attribution.processes[0]);
}

TEST(PassSignsTest, AGraphsGradientsTellABackwardPass) {
  const auto product = [](int at, const char* operation) {
    return absl::StrCat(
        "range t=", at, "..", at + 5, "us thread=0 kind=nvtx name=\"",
        operation, "\" domain=TSL\ncall t=", at + 1, "..", at + 3,
        "us thread=0 cudaLaunchKernel\nlaunchapi t=", at + 1, "..", at + 2,
        "us thread=0 corr=", at, "\nkernel t=", at + 4, "..", at + 9,
        "us device=0 corr=", at, " name=gemm\n");
  };
  for (const char* last :
       {"gradient_tape/model/MatMul:MatMul", "other/MatMul:MatMul"}) {
    const TraceModel model = TraceFromText(
        absl::StrCat("device 0 name=gpu\nthread 0 tid=1\n",
                     product(10, "model/MatMul:MatMul"), product(20, last)));
    const Attribution attribution = Attribute(model);
    EXPECT_EQ(
        ShowsABackwardPass(model, model.processes[0], attribution.processes[0]),
        std::string_view(last).starts_with("gradient_tape"));
  }
}

TEST(PassSignsTest, PathsOfXlaTellABackwardPass) {
  for (const bool trains : {true, false}) {
    const TraceModel model = TraceOf(trains ? "cffbb" : "ceecee");
    const Attribution attribution = Attribute(model);
    EXPECT_EQ(
        ShowsABackwardPass(model, model.processes[0], attribution.processes[0]),
        trains);
  }
}

TEST(PassSignsTest, KernelsOfGradientsTellABackwardPass) {
  const auto goes_backward = [](const std::string& kernel) {
    const TraceModel model = TraceFromText(
        "device 0 name=gpu\nthread 0 tid=1\nkernel t=1..2us device=0 name=\"" +
        kernel + "\"\n");
    const Attribution attribution = Attribute(model);
    return ShowsABackwardPass(model, model.processes[0],
                              attribution.processes[0]);
  };
  EXPECT_TRUE(
      goes_backward("void tensorflow::BiasGradNHWC_SharedAtomics<float>"
                    "(int, float const*, float*, int)"));
  // Of a loss they are computed to evaluate, too; PyTorch's runs in both.
  EXPECT_FALSE(goes_backward("void f<generator::SparseXentGradGenerator>()"));
  EXPECT_FALSE(
      goes_backward("void at::native::threshold_kernel_impl<float>()"));
}

TEST(PassSignsTest, EvaluationOfAProgramOfXlaIsNoPartOfItsSteps) {
  std::string epochs;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 5; ++step) epochs += "cffbb";
    epochs += "ceeceecee";
  }
  const Steps steps = StepsOf(TraceOf(epochs));
  int evaluations = 0;
  for (const Step& step : steps.steps) {
    evaluations += step.use == StepUse::kEvaluation ? 1 : 0;
  }
  EXPECT_EQ(evaluations, 3);
  EXPECT_EQ(steps.steps.size(), 15 + 3);
}

}  // namespace
}  // namespace dltap::analyzer
