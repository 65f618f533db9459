// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

// A process whose steps are marked, `step_us` long each; the GPU multiplies
// matrices in the first half of a step and is idle in the second.
std::string Training(int pid, int steps, int step_us, int device = 0) {
  std::string text = "process pid=" + std::to_string(pid) +
                     " program=train rank=" + std::to_string(pid) + "\n";
  for (int d = 0; d <= device; ++d) {
    text += "device " + std::to_string(d) +
            " name=\"NVIDIA H100 80GB HBM3\" cc=9.0 sms=132\n";
  }
  for (int i = 0; i < steps; ++i) {
    const int begin = i * step_us;
    const auto at = [begin](int us) { return std::to_string(begin + us); };
    const std::string corr = std::to_string(i + 1);
    text += "range t=" + at(0) + ".." + at(step_us) +
            "us thread=0 kind=nvtx name=\"step " + corr + "\"\n" +
            "call t=" + at(1) + ".." + at(3) +
            "us thread=0 cublasSgemm_v2 m=512 n=512 k=512\n" +
            "launchapi t=" + at(1) + ".." + at(2) + "us thread=0 corr=" + corr +
            " ext=" + at(1) + "us\n" + "kernel t=" + at(4) + ".." +
            at(4 + step_us / 2) + "us device=" + std::to_string(device) +
            " stream=7 corr=" + corr + " name=ampere_sgemm_128x64_nn\n";
  }
  return text;
}

std::string WithoutGpu(int pid) {
  return "process pid=" + std::to_string(pid) +
         " program=loader\ncall t=0..5us thread=0 cudaGetDevice\n";
}

// Two kernels of 30 us with a pause of 30 us; no steps.
std::string WithoutSteps(int pid) {
  return "process pid=" + std::to_string(pid) +
         " program=serve\ndevice 0 name=T4\n"
         "kernel t=0..30us device=0 stream=7 name=softmax_warp_forward\n"
         "kernel t=60..90us device=0 stream=7 name=softmax_warp_forward\n"
         "not_observed t=40..50us device=0 cause=dropped\nloss ring_full 3\n";
}

std::vector<Summary> Parts() {
  return {SummaryOf(Training(3, 4, 100)),
          SummaryOf(WithoutGpu(1)),
          SummaryOf(WithoutSteps(2)),
          SummaryOf(Training(0, 7, 40, 1)),
          {}};
}

TEST(MergeTest, IsCommutative) {
  for (const Summary& a : Parts()) {
    for (const Summary& b : Parts()) EXPECT_EQ(Merge(a, b), Merge(b, a));
  }
}

TEST(MergeTest, IsAssociative) {
  for (const Summary& a : Parts()) {
    for (const Summary& b : Parts()) {
      for (const Summary& c : Parts()) {
        EXPECT_EQ(Merge(Merge(a, b), c), Merge(a, Merge(b, c)));
      }
    }
  }
}

TEST(MergeTest, NothingIsTheIdentity) {
  for (const Summary& a : Parts()) {
    EXPECT_EQ(Merge(a, {}), a);
    EXPECT_EQ(Merge({}, a), a);
  }
}

TEST(MergeTest, ATraceOfTwoProcessesIsItsProcessesMerged) {
  const std::string one = Training(3, 4, 100);
  const std::string two = Training(0, 7, 40);
  EXPECT_EQ(SummaryOf(one + two), Merge(SummaryOf(one), SummaryOf(two)));
}

TEST(MergeTest, StepsOfEachProcessCount) {
  const Summary both = SummaryOf(Training(0, 4, 100) + Training(1, 8, 40));
  const Figures figures = FiguresOf(both);
  EXPECT_EQ(figures.steps.found, 12);
  EXPECT_EQ(figures.steps.used, 12);
  EXPECT_EQ(figures.steps.processes, 2);
  EXPECT_EQ(figures.steps.ns.size(), 12);
  EXPECT_EQ(figures.program.per_step, 12);
  // 50 us in each of 4 steps, 20 us in each of 8.
  EXPECT_NEAR(figures.program.total.step_mean.gpu_ns, 360'000.0 / 12, 1e-6);
}

TEST(MergeTest, UtilizationIsTheRatioOfTheSums) {
  const Summary busy = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..100us device=0 stream=7 name=gemm\n");
  const Summary idle = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..100us device=0 stream=7 name=gemm\n"
      "kernel t=800..900us device=0 stream=7 name=gemm\n");
  const Summary both = Merge(busy, idle);
  EXPECT_DOUBLE_EQ(*FiguresOf(both).program.utilization, 0.3);
}

TEST(MergeTest, ProcessesWithoutGpuWorkChangeNoNumberOfTheGpu) {
  const Summary alone = SummaryOf(Training(3, 4, 100));
  const Figures before = FiguresOf(alone);
  for (const std::string& text : {WithoutGpu(1), WithoutGpu(9)}) {
    const Summary both = Merge(SummaryOf(text), alone);
    const Figures figures = FiguresOf(both);
    EXPECT_EQ(figures.program.processes, 2);
    EXPECT_EQ(figures.program.names, before.program.names);
    EXPECT_EQ(figures.program.utilization, before.program.utilization);
    EXPECT_EQ(figures.program.per_step, before.program.per_step);
    EXPECT_EQ(figures.steps.found, before.steps.found);
    EXPECT_EQ(figures.steps.mean_ns, before.steps.mean_ns);
    EXPECT_EQ(figures.steps.found_by, StepsFoundBy::kMarker);
  }
}

TEST(MergeTest, AProcessWithoutStepsAddsItsRunButNoStep) {
  const Summary both = SummaryOf(Training(0, 4, 100) + WithoutSteps(2));
  const Figures figures = FiguresOf(both);
  EXPECT_EQ(figures.program.per_step, 4);
  EXPECT_EQ(figures.steps.processes_without, 1);
  EXPECT_EQ(figures.steps.ns.size(), 4);
  EXPECT_EQ(figures.program.total.sums.gpu_ns, 4 * 50'000 + 60'000);
}

TEST(MergeTest, TwoDevicesOfOneProcessAreTwoWindowsAStep) {
  std::string text = Training(0, 4, 100, 1);
  for (int i = 0; i < 4; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    const std::string corr = std::to_string(10 + i);
    text += "call t=" + at(3) + ".." + at(4) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(3) + ".." +
            at(4) + "us thread=0 corr=" + corr + "\nkernel t=" + at(5) + ".." +
            at(15) + "us device=0 stream=8 corr=" + corr + " name=gelu\n";
  }
  const Summary summary = SummaryOf(text);
  ASSERT_EQ(summary.processes.size(), 1);
  EXPECT_EQ(summary.devices.size(), 2);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.steps.found, 4);
  EXPECT_EQ(figures.program.per_step, 8);
  EXPECT_EQ(figures.steps.ns.size(), 8);
  EXPECT_EQ(figures.program.gpus.at("NVIDIA H100 80GB HBM3").devices, 2);
}

TEST(MergeTest, RanksComeInTheirOrder) {
  const Summary all =
      SummaryOf(Training(2, 3, 40) + Training(0, 3, 40) + Training(1, 3, 40));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all.processes[i].key.rank, i);
}

// A GPU without known peaks must not spoil the share of the other's.
TEST(MergeTest, OfPeakCoversOnlyGpusWithAPeak) {
  const std::string known = Training(0, 4, 100);
  std::string unknown = Training(1, 4, 100);
  unknown.replace(unknown.find("NVIDIA H100 80GB HBM3"), 21, "no such GPU");
  const Summary alone = SummaryOf(known);
  const Figures one = FiguresOf(alone);
  const Summary merged = Merge(alone, SummaryOf(unknown));
  const Figures both = FiguresOf(merged);
  EXPECT_DOUBLE_EQ(*both.program.total.of_peak, *one.program.total.of_peak);
}

}  // namespace
}  // namespace dltap::analyzer
