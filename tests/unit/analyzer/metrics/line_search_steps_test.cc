// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/line_search_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/steps/step_finder.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

const char* KernelOf(char letter) {
  switch (letter) {
    case 'F': return "ampere_sgemm_nn";
    case 'B': return "ampere_sgemm_nt";  // on autograd's thread
    case 'm': return "at::native::reduce_kernel<512,MaxNanFunctor>";
    case 'd': return "dot_kernel<float>";
    case 'o': return "multi_tensor_apply_kernel<adam>";
    default: return "at::native::vectorized_elementwise_kernel<4,Add>";
  }
}

// One kernel every 10 us for each letter; v: the host reads a value.
Steps StepsOf(std::string_view letters) {
  std::string text =
      "device 0 name=gpu\nthread 0 tid=1\nthread 1 tid=2 name=pt_autograd_0\n";
  int at = 0;
  for (const char letter : letters) {
    const auto us = [at](int t) { return std::to_string(at + t); };
    const std::string thread = letter == 'B' ? " thread=1" : " thread=0";
    const std::string corr = " corr=" + us(1);
    if (letter == 'v') {
      text += "call t=" + us(0) + ".." + us(9) +
              "us thread=0 cudaMemcpy\nlaunchapi t=" + us(0) + ".." + us(9) +
              "us thread=0" + corr + "\nmemcpy t=" + us(3) + ".." + us(8) +
              "us device=0" + corr + " kind=dtoh bytes=4\n";
      at += 10;
      continue;
    }
    text += "call t=" + us(0) + ".." + us(2) + "us" + thread +
            " cudaLaunchKernel\nlaunchapi t=" + us(0) + ".." + us(1) + "us" +
            thread + corr + "\nkernel t=" + us(3) + ".." + us(8) +
            "us device=0" + corr + " name=\"" + KernelOf(letter) + "\"\n";
    at += 10;
  }
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  return FindSteps(model, model.processes[0], attribution.processes[0]);
}

std::string Times(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

std::vector<int64_t> BeginsUs(const Steps& steps) {
  std::vector<int64_t> begins;
  for (const Step& step : steps.steps) begins.push_back(step.begin_ns / 1000);
  return begins;
}

TEST(LineSearchStepsTest, LossesOfFixedMovesBelongToOneStep) {
  // Four losses in each of three steps: of the first, the gradient alone is
  // looked at, of the others also the move that led to it.
  const std::string step = "FBmddva" + Times(3, "FBmmddva");
  EXPECT_EQ(BeginsUs(StepsOf(Times(3, step))),
            (std::vector<int64_t>{0, 310, 620}));
}

TEST(LineSearchStepsTest, ASearchTakesAnyNumberOfLosses) {
  // Each search goes on until it ends with two largest entries and a direction.
  const std::string begin = "FBmddvma";
  const std::string next = "FBadammddvma";
  std::string text;
  std::vector<int64_t> begins;
  for (const int losses : {1, 4, 2, 3, 5}) {
    begins.push_back(10 * static_cast<int64_t>(text.size()));
    text += begin + Times(losses, "FBada") + next + Times(losses, "FBada");
  }
  EXPECT_EQ(BeginsUs(StepsOf(text)), begins);
}

TEST(LineSearchStepsTest, AStepMayEndWithAnUnusedLoss) {
  // What little a move changes ends a step: nothing is added afterwards.
  const std::string step = "FBmddva" + Times(2, "FBmmddva") + "FBmm";
  EXPECT_EQ(StepsOf(Times(4, step)).steps.size(), 4);
}

TEST(LineSearchStepsTest, AVanishedGradientEndsAStepAndThoseAfterIt) {
  const std::string step = "FBmddva" + Times(2, "FBmmddva");
  EXPECT_EQ(BeginsUs(StepsOf(step + step + "FBm" + "FBm" + "FBm")),
            (std::vector<int64_t>{0, 230, 490, 520}));
}

TEST(LineSearchStepsTest, WhereSearchesEndStepsAVanishedGradientIsAStep) {
  const std::string step = "FBmddva" + Times(2, "FBada");
  EXPECT_EQ(BeginsUs(StepsOf(step + "FBm" + step + step)),
            (std::vector<int64_t>{0, 170, 200, 370}));
}

TEST(LineSearchStepsTest, GradientsMayBeLimitedFirst) {
  const std::string step = "FBomddva" + Times(3, "FBommddva");
  EXPECT_EQ(StepsOf(Times(4, step)).steps.size(), 4);
}

TEST(LineSearchStepsTest, PartsOfABatchBelongToTheirLoss) {
  const std::string loss = "FBaFBaFB";
  const std::string step = loss + "mddva" + Times(2, loss + "mmddva");
  EXPECT_EQ(BeginsUs(StepsOf(Times(3, step))),
            (std::vector<int64_t>{0, 410, 820}));
}

TEST(LineSearchStepsTest, PassesForwardBetweenStepsAreEvaluation) {
  const std::string step = "FBmddva" + Times(3, "FBmmddva");
  const Steps steps = StepsOf(Times(3, step) + "FFFF" + Times(3, step));
  std::vector<Step> evaluation;
  for (const Step& one : steps.steps) {
    if (one.use == StepUse::kEvaluation) evaluation.push_back(one);
  }
  ASSERT_EQ(steps.steps.size(), 7);
  ASSERT_EQ(evaluation.size(), 1);
  EXPECT_EQ(evaluation[0].begin_ns, 930'000);
  EXPECT_EQ(evaluation[0].end_ns, 970'000);
}

TEST(LineSearchStepsTest, WhatIsLookedAtBesideAnOptimizerJoinsNothing) {
  // A program that looks at its gradients, closer every third time.
  EXPECT_EQ(StepsOf(Times(4, "FBmddvoFBddvoFBddvo")).steps.size(), 12);
}

TEST(LineSearchStepsTest, OneInnerProductIsNoDirection) {
  // Hand-written moves; every third gradient is looked at twice.
  EXPECT_EQ(StepsOf(Times(4, "FBmdvaFBmdvaFBmmdva")).steps.size(), 12);
}

TEST(LineSearchStepsTest, TheHostReadsTheSlopeOfADirection) {
  // Each layer's rate is a ratio of two norms, which stay on the device.
  EXPECT_EQ(StepsOf(Times(4, "FBmvddaddaFBmvmvddadda")).steps.size(), 8);
}

}  // namespace
}  // namespace dltap::analyzer
