// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/figures.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

// A kernel, 40 us without records, and a gap of 40 us of which our own cost
// takes 10: of the 170 us to the last kernel's end, 120 are the program's.
constexpr char kOwnCostAndLosses[] =
    "device 0 name=gpu\n"
    "overhead per_call=10us collector_cpu=0\n"
    "kernel t=0..50us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
    "not_observed t=50..90us device=0 cause=dropped\n"
    "call t=110..120us thread=0 cudaLaunchKernel\n"
    "launchapi t=111..119us thread=0 corr=1\n"
    "kernel t=130..170us device=0 stream=7 corr=1 "
    "name=ampere_sgemm_128x64_nn\n";

TEST(FiguresTest, OwnCostAndUnobservedTimeAreNoTimeOfTheProgram) {
  const Summary summary = SummaryOf(kOwnCostAndLosses);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.totals.wall_ns, 170'000);
  EXPECT_EQ(figures.totals.observed_ns, 120'000);
  EXPECT_DOUBLE_EQ(*figures.program.utilization, 90.0 / 120);
  EXPECT_EQ(figures.devices.at(0).utilization, figures.program.utilization);
  EXPECT_DOUBLE_EQ(*figures.devices.at(0).idle_share, 30.0 / 120);
  ASSERT_EQ(figures.classes.size(), 1);
  EXPECT_DOUBLE_EQ(*figures.classes[0].figures.utilization, 90.0 / 120);
}

// The same, but the last kernel waits 80 us on the device.
TEST(FiguresTest, LimitHasTheSameDenominator) {
  std::string text = kOwnCostAndLosses;
  text.replace(text.find("130..170"), 8, "200..240");
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.limits.size(), 1);
  const Limit& limit = figures.limits[0];
  EXPECT_EQ(limit.kind, LimitKind::kIdle);
  EXPECT_EQ(limit.fault, Fault::kDependency);
  EXPECT_EQ(limit.idle_cause, IdleCause::kDependency);
  EXPECT_EQ(limit.ns, 80'000);
  EXPECT_DOUBLE_EQ(limit.share, 80.0 / 190);
}

// Three steps of 200 us that the host needs; in each a kernel of 40 us waits
// for 100 us on the device, which ends before the next step's first launch.
TEST(FiguresTest, WhatTheDeviceWaitsInIsNoLimitWhileTheHostIsLater) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 4; ++i) {
    const int t = 200 * i;
    const auto us = [t](int at) { return std::to_string(t + at); };
    const auto launch = [&us](int at, int corr) {
      return "call t=" + us(at) + ".." + us(at + 4) +
             "us thread=0 cudaLaunchKernel\nlaunchapi t=" + us(at + 1) + ".." +
             us(at + 3) + "us thread=0 corr=" + std::to_string(corr) + "\n";
    };
    const auto kernel = [&us](int begin, int end, int corr, const char* name) {
      return "kernel t=" + us(begin) + ".." + us(end) +
             "us device=0 stream=7 corr=" + std::to_string(corr) +
             " name=" + name + "\n";
    };
    text += "range t=" + us(0) + ".." + us(199) +
            "us thread=0 kind=step name=ProfilerStep#" + std::to_string(i) +
            "\n" + launch(1, 2 * i + 1) + kernel(6, 16, 2 * i + 1, "sgemm") +
            launch(10, 2 * i + 2) +
            kernel(114, 154, 2 * i + 2, "softmax_warp_forward");
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.steps.used, 4);
  const auto dependency = static_cast<size_t>(IdleCause::kDependency);
  EXPECT_GT(figures.totals.idle_ns[dependency], 4 * 90'000);
  ASSERT_EQ(figures.limits.size(), 1);
  EXPECT_EQ(figures.limits[0].kind, LimitKind::kIdle);
  EXPECT_EQ(figures.limits[0].fault, Fault::kUnknown);
}

TEST(FiguresTest, OurOwnCostIsNoLimit) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "overhead per_call=80us collector_cpu=0\n"
      "kernel t=0..50us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "call t=60..120us thread=0 cudaLaunchKernel\n"
      "launchapi t=61..119us thread=0 corr=1\n"
      "kernel t=120..170us device=0 stream=7 corr=1 "
      "name=ampere_sgemm_128x64_nn\n");
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.totals.observed_ns, 100'000);
  EXPECT_DOUBLE_EQ(*figures.program.utilization, 1.0);
  ASSERT_EQ(figures.limits.size(), 1);
  EXPECT_EQ(figures.limits[0].kind, LimitKind::kClass);
}

TEST(FiguresTest, NothingToDivideByIsUnknown) {
  for (const char* text :
       {"call t=0..5us cudaGetDevice\n",
        "device 0 name=gpu\nkernel t=5..5us device=0 stream=7 name=gemm\n",
        "device 0 name=gpu\n"}) {
    const Summary summary = SummaryOf(text);
    const Figures figures = FiguresOf(summary, 64);
    EXPECT_EQ(figures.program.utilization, std::nullopt) << text;
    EXPECT_EQ(figures.program.cpu_dependency, std::nullopt) << text;
    EXPECT_EQ(figures.program.samples_per_s, std::nullopt) << text;
    EXPECT_EQ(figures.steps.mean_ns, std::nullopt) << text;
    EXPECT_EQ(figures.trust.classified_share, std::nullopt) << text;
    EXPECT_EQ(figures.program.total.share, std::nullopt) << text;
    EXPECT_TRUE(figures.limits.empty()) << text;
    EXPECT_EQ(figures.program.per_step, 1) << text;
  }
}

TEST(FiguresTest, GpusAreCountedByName) {
  const Summary summary = SummaryOf(
      "process pid=1\ndevice 0 name=T4\n"
      "kernel t=0..5us device=0 stream=7 name=gemm\n"
      "process pid=2\ndevice 0 name=L4\n"
      "kernel t=0..5us device=0 stream=7 name=gemm\n"
      "process pid=3\ndevice 0 name=T4\n"
      "kernel t=0..5us device=0 stream=7 name=gemm\n");
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.program.gpus,
            (std::map<std::string, GpuCount>{{"L4", {1, 1}}, {"T4", {2, 2}}}));
}

}  // namespace
}  // namespace dltap::analyzer
