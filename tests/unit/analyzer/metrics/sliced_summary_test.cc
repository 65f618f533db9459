// SPDX-License-Identifier: Apache-2.0
// Summaries of runs in tiny slices equal those of the whole, number by number.
#include "analyzer/metrics/slices/sliced_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/sliced_model.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kGemm[] = "ampere_sgemm_128x64_nn";

// A program that writes its trace as it runs. Times are ns.
class Program {
 public:
  explicit Program(int devices = 1) {
    text_ =
        "thread 0 tid=1 name=python\n"
        "thread 1 tid=2 name=pt_autograd_0\n";
    for (int d = 0; d < devices; ++d) {
      text_ += "device " + std::to_string(d) + " name=H100 uuid=a" +
               std::to_string(d) + "\n";
    }
  }

  void Work(int64_t ns) { now_ += ns; }  // of the host

  void Kernel(std::string_view name, int64_t ns, int thread = 0,
              int device = 0) {
    const int64_t begin = Submit("cudaLaunchKernel", thread, device, ns);
    Add("kernel t=" + Span(begin, begin + ns) + OnStream(device) +
        " name=" + std::string(name));
  }
  void Copy(std::string_view kind, int64_t ns) {
    const int64_t begin = Submit("cudaMemcpyAsync", 0, 0, ns);
    Add("memcpy t=" + Span(begin, begin + ns) + OnStream(0) +
        " bytes=64 kind=" + std::string(kind));
  }
  void Wait() {
    const int64_t begin = now_;
    now_ = std::max(now_, busy_until_[0]) + 500;
    Add("call t=" + Span(begin, now_) + " cudaStreamSynchronize thread=0");
    now_ += 200;
  }
  void Sample(bool on_cpu) {
    Add("sample t=" + std::to_string(now_) + " thread=0 on_cpu=" +
        (on_cpu ? "1" : "0") + " cpu=" + std::to_string(now_ / 2) + "ns");
  }
  void Range(std::string_view name, int64_t begin) {
    Add("range t=" + Span(begin, now_) + " thread=0 kind=nvtx name=\"" +
        std::string(name) + "\"");
  }
  int64_t now() const { return now_; }

  void Join(int comm, int ranks, int rank) {
    LibraryCall("ncclCommInitRank comm=" + std::to_string(comm) +
                " nranks=" + std::to_string(ranks) +
                " rank=" + std::to_string(rank) + " clique=5");
  }
  void Split(int comm, int made) {
    LibraryCall("ncclCommSplit comm=" + std::to_string(comm) +
                " color=0 newcomm=" + std::to_string(made));
  }
  void Product(int a, int b) {
    const int64_t called = now_;
    LibraryCall("cublasGemmStridedBatchedEx m=8 n=8 k=8 batchCount=1 A=" +
                std::to_string(a) + " B=" + std::to_string(b));
    AddKernelOf(called, kGemm, 7, now_ + 3'000);
  }
  // Not over before `until_ns`: then the last rank is there.
  void AllReduce(int comm, int64_t until_ns) {
    const int64_t called = now_;
    LibraryCall("ncclAllReduce comm=" + std::to_string(comm) +
                " count=1000000 datatype=7");
    AddKernelOf(called, "ncclDevKernel_Any", 9, until_ns);
  }

  // A step of training: `layers` products forward, two each backward.
  void Train(int layers, int64_t kernel_ns = 9'000, int device = 0) {
    if (device == 0) Copy("htod", 2'000);
    for (int i = 0; i < layers; ++i) {
      Kernel(kGemm, kernel_ns, 0, device);
      Kernel("vectorized_elementwise_kernel_relu", 3'000, 0, device);
    }
    for (int i = 0; i < layers; ++i) {
      Kernel("softmax_warp_backward", 3'000, 1, device);
      Kernel(kGemm, kernel_ns, 1, device);
      Kernel(kGemm, kernel_ns, 1, device);
    }
    Kernel("multi_tensor_apply_kernel_adam", 5'000, 0, device);
    if (device == 0) Wait();
  }
  void Infer(int layers) {
    Copy("htod", 2'000);
    for (int i = 0; i < layers; ++i) {
      Kernel(kGemm, 9'000);
      Kernel("vectorized_elementwise_kernel_relu", 3'000);
    }
    Copy("dtoh", 1'000);
    Wait();
  }

  const std::string& text() const { return text_; }

 private:
  static std::string Span(int64_t begin, int64_t end) {
    return std::to_string(begin) + ".." + std::to_string(end) + "ns";
  }
  void Add(const std::string& line) { text_ += line + "\n"; }
  std::string OnStream(int device) const {
    return " device=" + std::to_string(device) +
           " stream=" + std::to_string(7 + device) +
           " corr=" + std::to_string(correlation_);
  }
  void LibraryCall(const std::string& call) {
    Add("call t=" + Span(now_, now_ + 1'000) + " " + call + " thread=0");
    now_ += 1'500;
  }
  // The last library call's, which is over at `until_ns` or later.
  void AddKernelOf(int64_t called_ns, std::string_view name, int stream,
                   int64_t until_ns) {
    ++correlation_;
    const std::string corr = " corr=" + std::to_string(correlation_);
    Add("launchapi t=" + Span(called_ns + 300, called_ns + 700) + " thread=0" +
        corr + " ext=" + std::to_string(called_ns) + "ns");
    const int64_t begin = std::max(busy_until_[0] + 800, now_);
    busy_until_[0] = std::max(begin + 2'000, until_ns);
    Add("kernel t=" + Span(begin, busy_until_[0]) + " device=0 stream=" +
        std::to_string(stream) + " name=" + std::string(name) + corr);
  }
  // When the device begins with it.
  int64_t Submit(const char* function, int thread, int device, int64_t ns) {
    ++correlation_;
    Add("call t=" + Span(now_, now_ + 2'000) + " " + function +
        " thread=" + std::to_string(thread));
    Add("launchapi t=" + Span(now_ + 300, now_ + 1'700) + " thread=" +
        std::to_string(thread) + " corr=" + std::to_string(correlation_));
    now_ += 2'500;
    int64_t& busy_until = busy_until_[device];
    const int64_t begin = std::max(busy_until + 800, now_);
    busy_until = begin + ns;
    return begin;
  }

  std::string text_;
  int64_t now_ = 0;
  int64_t correlation_ = 0;
  std::map<int, int64_t> busy_until_;
};

// Where devices work at once, a path begins anew with each slice, and so does
// what is sought pass by pass.
constexpr bool kNoPaths = false;

SliceLimits Tiny(uint64_t events) {
  return {.events = events, .most_events = 1 << 30, .head_events = events / 8};
}

// Both ways; `events` of a slice are few.
void ExpectSlicesLikeTheWhole(const std::string& text, uint64_t events,
                              const Selection& selection = {},
                              bool also_paths = true) {
  const TraceModel model = TraceFromText(text);
  Summary whole = Summarise(model, Attribute(model), selection);
  whole.memory = {};
  whole.layers = {};
  whole.in_slices = true;
  for (DeviceSummary& device : whole.devices) {
    device.what_if = {};
    if (!selection.whole_run && !selection.window) continue;
    device.signs.sums[static_cast<size_t>(Sign::kLateComm)] = {};
  }
  SlicedModel source(model);
  std::string why_not;
  const std::optional<Summary> sliced =
      SummariseInSlices(source, {}, selection, Tiny(events), why_not);
  ASSERT_TRUE(sliced) << why_not;
  EXPECT_GT(source.reads(), 3);
  ASSERT_EQ(whole.processes.size(), sliced->processes.size());
  for (size_t p = 0; p < whole.processes.size(); ++p) {
    EXPECT_EQ(whole.processes[p].steps.used, sliced->processes[p].steps.used);
    EXPECT_EQ(whole.processes[p].steps.by_use,
              sliced->processes[p].steps.by_use);
    EXPECT_TRUE(whole.processes[p] == sliced->processes[p]);
  }
  ASSERT_EQ(whole.devices.size(), sliced->devices.size());
  for (size_t d = 0; d < whole.devices.size(); ++d) {
    EXPECT_EQ(whole.devices[d].wall_ns, sliced->devices[d].wall_ns);
    EXPECT_EQ(whole.devices[d].state_ns, sliced->devices[d].state_ns);
    EXPECT_EQ(whole.devices[d].idle_ns(), sliced->devices[d].idle_ns());
    if (!also_paths) {
      EXPECT_EQ(whole.devices[d].path.total_ns(),
                sliced->devices[d].path.total_ns());
      whole.devices[d].path = sliced->devices[d].path;
      whole.devices[d].avoidable = sliced->devices[d].avoidable;
    }
    EXPECT_EQ(whole.devices[d].path.idle_ns, sliced->devices[d].path.idle_ns);
    EXPECT_EQ(whole.devices[d].path.work_ns, sliced->devices[d].path.work_ns);
    EXPECT_TRUE(whole.devices[d] == sliced->devices[d]);
  }
  EXPECT_TRUE(whole.outside == sliced->outside);
  EXPECT_TRUE(whole.tallies == sliced->tallies);
  EXPECT_TRUE(whole == *sliced);
}

TEST(SlicedSummaryTest, TrainingWithAWarmUp) {
  Program program;
  for (int i = 0; i < 120; ++i) program.Train(4, i < 2 ? 90'000 : 9'000);
  for (const uint64_t events : {600, 1000, 2500}) {
    ExpectSlicesLikeTheWhole(program.text(), events);
  }
}

TEST(SlicedSummaryTest, TheLastStepBreaksOff) {
  Program program;
  for (int i = 0; i < 100; ++i) program.Train(4);
  program.Copy("htod", 2'000);
  for (int i = 0; i < 3; ++i) program.Kernel(kGemm, 9'000);
  ExpectSlicesLikeTheWhole(program.text(), 800);
}

TEST(SlicedSummaryTest, EpochsWithAnEvaluation) {
  Program program;
  for (int epoch = 0; epoch < 6; ++epoch) {
    for (int i = 0; i < 25; ++i) program.Train(4);
    for (int i = 0; i < 5; ++i) program.Infer(4);
  }
  ExpectSlicesLikeTheWhole(program.text(), 1500);
}

TEST(SlicedSummaryTest, GradientsAreAccumulated) {
  Program program;
  for (int i = 0; i < 100; ++i) {
    for (int batch = 0; batch < 4; ++batch) {
      program.Copy("htod", 2'000);
      for (int l = 0; l < 3; ++l) program.Kernel(kGemm, 9'000);
      for (int l = 0; l < 6; ++l) program.Kernel(kGemm, 9'000, 1);
    }
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000);
    if (i % 10 == 9) program.Copy("dtoh", 1'000);
    program.Wait();
  }
  ExpectSlicesLikeTheWhole(program.text(), 2000);
}

TEST(SlicedSummaryTest, TwoNetworksTakeTurns) {
  Program program;
  for (int i = 0; i < 240; ++i) {
    const bool generator = i % 6 == 5;
    for (int l = 0; l < (generator ? 5 : 2); ++l) {
      program.Kernel(generator ? "cudnn_conv2d_fprop" : kGemm, 9'000);
    }
    for (int l = 0; l < (generator ? 10 : 4); ++l) {
      program.Kernel(generator ? "cudnn_conv2d_dgrad" : kGemm, 9'000, 1);
    }
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000);
    program.Wait();
  }
  ExpectSlicesLikeTheWhole(program.text(), 1500);
}

TEST(SlicedSummaryTest, InferenceWithPauses) {
  Program program;
  for (int i = 0; i < 200; ++i) {
    program.Work(20'000 + 1'000 * (i % 7));
    program.Infer(6);
  }
  ExpectSlicesLikeTheWhole(program.text(), 900);
}

// Operands that take turns: the weights of two layers, or two buffers.
TEST(SlicedSummaryTest, TheOtherReadingOfALoopIsNamed) {
  Program program;
  for (int i = 0; i < 600; ++i) {
    program.Work(20'000);
    program.Product(1 + i % 2, 101 + i % 2);
    program.Kernel("vectorized_elementwise_kernel_relu", 3'000);
    program.Kernel("softmax_warp_forward", 3'000);
  }
  const TraceModel model = TraceFromText(program.text());
  const Summary whole = Summarise(model, Attribute(model));
  const auto other = static_cast<double>(whole.processes[0].steps.other_count);
  ASSERT_GT(other, 0);
  SlicedModel source(model);
  std::string why_not;
  const auto sliced = SummariseInSlices(source, {}, {}, Tiny(600), why_not);
  ASSERT_TRUE(sliced) << why_not;
  EXPECT_GT(source.reads(), 3);
  EXPECT_NEAR(static_cast<double>(sliced->processes[0].steps.other_count),
              other, 0.02 * other);
}

TEST(SlicedSummaryTest, MarkedSteps) {
  Program program;
  for (int i = 0; i < 150; ++i) {
    const int64_t begin = program.now();
    for (int l = 0; l < 5 + i % 3; ++l) program.Kernel(kGemm, 9'000);
    program.Wait();
    program.Range("step " + std::to_string(i), begin);
    program.Work(4'000);
  }
  ExpectSlicesLikeTheWhole(program.text(), 700);
}

std::string TwoDevices() {
  Program program(2);
  for (int i = 0; i < 120; ++i) {
    for (int l = 0; l < 4; ++l) program.Kernel(kGemm, 9'000, 0, l % 2);
    for (int l = 0; l < 8; ++l) program.Kernel(kGemm, 9'000, 1, l % 2);
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000, 0, 0);
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000, 0, 1);
    program.Wait();
  }
  return program.text();
}

TEST(SlicedSummaryTest, TwoDevicesOfOneProcess) {
  ExpectSlicesLikeTheWhole(TwoDevices(), 900);
}

// Of the first slice's steps half are slow, of all only a tenth.
TEST(SlicedSummaryTest, WhatIsUsualShowsOnlyLater) {
  Program program;
  for (int i = 0; i < 300; ++i) program.Train(4, i < 20 ? 60'000 : 9'000);
  ExpectSlicesLikeTheWhole(program.text(), 1200);
}

TEST(SlicedSummaryTest, ProcessesWithAGpuEach) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    Program program;
    for (int i = 0; i < 80 + 10 * rank; ++i) program.Train(3);
    std::string of_rank = program.text();
    of_rank.replace(of_rank.find("uuid=a0"), 7,
                    "uuid=b" + std::to_string(rank));
    text += "process pid=" + std::to_string(rank + 1) +
            " host=node program=train rank=" + std::to_string(rank) + "\n" +
            of_rank;
  }
  ExpectSlicesLikeTheWhole(text, 700);
}

// Of `ranks`, each of which calls `step` with what it has to do in each step.
template <typename Step>
std::string TextOfRanks(int ranks, int steps, const Step& step) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    Program program;
    program.Join(1, ranks, rank);
    for (int i = 0; i < steps; ++i) step(program, rank, i);
    std::string of_rank = program.text();
    of_rank.replace(of_rank.find("uuid=a0"), 7,
                    "uuid=b" + std::to_string(rank));
    text += "process pid=" + std::to_string(rank + 1) +
            " host=node program=train rank=" + std::to_string(rank) + "\n" +
            of_rank;
  }
  return text;
}

std::string ThreeRanks() {
  return TextOfRanks(3, 120, [](Program& program, int rank, int i) {
    const int64_t end = 300'000 * (i + 1);
    program.Work(1'000 * rank * (i % 5));
    program.Train(3);
    program.AllReduce(1, end - 60'000);
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000);
    program.Wait();
    program.Work(end - program.now());
  });
}

// Who waits for whom is asked of all ranks, whose events are never in memory
// together.
TEST(SlicedSummaryTest, RanksWaitForEachOther) {
  const std::string text = ThreeRanks();
  const TraceModel model = TraceFromText(text);
  const Summary whole = Summarise(model, Attribute(model));
  ASSERT_EQ(whole.collectives.ranks.size(), 3u);
  EXPECT_GT(whole.collectives.ranks.rbegin()->second.last, 20u);
  for (const uint64_t events : {700, 2000}) {
    ExpectSlicesLikeTheWhole(text, events);
  }
}

TEST(SlicedSummaryTest, OneRankOfSeveral) {
  const std::string text = ThreeRanks();
  ExpectSlicesLikeTheWhole(text, 700, {.rank = 1});
  ExpectSlicesLikeTheWhole(text, 700, {.process = "node:3"});
}

TEST(SlicedSummaryTest, OneOfSeveralProcessesThatShareAGpu) {
  Program program;
  for (int i = 0; i < 100; ++i) program.Train(3);
  const std::string text = "process pid=1 host=node\n" + program.text() +
                           "process pid=2 host=node\n" + program.text();
  ExpectSlicesLikeTheWhole(text, 700, {.process = "2"});
}

TEST(SlicedSummaryTest, ChosenSteps) {
  Program program;
  for (int i = 0; i < 200; ++i) program.Train(3, i < 5 ? 90'000 : 9'000);
  for (const auto& steps :
       {std::pair<size_t, size_t>(0, 3), {40, 90}, {150, 500}}) {
    ExpectSlicesLikeTheWhole(program.text(), 900, {.steps = steps});
  }
}

TEST(SlicedSummaryTest, AWarmUpOfSoManySteps) {
  Program program;
  for (int i = 0; i < 200; ++i) program.Train(3, i < 5 ? 90'000 : 9'000);
  for (const size_t warm_up : {0, 2, 120}) {
    ExpectSlicesLikeTheWhole(program.text(), 900, {.warm_up = warm_up});
  }
}

TEST(SlicedSummaryTest, OneOfTwoDevices) {
  ExpectSlicesLikeTheWhole(TwoDevices(), 900, {.device = "1"});
}

TEST(SlicedSummaryTest, ACommunicatorIsMadeInTheMiddle) {
  const std::string text =
      TextOfRanks(2, 120, [](Program& program, int rank, int i) {
        const int64_t end = 400'000 * (i + 1);
        if (i == 60) program.Split(1, 2);
        program.Work(2'000 * rank * (i % 3));
        program.Train(3);
        program.AllReduce(i < 60 ? 1 : 2, end - 60'000);
        program.Kernel("multi_tensor_apply_kernel_adam", 5'000);
        program.Wait();
        program.Work(end - program.now());
      });
  const TraceModel model = TraceFromText(text);
  const Summary whole = Summarise(model, Attribute(model));
  EXPECT_EQ(whole.collectives.communicators.size(), 2u);
  ExpectSlicesLikeTheWhole(text, 700);
}

// The split of the time between calls is one of each slice; its sum is not.
TEST(SlicedSummaryTest, CpuSamplesSplitWithinASlice) {
  Program program;
  int64_t next = 0;
  for (int i = 0; i < 400; ++i) {
    program.Copy("htod", 2'000);
    program.Kernel(kGemm, 9'000);
    program.Wait();
    program.Work(5'000'000);
    for (int l = 0; l < 3; ++l) program.Kernel(kGemm, 9'000);
    for (int l = 0; l < 8; ++l) program.Kernel(kGemm, 9'000, 1);
    program.Kernel("multi_tensor_apply_kernel_adam", 5'000);
    if (program.now() < next) continue;
    next += 100'000'000;
    program.Sample(i % 3 != 0);
  }
  const TraceModel model = TraceFromText(program.text());
  const Summary whole = Summarise(model, Attribute(model));
  SlicedModel source(model);
  std::string why_not;
  const auto sliced = SummariseInSlices(source, {}, {}, Tiny(5000), why_not);
  ASSERT_TRUE(sliced) << why_not;
  const IdleTimes a = whole.devices[0].idle_ns();
  const IdleTimes b = sliced->devices[0].idle_ns();
  const auto between = [](const IdleTimes& idle) {
    return idle[static_cast<size_t>(IdleCause::kFramework)] +
           idle[static_cast<size_t>(IdleCause::kPreempted)] +
           idle[static_cast<size_t>(IdleCause::kBlocked)];
  };
  EXPECT_GT(between(a), 0);
  EXPECT_EQ(between(a), between(b));
  for (const IdleCause cause :
       {IdleCause::kWait, IdleCause::kInput, IdleCause::kLaunch,
        IdleCause::kUnknown, IdleCause::kLatency}) {
    EXPECT_EQ(a[static_cast<size_t>(cause)], b[static_cast<size_t>(cause)]);
  }
}

// What lies between two samples both tell; more of them would only be read
// again.
TEST(SlicedSummaryTest, MarginsHoldTwoPassesOfCpuSamples) {
  Program program;
  int64_t next = 0;
  for (int i = 0; i < 600; ++i) {
    program.Train(4);
    program.Work(5'000'000);
    if (program.now() < next) continue;
    next += 30'000'000;
    program.Sample(i % 3 != 0);
  }
  SlicedModel source(TraceFromText(program.text()));
  std::string why_not;
  ASSERT_TRUE(SummariseInSlices(source, {}, {}, Tiny(2000), why_not));
  EXPECT_LT(source.most_events(), 4'000);
}

TEST(SlicedSummaryTest, MemoryHoldsSlicesNotTheRun) {
  Program program;
  for (int i = 0; i < 600; ++i) program.Train(4);
  const TraceModel model = TraceFromText(program.text());
  const uint64_t all = model.processes[0].calls.size() +
                       model.processes[0].launches.size() +
                       model.processes[0].activities.size();
  SlicedModel source(model);
  std::string why_not;
  ASSERT_TRUE(SummariseInSlices(source, {}, {}, Tiny(2000), why_not));
  EXPECT_GT(all, 20'000);
  EXPECT_LT(source.most_events(), 4'000);
}

TEST(SlicedSummaryTest, TheWholeRunIsOneWindow) {
  Program program;
  for (int i = 0; i < 120; ++i) program.Train(4, i < 2 ? 90'000 : 9'000);
  for (const uint64_t events : {600, 1000, 2500}) {
    ExpectSlicesLikeTheWhole(program.text(), events, {.whole_run = true});
  }
}

TEST(SlicedSummaryTest, APartOfTheRunIsOneWindow) {
  Program program;
  for (int i = 0; i < 120; ++i) program.Train(4);
  const int64_t end = program.now();
  for (const Interval part :
       {Interval{end / 3, end / 2}, Interval{end / 7, end - end / 9},
        Interval{0, end}, Interval{end / 2, end / 2 + 5'000},
        Interval{end + 1, end + 2}}) {
    ExpectSlicesLikeTheWhole(program.text(), 800, {.window = part});
  }
}

// Kernels and pauses as chance wants them.
std::string WithoutLoop(int works, int devices = 1) {
  Program program(devices);
  std::minstd_rand random(7);
  for (int i = 0; i < works; ++i) {
    const auto chance = [&random](int n) {
      return static_cast<int>(random() % static_cast<unsigned>(n));
    };
    program.Kernel("kernel_" + std::to_string(chance(2'000)),
                   1'000 * (1 + chance(60)), chance(5) == 0 ? 1 : 0,
                   chance(devices));
    program.Work(1'000 * chance(chance(6) == 0 ? 200 : 60));
  }
  return program.text();
}

TEST(SlicedSummaryTest, ARunWithoutStepsIsOneWindow) {
  const std::string text = WithoutLoop(4'000);
  const TraceModel model = TraceFromText(text);
  const Summary whole = Summarise(model, Attribute(model));
  ASSERT_EQ(whole.processes[0].steps.found(), 0u);
  SliceLimits limits = Tiny(1'000);
  limits.most_events = 4'000;
  SlicedModel source(model);
  std::string why_not;
  const auto sliced = SummariseInSlices(source, {}, {}, limits, why_not);
  ASSERT_TRUE(sliced) << why_not;
  EXPECT_LT(source.most_events(), 5'000u);
  ASSERT_EQ(sliced->devices.size(), 1u);
  EXPECT_EQ(whole.devices[0].windows, sliced->devices[0].windows);
  EXPECT_EQ(whole.devices[0].idle_ns(), sliced->devices[0].idle_ns());
  EXPECT_EQ(whole.devices[0].classes, sliced->devices[0].classes);
  EXPECT_TRUE(whole.tallies == sliced->tallies);
  EXPECT_EQ(sliced->processes[0].steps.found(), 0u);
  EXPECT_EQ(sliced->processes[0].kernels_without_launch, 0u);
  EXPECT_EQ(sliced->processes[0].launches_without_kernel, 0u);
}

// However long a step might be: it is not all looked for at once.
TEST(SlicedSummaryTest, ARunWithoutStepsIsSlicedSoon) {
  SliceLimits limits = Tiny(1'000);
  limits.events_without_steps = 2'000;
  SlicedModel source(TraceFromText(WithoutLoop(8'000)));
  std::string why_not;
  ASSERT_TRUE(SummariseInSlices(source, {}, {}, limits, why_not)) << why_not;
  EXPECT_LT(source.most_events(), 3'500u);
}

TEST(SlicedSummaryTest, TheWholeRunOfSeveralDevices) {
  for (const uint64_t events : {900, 2'000}) {
    ExpectSlicesLikeTheWhole(WithoutLoop(3'000, 3), events, {.whole_run = true},
                             kNoPaths);
  }
  ExpectSlicesLikeTheWhole(TwoDevices(), 900,
                           {.whole_run = true, .device = "1"}, kNoPaths);
}

// One device works in the begin, another one in the end: neither rests inside
// its window.
TEST(SlicedSummaryTest, DevicesThatWorkOneAfterTheOther) {
  Program program(2);
  for (int i = 0; i < 120; ++i) program.Train(3, 9'000, i < 60 ? 0 : 1);
  ExpectSlicesLikeTheWhole(program.text(), 900, {.whole_run = true});
}

// A gap is never cut: the slice grows until what ends it is there.
TEST(SlicedSummaryTest, ADeviceRestsForLongerThanASlice) {
  Program program(2);
  for (int i = 0; i < 120; ++i) {
    program.Train(3, 9'000, i > 20 && i < 90 ? 1 : 0);
  }
  ExpectSlicesLikeTheWhole(program.text(), 900, {.whole_run = true});
  SlicedModel source(TraceFromText(program.text()));
  SliceLimits limits = Tiny(400);
  limits.most_events = 800;
  std::string why_not;
  EXPECT_FALSE(
      SummariseInSlices(source, {}, {.whole_run = true}, limits, why_not));
  EXPECT_EQ(why_not, "a device rests for longer than a slice");
}

TEST(SlicedSummaryTest, TheWholeRunOfRanksThatWaitForEachOther) {
  ExpectSlicesLikeTheWhole(ThreeRanks(), 700, {.whole_run = true});
}

std::string LoopThatBeginsInTheMiddle() {
  Program loop;
  loop.Work(1'000'000'000);
  for (int i = 0; i < 80; ++i) loop.Train(4);
  return WithoutLoop(1'500) +
         loop.text().substr(loop.text().find("uuid=a0") + 8);
}

// As if the begin had been searched at once.
TEST(SlicedSummaryTest, ALoopThatBeginsLateIsFoundAllTheSame) {
  SlicedModel source(TraceFromText(LoopThatBeginsInTheMiddle()));
  SliceLimits limits = Tiny(2'000);
  std::string why_not;
  const auto at_once = SummariseInSlices(source, {}, {}, limits, why_not);
  ASSERT_TRUE(at_once) << why_not;
  EXPECT_GT(at_once->processes[0].steps.found(), 50u);
  limits.events_without_steps = 2'000;
  const auto later = SummariseInSlices(source, {}, {}, limits, why_not);
  ASSERT_TRUE(later) << why_not;
  EXPECT_TRUE(at_once->processes[0] == later->processes[0]);
  EXPECT_EQ(at_once->devices[0].idle_ns(), later->devices[0].idle_ns());
  EXPECT_TRUE(at_once->tallies == later->tallies);
}

TEST(SlicedSummaryTest, ALoopThatBeginsInTheMiddleIsReadWhole) {
  SlicedModel source(TraceFromText(LoopThatBeginsInTheMiddle()));
  SliceLimits limits = Tiny(1'000);
  limits.most_events = 2'000;
  std::string why_not;
  EXPECT_FALSE(SummariseInSlices(source, {}, {}, limits, why_not));
  EXPECT_EQ(why_not, "a loop begins in the middle of the run");
}

TEST(SlicedSummaryTest, SaysWhyNot) {
  Program program;
  for (int i = 0; i < 50; ++i) program.Train(2);
  SlicedModel source(
      TraceFromText("process pid=1 host=node\n" + program.text() +
                    "process pid=2 host=node\n" + program.text()));
  std::string why_not;
  EXPECT_FALSE(SummariseInSlices(source, {}, {}, Tiny(500), why_not));
  EXPECT_EQ(why_not, "several processes share a GPU");
}

}  // namespace
}  // namespace dltap::analyzer
