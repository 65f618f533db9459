// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/delays.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

std::string Us(int64_t t) { return std::to_string(t) + "us"; }

// A loop of `n` windows of 10 ms, every second one with a delay before the one
// GEMM of a step: 20 and 40 us in turn. A step takes 1 ms, and `exposed` of
// what is put before the call.
std::string Program(int n, double exposed) {
  std::string text = "device 0 name=gpu\n";
  int64_t at = 0;
  int correlation = 1;
  for (int window = 0; window < n; ++window) {
    const int64_t delay = window % 2 == 0 ? 0 : window % 4 == 1 ? 20 : 40;
    const int64_t begin = at;
    for (int step = 0; step < 10; ++step) {
      // Nothing follows the last one: it ends 1 ms after its kernel began.
      const bool is_last = window + 1 == n && step == 9;
      const int64_t length = is_last ? 1030 : 999;
      const std::string corr = " corr=" + std::to_string(++correlation);
      text += "range t=" + Us(at) + ".." + Us(at + length) +
              " thread=0 name=step" + " kind=step\n";
      text += "call t=" + Us(at + 10) + ".." + Us(at + 20) +
              " cublasSgemm_v2 m=8 n=8 k=8\n";
      if (delay != 0) text += "delayed t=" + Us(at + 10) + "\n";
      text += "launchapi t=" + Us(at + 12) + ".." + Us(at + 14) +
              " ext=" + Us(at + 10) + corr + "\n";
      text += "kernel t=" + Us(at + 30) + ".." + Us(at + 500) +
              " device=0 name=sgemm" + corr + "\n";
      at += 1000 + static_cast<int64_t>(exposed * static_cast<double>(delay));
    }
    text += "delay t=" + Us(begin) + ".." + Us(at);
    if (delay != 0) text += " class=gemm length=" + Us(delay);
    text += "\n";
  }
  return text;
}

Figures FiguresOfText(const std::string& text, Summary& summary) {
  const TraceModel model = TraceFromText(text);
  summary = Summarise(model, Attribute(model));
  return FiguresOf(summary);
}

TEST(DelaysTest, AStepThatGetsLongerByTheWholeDelayIsExposed) {
  Summary summary;
  const Figures figures = FiguresOfText(Program(17, 1), summary);
  ASSERT_EQ(figures.sensitivity.size(), 1);
  const Sensitivity& gemm = figures.sensitivity[0];
  EXPECT_EQ(gemm.layer_class, LayerClass::kGemm);
  ASSERT_TRUE(gemm.value);
  EXPECT_NEAR(*gemm.value, 1, 1e-9);
  EXPECT_NEAR(*gemm.low, 1, 1e-9);
  EXPECT_EQ(gemm.windows, 8);
  EXPECT_NEAR(*gemm.calls_per_step, 1, 1e-9);
}

TEST(DelaysTest, AStepThatStaysAsItIsHidesTheDelay) {
  Summary summary;
  const Figures figures = FiguresOfText(Program(17, 0), summary);
  ASSERT_EQ(figures.sensitivity.size(), 1);
  ASSERT_TRUE(figures.sensitivity[0].value);
  EXPECT_NEAR(*figures.sensitivity[0].value, 0, 1e-9);
}

TEST(DelaysTest, FewWindowsGiveNoNumber) {
  Summary summary;
  const Figures figures = FiguresOfText(Program(7, 1), summary);
  ASSERT_EQ(figures.sensitivity.size(), 1);
  EXPECT_FALSE(figures.sensitivity[0].value);
  EXPECT_EQ(figures.sensitivity[0].why, NotMeasured::kFewWindows);
}

TEST(DelaysTest, DelayedStepsAreInNoOtherNumber) {
  Summary summary;
  const Figures figures = FiguresOfText(Program(17, 1), summary);
  EXPECT_TRUE(figures.has_delays);
  ASSERT_TRUE(figures.steps.mean_ns);
  EXPECT_NEAR(*figures.steps.mean_ns, 1e6, 1);
  // Eight windows of 10, and the last step before each.
  const auto delayed = static_cast<size_t>(StepUse::kDelayed);
  EXPECT_EQ(figures.steps.left_out[delayed], 88);
}

TEST(DelaysTest, WithoutStepsTheDelayedWindowsAreLeftOutAllTheSame) {
  Summary summary;
  const Figures figures = FiguresOfText(
      "device 0 name=gpu\n"
      "call t=0..5us cudaLaunchKernel launches=a\n"
      "kernel t=10..20us device=0 name=a\n"
      "kernel t=50..60us device=0 name=b\n"
      "delay t=0..30us\n"
      "delay t=30..55us class=gemm length=5us\n",
      summary);
  ASSERT_EQ(summary.devices.size(), 1);
  // 10..30 and 55..60 us.
  EXPECT_EQ(summary.devices[0].wall_ns, 25'000);
}

TEST(DelaysTest, StepsThatTheUserNamesKeepTheirDelays) {
  const TraceModel model = TraceFromText(Program(17, 1));
  Selection selection;
  selection.steps = {{0, 29}};
  const Summary summary = Summarise(model, Attribute(model), selection);
  EXPECT_EQ(FiguresOf(summary).steps.used, 30);
}

TEST(DelaysTest, WhatLiesInDelaysIsAccountedForAndSaid) {
  Summary summary;
  const Figures figures = FiguresOfText(Program(17, 1), summary);
  // 88 steps of one kernel of 470 us.
  EXPECT_EQ(summary.outside.left_out.at("delayed").gpu_ns, 88 * 470'000);
  ASSERT_FALSE(figures.warnings.empty());
  EXPECT_EQ(figures.warnings[0].id, WarningId::kDelays);
  EXPECT_NEAR(*figures.warnings[0].share, 88.0 / 170, 1e-9);
}

TEST(DelaysTest, DelaysInEveryStepLeaveAllOfThem) {
  Summary summary;
  const Figures figures = FiguresOfText(
      Program(3, 1) + "delay t=0..40ms class=gemm length=20us\n", summary);
  EXPECT_EQ(figures.steps.used, 30);
  ASSERT_FALSE(figures.warnings.empty());
  EXPECT_EQ(figures.warnings[0].id, WarningId::kDelays);
  EXPECT_FALSE(figures.warnings[0].share);
}

TEST(SensitivityTest, IsTheSlopeThroughTheOriginWithRobustErrors) {
  // x = 1, 1, 2, 2 us; y = 1.1, 0.9, 2, 2: xy = 10, xx = 10.
  std::vector<DelayEffect> effects;
  for (const auto& [injected, longer] :
       {std::pair{1000, 1100}, {1000, 900}, {2000, 2000}, {2000, 2000}}) {
    effects.push_back(
        {LayerClass::kConv, injected, 5, 5, 1.0, static_cast<double>(longer)});
  }
  const Sensitivity conv = SensitivityOf(LayerClass::kConv, effects);
  ASSERT_TRUE(conv.value);
  EXPECT_NEAR(*conv.value, 1, 1e-12);
  // Errors +-0.1 / (1 - 0.1): half = 3.182 sqrt(2 / 81) / 10 = 0.05.
  EXPECT_NEAR(*conv.high - *conv.value, 0.05, 1e-4);
  EXPECT_EQ(conv.steps, 20);
}

// Four windows that put 1 us into a step, which gets 1 us longer or shorter
// by the error than that.
std::vector<DelayEffect> EffectsWithErrors(double error_us, double variance) {
  std::vector<DelayEffect> effects;
  for (const double sign : {1.0, -1.0, 1.0, -1.0}) {
    effects.push_back({LayerClass::kConv, 1000, 5, 5, 1.0,
                       1000 + sign * error_us * 1000, variance});
  }
  return effects;
}

TEST(SensitivityTest, AWideIntervalIsNoNumber) {
  // 3.182 sqrt(4 (0.4 / 0.75)^2) / 4 = 0.85.
  const Sensitivity conv =
      SensitivityOf(LayerClass::kConv, EffectsWithErrors(0.4, 0));
  EXPECT_FALSE(conv.value);
  EXPECT_FALSE(conv.low);
  EXPECT_EQ(conv.why, NotMeasured::kTooNoisy);
  EXPECT_EQ(conv.windows, 4);
}

TEST(SensitivityTest, MoreThanAllOfADelayIsNoNumber) {
  std::vector<DelayEffect> effects = EffectsWithErrors(0, 0);
  for (DelayEffect& effect : effects) effect.longer_ns *= 1.3;
  EXPECT_EQ(SensitivityOf(LayerClass::kConv, effects).why,
            NotMeasured::kTooNoisy);
  for (DelayEffect& effect : effects) effect.longer_ns *= -1;
  EXPECT_EQ(SensitivityOf(LayerClass::kConv, effects).why,
            NotMeasured::kTooNoisy);
}

TEST(SensitivityTest, WindowsThatAgreeByChanceKeepTheErrorOfTheirSteps) {
  // Standard error 0.1 us in each: 3.182 sqrt(4 0.1^2) / 4 = 0.16.
  const Sensitivity conv =
      SensitivityOf(LayerClass::kConv, EffectsWithErrors(0, 100.0 * 100.0));
  ASSERT_TRUE(conv.value);
  EXPECT_NEAR(*conv.high - *conv.value, 0.1591, 1e-4);
}

TEST(SensitivityTest, AProgramWithoutStepsIsNamedSo) {
  std::vector<DelayEffect> effects(5, {LayerClass::kGemm, 1000});
  EXPECT_EQ(SensitivityOf(LayerClass::kGemm, effects).why,
            NotMeasured::kNoWholeStep);
  for (DelayEffect& effect : effects) effect.steps_found = false;
  EXPECT_EQ(SensitivityOf(LayerClass::kGemm, effects).why,
            NotMeasured::kNoSteps);
}

TEST(SensitivityTest, ClassesWithoutLibraryCallsAreNamed) {
  const LayerClass other[] = {LayerClass::kElementwise};
  const std::vector<Sensitivity> rows = SensitivitiesOf({}, other);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].why, NotMeasured::kNoLibraryCall);
}

}  // namespace
}  // namespace dltap::analyzer
