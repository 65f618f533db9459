// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// In us.
std::vector<std::pair<int64_t, int64_t>> WindowsOf(const std::string& text,
                                                   const Steps& steps) {
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const StepWindow& window : AllStepWindows(
           model.processes[0], attribution.processes[0], steps, DeviceId(0))) {
    spans.emplace_back(window.span.begin_ns / 1000, window.span.end_ns / 1000);
  }
  return spans;
}

// Four steps of 100 us, with a kernel from the 10th to the 30th; in those of
// `ending` recording is off from the 50th us on.
std::vector<std::pair<int64_t, int64_t>> Windows(
    const std::vector<int>& ending) {
  std::string text = "device 0 name=gpu\n";
  Steps steps{StepsFoundBy::kPeriod, {}};
  for (int i = 0; i < 4; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    const std::string corr = " corr=" + std::to_string(i + 1);
    text += "call t=" + at(0) + ".." + at(3) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(1) + ".." +
            at(2) + "us thread=0" + corr + "\nkernel t=" + at(10) + ".." +
            at(30) + "us device=0 name=gelu" + corr + "\n";
    steps.steps.push_back({i * 100'000, (i + 1) * 100'000});
  }
  for (const int i : ending) {
    text += "not_observed t=" + std::to_string(100 * i + 50) + ".." +
            std::to_string(100 * i + 100) + "us device=0 cause=recording_off\n";
  }
  return WindowsOf(text, steps);
}

// Steps from `begins` on, in us, the last one of 100 us: a kernel from the 10th
// us to the 30th.
std::vector<std::pair<int64_t, int64_t>> WindowsWithPasses(
    const std::vector<std::pair<int, StepUse>>& begins) {
  std::string text = "device 0 name=gpu\n";
  Steps steps{StepsFoundBy::kPeriod, {}};
  for (const auto& [begin, use] : begins) {
    const auto at = [begin](int us) { return std::to_string(begin + us); };
    const std::string corr = " corr=" + at(1);
    text += "call t=" + at(0) + ".." + at(3) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(1) + ".." +
            at(2) + "us thread=0" + corr + "\nkernel t=" + at(10) + ".." +
            at(30) + "us device=0 name=gelu" + corr + "\n";
    const int64_t ns = begin * int64_t{1000};
    if (!steps.steps.empty()) steps.steps.back().end_ns = ns;
    steps.steps.push_back({ns, ns + 100'000, use});
  }
  return WindowsOf(text, steps);
}

TEST(WindowTest, ACopyThatRunsFarAheadBeginsNoStep) {
  // Steps of 10 us that the host submits and of 100 us that the device needs,
  // each with an input that is copied at once.
  std::string text = "device 0 name=gpu\n";
  Steps steps{StepsFoundBy::kPeriod, {}};
  for (int i = 0; i < 4; ++i) {
    const auto us = [](int t) { return std::to_string(t) + "us"; };
    const int at = 10 * i;
    const std::string copy = " corr=" + std::to_string(2 * i + 1);
    const std::string kernel = " corr=" + std::to_string(2 * i + 2);
    text += "call t=" + us(at) + ".." + us(at + 2) +
            " thread=0 cudaMemcpyAsync\nlaunchapi t=" + us(at) + ".." +
            us(at + 1) + " thread=0" + copy + "\nmemcpy t=" + us(at + 2) +
            ".." + us(at + 4) + " device=0 kind=htod bytes=64" + copy +
            "\ncall t=" + us(at + 4) + ".." + us(at + 8) +
            " thread=0 cudaLaunchKernel\nlaunchapi t=" + us(at + 4) + ".." +
            us(at + 5) + " thread=0" + kernel +
            "\nkernel t=" + us(100 * i + 10) + ".." + us(100 * i + 110) +
            " device=0 name=gelu" + kernel + "\n";
    steps.steps.push_back({at * 1000, (at + 10) * 1000});
  }
  // The second step's is copied while the first one computes.
  EXPECT_THAT(
      WindowsOf(text, steps),
      ElementsAre(Pair(2, 12), Pair(12, 210), Pair(210, 310), Pair(310, 410)));
}

TEST(WindowTest, WhatTheHostDoesBeforeAnEvaluationIsNoPartOfTheStep) {
  // 70 us pass between the work of steps, 870 before that of the evaluation.
  constexpr StepUse kUsed = StepUse::kUsed;
  constexpr StepUse kPasses = StepUse::kEvaluation;
  EXPECT_THAT(WindowsWithPasses({{0, kUsed},
                                 {90, kUsed},
                                 {980, kPasses},
                                 {2000, kUsed},
                                 {2090, kUsed}}),
              ElementsAre(Pair(10, 100), Pair(100, 190), Pair(990, 2010),
                          Pair(2010, 2100), Pair(2100, 2190)));
  // How long the host usually takes behind the first one nobody knows.
  EXPECT_THAT(WindowsWithPasses({{0, kUsed}, {980, kPasses}, {2000, kUsed}}),
              ElementsAre(Pair(10, 990), Pair(990, 2010), Pair(2010, 2100)));
}

TEST(WindowTest, StepsEndWithTheRangeAroundThem) {
  EXPECT_THAT(Windows({0, 1, 2, 3}),
              ElementsAre(Pair(10, 50), Pair(110, 150), Pair(210, 250),
                          Pair(310, 350)));
}

TEST(WindowTest, RecordingThatEndsOnceEndsNoStep) {
  EXPECT_THAT(Windows({1}), ElementsAre(Pair(10, 110), Pair(110, 210),
                                        Pair(210, 310), Pair(310, 400)));
}

}  // namespace
}  // namespace dltap::analyzer
