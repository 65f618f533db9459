// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/critical_path.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/path/what_if.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr double kInfinitely = std::numeric_limits<double>::infinity();

// One window: the whole run, from the first activity to the end of the last.
struct Path {
  explicit Path(const std::string& text)
      : model(TraceFromText(text)), attribution(Attribute(model)) {
    const Process& process = model.processes[0];
    windows = WholeRun(process, DeviceId(0));
    const Steps steps;
    const HostView host(model, process, attribution.processes[0], steps,
                        DeviceId(0));
    graph = GraphOf(model, process, attribution.processes[0], host,
                    GraphUse::kReplay);
    sums = CriticalPath(graph, process, attribution.processes[0], DeviceId(0),
                        windows);
    EXPECT_EQ(sums.total_ns(), windows[0].span.length_ns());
  }

  int64_t Us(IdleCause cause) const {
    return sums.idle_ns[static_cast<size_t>(cause)] / 1000;
  }
  int64_t Us(LayerClass layer_class) const {
    return sums.of(layer_class) / 1000;
  }

  // Of the window.
  int64_t UsWith(const Scenario& scenario) const {
    const WhatIfSums replayed =
        WhatIf(graph, model.processes[0], attribution.processes[0], DeviceId(0),
               windows, sums, {scenario});
    EXPECT_EQ(replayed.replayed_ns, replayed.measured_ns);
    return (replayed.measured_ns - replayed.saved_ns.at(scenario)) / 1000;
  }

  TraceModel model;
  Attribution attribution;
  std::vector<StepWindow> windows;
  StepGraph graph;
  PathSums sums;
};

std::string Launch(int begin_us, int end_us, int correlation) {
  const std::string from = std::to_string(begin_us);
  const std::string span = "t=" + from + ".." + std::to_string(end_us) + "us ";
  return "call " + span + "thread=0 cudaLaunchKernel stream=0x0\nlaunchapi " +
         span + "thread=0 corr=" + std::to_string(correlation) + "\n";
}

std::string Kernel(int begin_us, int end_us, int correlation,
                   const std::string& name, int stream = 7) {
  return "kernel t=" + std::to_string(begin_us) + ".." +
         std::to_string(end_us) +
         "us device=0 corr=" + std::to_string(correlation) +
         " stream=" + std::to_string(stream) + " name=" + name + "\n";
}

TEST(CriticalPathTest, HostThatIsTooSlowIsThePath) {
  const Path path(Launch(0, 8, 1) + Kernel(10, 15, 1, "sgemm") +
                  Launch(100, 110, 2) + Kernel(112, 115, 2, "sgemm"));
  // The last kernel, its launch, and what the host did before that.
  EXPECT_EQ(path.Us(LayerClass::kGemm), 3);
  EXPECT_EQ(path.Us(IdleCause::kLatency), 12);
  EXPECT_EQ(path.Us(IdleCause::kUnknown), 90);
  EXPECT_EQ(path.UsWith({{"gemm", kInfinitely}}), 102);
  // 8 us of the launch, 92 us of the host, half as long, from 4 + 2 us on.
  EXPECT_EQ(path.UsWith({{"host", 2}}), 105 - 50);
}

TEST(CriticalPathTest, DeviceThatIsAlwaysBusyIsThePath) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
                  Launch(6, 9, 2) + Kernel(46, 86, 2, "softmax_warp_forward") +
                  Launch(10, 14, 3) + Kernel(87, 127, 3, "sgemm"));
  EXPECT_EQ(path.Us(LayerClass::kGemm), 80);
  EXPECT_EQ(path.Us(LayerClass::kSoftmax), 40);
  EXPECT_EQ(path.Us(IdleCause::kLatency), 2);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 122 - 40);
  EXPECT_EQ(path.UsWith({{"host", kInfinitely}}), 122);
  // The host is in the way once the kernels take no time: the last launch
  // begins 10 us after the first one, and both lead to a kernel 5 us later.
  EXPECT_EQ(path.UsWith({{"kernels", kInfinitely}}), 10);
}

// Both devices' default streams are 0x0. The last kernel waits for the product
// on the other device.
TEST(CriticalPathTest, DefaultStreamsOfTwoDevicesAreApart) {
  const Path path(
      Launch(0, 2, 1) + Kernel(3, 5, 1, "softmax_warp_forward") +
      Launch(3, 5, 2) +
      "kernel t=6..46us device=1 corr=2 stream=8 name=sgemm\n"
      "call t=6..7us thread=0 cudaEventRecord event=0x1 stream=0x0\n"
      "call t=8..9us thread=0 cudaStreamWaitEvent stream=0x0 event=0x1\n" +
      Launch(10, 12, 3) + Kernel(47, 67, 3, "softmax_warp_forward"));
  EXPECT_EQ(path.Us(LayerClass::kGemm), 40);
  EXPECT_EQ(path.Us(IdleCause::kDependency), 0);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 64 - 20);
}

TEST(CriticalPathTest, WaitingHostPassesThePathToTheDevice) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
                  "call t=6..50us thread=0 cudaStreamSynchronize stream=0x0\n" +
                  Launch(70, 74, 2) + Kernel(75, 95, 2, "sgemm"));
  // [75, 95) kernel, [70, 75) latency, [50, 70) host, [45, 50) the rest of the
  // wait, [5, 45) kernel.
  EXPECT_EQ(path.Us(LayerClass::kGemm), 60);
  EXPECT_EQ(path.Us(IdleCause::kWait), 5);
  EXPECT_EQ(path.Us(IdleCause::kUnknown), 20);
  EXPECT_EQ(path.Us(IdleCause::kLatency), 5);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 90 - 30);
  // Without the wait the second launch comes 44 us earlier, at 26 us: its
  // kernel then waits for the first one, which ends at 45 us.
  EXPECT_LE(path.UsWith({{"waits", kInfinitely}}), 40 + 20 + 5);
  EXPECT_GE(path.UsWith({{"waits", kInfinitely}}), 40 + 20);
}

TEST(CriticalPathTest, CopyThatAStreamWaitsForIsOnThePath) {
  const Path path(
      "call t=0..2us thread=0 cudaMemcpyAsync stream=0x9\n"
      "launchapi t=0..2us thread=0 corr=1\n"
      "memcpy t=5..65us device=0 stream=13 corr=1 kind=htod src=pinned "
      "dst=device bytes=1000\n" +
      Launch(3, 5, 2) + Kernel(10, 20, 2, "sgemm") +
      "call t=6..7us thread=0 cudaEventRecord event=0x5 stream=0x9\n"
      "call t=8..9us thread=0 cudaStreamWaitEvent event=0x5 stream=0x0\n" +
      Launch(10, 12, 3) + Kernel(67, 97, 3, "softmax_warp_forward"));
  EXPECT_EQ(path.Us(LayerClass::kSoftmax), 30);
  EXPECT_EQ(path.Us(IdleCause::kLatency), 2);
  EXPECT_EQ(path.Us(LayerClass::kCopyH2d), 60);
  EXPECT_EQ(path.Us(LayerClass::kGemm), 0);
  EXPECT_EQ(path.UsWith({{"copies", 2}}), 92 - 30);
  EXPECT_EQ(path.UsWith({{"gemm", kInfinitely}}), 92);
}

TEST(CriticalPathTest, PageableCopyHoldsTheHostUp) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
                  "call t=6..60us thread=0 cudaMemcpyAsync stream=0x0\n"
                  "launchapi t=6..60us thread=0 corr=2\n"
                  "memcpy t=46..56us device=0 stream=7 corr=2 kind=dtoh "
                  "src=device dst=pageable bytes=8\n" +
                  Launch(80, 84, 3) + Kernel(85, 95, 3, "sgemm"));
  EXPECT_EQ(path.Us(LayerClass::kGemm), 50);
  EXPECT_EQ(path.Us(LayerClass::kCopyD2h), 10);
  EXPECT_EQ(path.Us(IdleCause::kWait), 4);
  EXPECT_EQ(path.Us(IdleCause::kUnknown), 20);
  EXPECT_EQ(path.Us(IdleCause::kLatency), 1 + 5);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 90 - 25);
}

TEST(CriticalPathTest, CallThatCopiesForLongIsTheHostsOwnWork) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
                  "call t=6..500us thread=0 cudaMemcpyAsync stream=0x0\n"
                  "launchapi t=6..500us thread=0 corr=2\n"
                  "memcpy t=46..56us device=0 stream=7 corr=2 kind=htod "
                  "src=pageable dst=device bytes=8\n" +
                  Launch(510, 514, 3) + Kernel(515, 525, 3, "sgemm"));
  EXPECT_EQ(path.Us(IdleCause::kLaunch), 444);
  EXPECT_EQ(path.Us(IdleCause::kWait), 0);
  EXPECT_EQ(path.Us(LayerClass::kGemm), 50);
  // It still waits for the kernel before its copy.
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 520 - 25);
}

TEST(CriticalPathTest, EventStandsForTheWorkBeforeItsRecord) {
  const Path path(
      Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
      "call t=5..6us thread=0 cudaEventRecord event=0x5 stream=0x0\n" +
      Launch(8, 11, 2) + Kernel(46, 146, 2, "softmax_warp_forward") +
      "call t=12..50us thread=0 cudaEventSynchronize event=0x5\n" +
      Launch(60, 64, 3) + Kernel(147, 157, 3, "sgemm"));
  EXPECT_EQ(path.Us(LayerClass::kGemm), 50);
  EXPECT_EQ(path.Us(LayerClass::kSoftmax), 100);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 152 - 25);
  // The last launch still comes 10 us after the wait for the first kernel, at
  // 60 us, and its kernel 5 us later.
  EXPECT_EQ(path.UsWith({{"softmax", kInfinitely}}), 60 + 5 + 10 - 5);
}

// Calls of Kineto have no arguments.
TEST(CriticalPathTest, ImportedWaitsTellWhatTheyWaitedFor) {
  const Path path(
      Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
      "call t=5..6us thread=0 corr=10 cudaEventRecord\n" + Launch(8, 11, 2) +
      Kernel(46, 146, 2, "softmax_warp_forward", 9) +
      "call t=12..150us thread=0 corr=11 cudaEventSynchronize\n"
      "sync t=12..150us kind=event corr=11 device=0 event=5 record=10 "
      "record_stream=7\n" +
      Launch(160, 164, 3) + Kernel(165, 175, 3, "sgemm"));
  // Without the record it would be the softmax, which ended last before.
  EXPECT_EQ(path.Us(LayerClass::kGemm), 50);
  EXPECT_EQ(path.Us(LayerClass::kSoftmax), 0);
  EXPECT_EQ(path.Us(IdleCause::kWait), 105);
}

TEST(CriticalPathTest, ImportedStreamWaitsAreDependencies) {
  const Path path(
      Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
      "call t=5..6us thread=0 corr=10 cudaEventRecord\n"
      "call t=7..8us thread=0 corr=11 cudaStreamWaitEvent\n"
      "sync t=7..8us kind=stream_wait corr=11 device=0 stream=9 event=5 "
      "record=10 record_stream=7\n" +
      Launch(9, 12, 2) + Kernel(47, 67, 2, "softmax_warp_forward", 9));
  EXPECT_EQ(path.Us(LayerClass::kGemm), 40);
  EXPECT_EQ(path.Us(LayerClass::kSoftmax), 20);
  EXPECT_EQ(path.UsWith({{"gemm", 2}}), 62 - 20);
}

TEST(CriticalPathTest, WindowMayCutWork) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm"));
  const Process& process = path.model.processes[0];
  const ProcessAttribution& attribution = path.attribution.processes[0];
  const std::vector<StepWindow> windows = {{{10'000, 20'000}, 0}};
  const PathSums sums =
      CriticalPath(path.graph, process, attribution, DeviceId(0), windows);
  EXPECT_EQ(sums.of(LayerClass::kGemm), 10'000);
  EXPECT_EQ(sums.total_ns(), 10'000);
  const Scenario twice = {{"gemm", 2}};
  const WhatIfSums replayed = WhatIf(path.graph, process, attribution,
                                     DeviceId(0), windows, sums, {twice});
  EXPECT_EQ(replayed.replayed_ns, 10'000);
  EXPECT_EQ(replayed.saved_ns.at(twice), 5'000);
}

TEST(CriticalPathTest, LaunchWaitsForAPlaceInAFullQueue) {
  std::string text;
  int end_us = 5;
  const auto add = [&](int from_us, int to_us, int correlation) {
    text += Launch(from_us, to_us, correlation) +
            Kernel(end_us, end_us + 10, correlation, "sgemm");
    end_us += 10;
  };
  for (int i = 0; i < 601; ++i) add(i, i + 1, i + 1);
  add(601, 675, 602);  // returns when the 67th kernel does
  add(675, 676, 603);
  // The host is left: 601 launches of 1 us, and one that finds a place.
  EXPECT_EQ(Path(text).UsWith({{"gemm", kInfinitely}}), 601);
}

// Of 10 steps: a copy ahead of time in its own stream, then a kernel of 60 us.
// The host takes 100 us a step and waits for nothing.
std::string CopiesAhead() {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const int at = i * 100;
    const std::string from = std::to_string(at);
    const std::string corr = std::to_string(2 * i + 1);
    const std::string span =
        "t=" + from + ".." + std::to_string(at + 4) + "us thread=0 ";
    text += "call " + span + "cudaMemcpyAsync stream=0x9\nlaunchapi " + span +
            "corr=" + corr + "\nmemcpy t=" + std::to_string(at + 5) + ".." +
            std::to_string(at + 10) + "us device=0 stream=13 corr=" + corr +
            " kind=htod src=pinned dst=device bytes=100\n" +
            Launch(at + 6, at + 10, 2 * i + 2) +
            Kernel(at + 15, at + 75, 2 * i + 2, "sgemm");
  }
  return text;
}

TEST(CriticalPathTest, NoStepIsShorterThanTheWorkOfItsStreams) {
  const Path path(CopiesAhead());
  const Process& process = path.model.processes[0];
  std::vector<StepWindow> windows;
  for (int64_t i = 0; i < 9; ++i) {
    const int64_t at_ns = 5'000 + i * 100'000;
    windows.push_back({{at_ns, at_ns + 100'000}, static_cast<size_t>(i)});
  }
  const Scenario host = {{"host", kInfinitely}, {"input", kInfinitely}};
  const WhatIfSums replayed =
      WhatIf(path.graph, process, path.attribution.processes[0], DeviceId(0),
             windows, path.sums, {host});
  EXPECT_EQ(replayed.replayed_ns, 9 * 100'000);
  // The copies are all over at once; nine kernels in a row are not. Each
  // begins 5 us after the one before at most, the first 10 us after its copy.
  const int64_t left_ns = replayed.measured_ns - replayed.saved_ns.at(host);
  EXPECT_GE(left_ns, 9 * 60'000);
  EXPECT_LE(left_ns, 9 * 66'000);
}

TEST(CriticalPathTest, TwoSpeedupsWorkTogether) {
  const Path path(Launch(0, 4, 1) + Kernel(5, 45, 1, "sgemm") +
                  "call t=6..50us thread=0 cudaStreamSynchronize stream=0x0\n" +
                  Launch(70, 74, 2) +
                  Kernel(75, 95, 2, "softmax_warp_forward"));
  EXPECT_EQ(path.UsWith({{"gemm", 4}, {"framework", 2}}), 90 - 30 - 10);
}

}  // namespace
}  // namespace dltap::analyzer
