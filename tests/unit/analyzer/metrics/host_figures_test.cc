// SPDX-License-Identifier: Apache-2.0
// What a run says of the host: CPU time, queue, own cost.
#include <gtest/gtest.h>

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/idle/cpu_utilization.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

TEST(CpuUtilizationTest, IsCpuTimeOverCoresAndTime) {
  const TraceModel model = TraceFromText(
      "process pid=1 cpus=4\n"
      "call t=0..1us cudaLaunchKernel\n"
      "process_sample t=0 cpu=50ms resident=1000\n"
      "sample t=0 thread=0 on_cpu=1 cpu=10ms\n"
      "sample t=100ms thread=0 on_cpu=1 cpu=90ms\n"
      "process_sample t=100ms cpu=170ms resident=1000\n");
  const auto use = CpuTimesOf(model.processes[0]);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->cpu_ns, 120'000'000);
  ASSERT_EQ(use->threads.size(), 1);
  EXPECT_EQ(use->threads[0].cpu_ns, 80'000'000);
  EXPECT_EQ(use->unlisted_ns, 40'000'000);
  const Summary summary = Summarise(model, Attribute(model));
  // 120 ms of 4 x 100 ms.
  EXPECT_NEAR(*FiguresOf(summary).program.host.cpu_utilization, 0.3, 1e-12);
}

// A script that runs one program after the other: 2 cores, 100 ms of each, of
// which 150 and 50 ms are CPU time, with 1 s between them.
TEST(CpuUtilizationTest, ProcessesThatRunInTurnHaveTheCoresInTurn) {
  const Summary summary = SummaryOf(
      "process pid=1 host=\"a\" cpus=2\n"
      "call t=0..1us cudaLaunchKernel\n"
      "process_sample t=0 cpu=0 resident=1000\n"
      "process_sample t=100ms cpu=150ms resident=1000\n"
      "process pid=2 host=\"a\" cpus=2\n"
      "call t=1100ms..1101ms cudaLaunchKernel\n"
      "process_sample t=1100ms cpu=0 resident=1000\n"
      "process_sample t=1200ms cpu=50ms resident=1000\n");
  EXPECT_NEAR(*FiguresOf(summary).program.host.cpu_utilization, 0.5, 1e-12);
}

TEST(CpuUtilizationTest, IsUnknownWithoutSamplesOrCores) {
  EXPECT_FALSE(CpuTimesOf(TraceFromText("process pid=1 cpus=4\n"
                                        "call t=0..1us cudaLaunchKernel\n")
                              .processes[0]));
  EXPECT_FALSE(CpuTimesOf(TraceFromText("call t=0..1us cudaLaunchKernel\n"
                                        "process_sample t=0 cpu=1ms\n"
                                        "process_sample t=1ms cpu=2ms\n")
                              .processes[0]));
}

TEST(CpuUtilizationTest, IsUnknownWhereTheTraceHasAClockOfItsOwn) {
  TraceModel model = TraceFromText(
      "process pid=1 cpus=4\n"
      "call t=0..1us cudaLaunchKernel\n"
      "process_sample t=0 cpu=50ms resident=1000\n"
      "process_sample t=1ms cpu=170ms resident=1000\n");
  ASSERT_TRUE(CpuTimesOf(model.processes[0]));
  model.processes[0].host_clock = HostClock::kFixedCosts;
  EXPECT_FALSE(CpuTimesOf(model.processes[0]));
}

std::string Launch(int at, int begin, int end, int correlation) {
  const auto us = [](int t) { return std::to_string(t) + "us"; };
  const std::string corr = " corr=" + std::to_string(correlation);
  return "call t=" + us(at) + ".." + us(at + 2) +
         " cudaLaunchKernel launches=k" + std::to_string(correlation) +
         "\nlaunchapi t=" + us(at) + ".." + us(at + 1) + corr +
         "\nkernel t=" + us(begin) + ".." + us(end) + " device=0 name=k" +
         std::to_string(correlation) + corr + "\n";
}

TEST(QueueDepthTest, CountsWhatIsUnfinishedAndNotBegunAtEachLaunch) {
  // At 0: nothing. At 10: one runs. At 20: one runs, one waits. At 100:
  // nothing.
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n" + Launch(0, 5, 40, 1) + Launch(10, 40, 60, 2) +
      Launch(20, 60, 80, 3) + Launch(100, 105, 110, 4));
  const QueueDepth& queue = summary.devices.at(0).queue;
  EXPECT_EQ(queue.submissions, 4);
  EXPECT_EQ(queue.unfinished, 3);
  EXPECT_EQ(queue.waiting, 1);
  EXPECT_EQ(queue.empty, 2);
  const Figures figures = FiguresOf(summary);
  EXPECT_NEAR(*figures.program.host.queue_unfinished, 0.75, 1e-12);
  EXPECT_NEAR(*figures.program.host.queue_empty_share, 0.5, 1e-12);
}

// 60 launches of 8 us, then 60 of 5 us without recording of activities.
std::string WithActivitiesOffForAWhile(int launches, int without_us = 5) {
  std::string text = "device 0 name=gpu\n";
  const auto us = [](int t) { return std::to_string(t) + "us"; };
  for (int i = 0; i < launches; ++i) {
    const int at = 30'000 + i * 100;
    const std::string corr = " corr=" + std::to_string(i + 1);
    text += "call t=" + us(at) + ".." + us(at + 8) +
            " cudaLaunchKernel launches=k\nlaunchapi t=" + us(at) + ".." +
            us(at + 1) + corr + "\nkernel t=" + us(at + 20) + ".." +
            us(at + 30) + " device=0 name=k" + corr + "\n";
  }
  for (int i = 0; i < launches; ++i) {
    const int at = 90'000 + i * 100;
    text +=
        "call t=" + us(at) + ".." + us(at + without_us) + " cudaLaunchKernel\n";
  }
  return text + "call t=0..1us cudaFree\ndelay t=0..60ms\n" +
         "delay t=60..120ms source_off\n" +
         "not_observed t=60..120ms device=0 cause=recording_off\n";
}

TEST(SourceCostTest, IsTheDifferenceOfMediansTimesTheCalls) {
  const Summary summary = SummaryOf(WithActivitiesOffForAWhile(60));
  // 3 us x 60.
  EXPECT_EQ(summary.processes.at(0).source_overhead_ns, 180'000);
}

TEST(SourceCostTest, ANegativeDifferenceIsUnknown) {
  const Summary summary = SummaryOf(WithActivitiesOffForAWhile(60, 11));
  EXPECT_FALSE(summary.processes.at(0).source_overhead_ns);
}

TEST(SourceCostTest, FewCallsTellNothing) {
  const Summary summary = SummaryOf(WithActivitiesOffForAWhile(20));
  EXPECT_FALSE(summary.processes.at(0).source_overhead_ns);
}

TEST(SourceCostTest, AnOrdinaryRunDoesNotKnowIt) {
  const Summary summary =
      SummaryOf("device 0 name=gpu\n" + Launch(0, 5, 40, 1));
  EXPECT_FALSE(FiguresOf(summary).trust.source_overhead_ns);
  EXPECT_EQ(FiguresOf(summary).trust.recorded_launches, 1);
}

}  // namespace
}  // namespace dltap::analyzer
