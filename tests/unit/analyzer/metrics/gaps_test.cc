// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/gaps.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/analyzer/metrics/gap_program.h"

namespace dltap::analyzer {
namespace {

Gap OnlyGap(const std::string& rest) {
  const Found found(kFirstKernel + rest);
  EXPECT_EQ(found.gaps.size(), 1);
  return found.gaps.empty() ? Gap{} : found.gaps[0];
}

TEST(GapsTest, LaunchBoundWaitsInsideTheLaunch) {
  const Gap gap = OnlyGap(
      "call t=90..120us thread=0 cudaLaunchKernel\n"
      "launchapi t=91..119us thread=0 corr=2\n"
      "kernel t=125..130us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 20);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, TimeInsideALibraryCallIsTheLibrarys) {
  const Gap gap = OnlyGap(
      "call t=95..140us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=130..138us thread=0 corr=2 ext=95us\n"
      "kernel t=145..150us device=0 stream=7 corr=2 name=sgemm\n");
  EXPECT_EQ(Us(gap, IdleCause::kLibrary), 40);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, OnlyTimeInsideAWaitIsWait) {
  // The host waited for the first kernel, then ran Python for 80 us.
  const Found found(std::string(kFirstKernel) +
                    "call t=5..105us thread=0 cudaStreamSynchronize\n"
                    "call t=185..190us thread=0 cudaLaunchKernel\n"
                    "launchapi t=186..189us thread=0 corr=2\n"
                    "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  ASSERT_EQ(found.gaps.size(), 1);
  const Gap& gap = found.gaps[0];
  EXPECT_EQ(Us(gap, IdleCause::kWait), 5);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 80);
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 5);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
  EXPECT_EQ(gap.drained_by, DrainedBy::kSync);
  EXPECT_EQ(gap.host_ns, 90'000);
  EXPECT_EQ(found.DrainedIn(gap), "cudaStreamSynchronize");
}

TEST(GapsTest, AWaitOfTheThreadThatHandedOverCounts) {
  // Thread 0 waits, then hands the backward pass to thread 1, which puts its
  // work on the same stream.
  const Gap gap = OnlyGap(
      "thread 1 tid=2 name=pt_autograd_0\n"
      "call t=5..110us thread=0 cudaStreamSynchronize\n"
      "call t=150..155us thread=1 cudaLaunchKernel\n"
      "launchapi t=151..154us thread=1 corr=2\n"
      "kernel t=160..170us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kWait), 10);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 40);
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 5);
  EXPECT_EQ(gap.drained_by, DrainedBy::kSync);
}

TEST(GapsTest, AWaitOfAThreadThatFeedsNothingIsNotOurs) {
  const Gap gap = OnlyGap(
      "thread 1 tid=2 name=watchdog\n"
      "call t=5..180us thread=1 cudaEventSynchronize\n"
      "call t=150..155us thread=0 cudaLaunchKernel\n"
      "launchapi t=151..154us thread=0 corr=2\n"
      "kernel t=160..170us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kWait), 0);
  EXPECT_EQ(gap.drained_by, DrainedBy::kNone);
}

TEST(GapsTest, SeveralCausesMeetInOneGap) {
  // 100 idle; wait to 103; 17 between; cudaMalloc 120 to 130; 10 between; a
  // library call from 140 in which cudaFree waits from 150 to 160, to 170.
  const Gap gap = OnlyGap(
      "call t=5..103us thread=0 cudaDeviceSynchronize\n"
      "call t=120..130us thread=0 cudaMalloc\n"
      "call t=140..170us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "call t=150..160us thread=0 depth=1 cudaFree\n"
      "launchapi t=162..168us thread=0 corr=2 ext=140us\n"
      "kernel t=175..180us device=0 stream=7 corr=2 name=sgemm\n");
  EXPECT_EQ(Us(gap, IdleCause::kWait), 3 + 10 + 10);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 17 + 10);
  EXPECT_EQ(Us(gap, IdleCause::kLibrary), 20);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

std::string Queries(int begin_us) {
  std::string text;
  for (int at = begin_us; at < 119; at += 8) {
    text += "call t=" + std::to_string(at) + ".." + std::to_string(at + 1) +
            "us thread=0 cudaEventQuery\n";
  }
  return text +
         "call t=150..155us thread=0 cudaLaunchKernel\n"
         "launchapi t=151..154us thread=0 corr=2\n"
         "kernel t=160..170us device=0 stream=7 corr=2 name=next\n";
}

TEST(GapsTest, QueriesInALoopWait) {
  const Found found(kFirstKernel + Queries(90));  // the last one ends at 115
  ASSERT_EQ(found.gaps.size(), 1);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kWait), 15);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kUnknown), 35);
  EXPECT_EQ(found.gaps[0].drained_by, DrainedBy::kSync);
  EXPECT_EQ(found.DrainedIn(found.gaps[0]), "cudaEventQuery");
}

TEST(GapsTest, QueriesOfAnIdleDeviceDrainNothing) {
  const Gap gap = OnlyGap(Queries(102));
  EXPECT_EQ(Us(gap, IdleCause::kWait), 17);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 2 + 31);
  EXPECT_EQ(gap.drained_by, DrainedBy::kNone);
}

TEST(GapsTest, AfterAPageableCopyThePageableCopyDrainedTheQueue) {
  const Found found(
      "device 0 name=gpu\n"
      "call t=0..20us thread=0 cudaMemcpyAsync\n"
      "launchapi t=1..19us thread=0 corr=1\n"
      "memcpy t=10..18us device=0 stream=7 corr=1 kind=htod bytes=64 "
      "src=pageable dst=device\n"
      "call t=40..45us thread=0 cudaLaunchKernel\n"
      "launchapi t=41..44us thread=0 corr=2\n"
      "kernel t=50..60us device=0 stream=7 corr=2 name=ampere_sgemm_nn\n"
      "call t=70..75us thread=0 cudaLaunchKernel\n"
      "launchapi t=71..74us thread=0 corr=3\n"
      "kernel t=80..90us device=0 stream=7 corr=3 name=ampere_sgemm_nn\n");
  ASSERT_EQ(found.gaps.size(), 2);
  EXPECT_EQ(found.gaps[0].drained_by, DrainedBy::kPageable);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kLaunch), 2 + 5);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kUnknown), 20);
  // The host did not run ahead again, but nothing waited.
  EXPECT_EQ(found.gaps[1].drained_by, DrainedBy::kNone);
}

std::string LaunchAt(int call_us, int begin_us, int end_us) {
  const std::string corr = std::to_string(call_us);
  return "call t=" + corr + ".." + std::to_string(call_us + 5) +
         "us thread=0 cudaLaunchKernel\nlaunchapi t=" +
         std::to_string(call_us + 1) + ".." + std::to_string(call_us + 4) +
         "us thread=0 corr=" + corr + "\nkernel t=" + std::to_string(begin_us) +
         ".." + std::to_string(end_us) + "us device=0 stream=7 corr=" + corr +
         " name=ampere_sgemm_nn\n";
}

TEST(GapsTest, ADrainedQueueStaysSoUntilTheHostRanAhead) {
  // The kernel that begins at 300 has waited for 85 us since its launch.
  const Found found(std::string(kFirstKernel) +
                    "call t=5..101us thread=0 cudaStreamSynchronize\n" +
                    LaunchAt(120, 128, 138) + LaunchAt(160, 168, 178) +
                    LaunchAt(200, 208, 300) + LaunchAt(210, 300, 310) +
                    LaunchAt(340, 348, 358));
  ASSERT_EQ(found.gaps.size(), 4);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.gaps[i].drained_by, DrainedBy::kSync) << i;
    EXPECT_EQ(found.DrainedIn(found.gaps[i]), "cudaStreamSynchronize") << i;
  }
  EXPECT_EQ(found.gaps[3].drained_by, DrainedBy::kNone);
}

TEST(GapsTest, AWaitDrainsNoLongerThanItself) {
  // 40 us of waiting: without them the host would be 40 us ahead, no more.
  const Found found(std::string(kFirstKernel) +
                    "call t=61..101us thread=0 cudaStreamSynchronize\n" +
                    LaunchAt(120, 128, 138) + LaunchAt(160, 168, 178) +
                    LaunchAt(200, 208, 218));
  ASSERT_EQ(found.gaps.size(), 3);
  EXPECT_EQ(found.gaps[0].drained_by, DrainedBy::kSync);
  EXPECT_EQ(found.gaps[1].drained_by, DrainedBy::kSync);  // 15 us were left
  EXPECT_EQ(found.gaps[2].drained_by, DrainedBy::kNone);
}

TEST(GapsTest, UnknownTimeHasTheOperatorAroundIt) {
  const Found found(
      std::string(kFirstKernel) +
      "range t=90..150us thread=0 kind=python name=\"train.py: step\"\n"
      "range t=120..140us thread=0 kind=op name=aten::item\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  ASSERT_EQ(found.gaps.size(), 1);
  std::map<std::string, int64_t> by_name;
  for (const auto& [name, ns] : found.gaps[0].unknown_in) {
    by_name[std::string(found.model.texts[name])] += ns;
  }
  const std::map<std::string, int64_t> expected = {
      {"train.py: step", 30'000}, {"aten::item", 20'000}, {"", 30'000}};
  EXPECT_EQ(by_name, expected);
}

TEST(GapsTest, AGapThatEndsWithGlueIsItsLayers) {
  // A pause, then the zeros of the hidden state, then the layer.
  const Found found(
      std::string(kFirstKernel) +
      "call t=180..185us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..184us thread=0 corr=2\n"
      "kernel t=188..190us device=0 stream=7 corr=2 name=\"void "
      "at::native::vectorized_elementwise_kernel<4, "
      "at::native::FillFunctor<float>>(int)\"\n"
      "call t=187..195us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
      "launchapi t=188..194us thread=0 corr=3 ext=187us\n"
      "kernel t=191..220us device=0 stream=7 corr=3 name=sgemm\n");
  ASSERT_EQ(found.gaps.size(), 2);
  EXPECT_EQ(found.ClassOf(found.gaps[0]), LayerClass::kGemm);
}

TEST(GapsTest, ALateCopyOfTheInputIsInput) {
  const Gap gap = OnlyGap(
      "call t=180..190us thread=0 cudaMemcpyAsync\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "memcpy t=195..200us device=0 stream=7 corr=2 kind=htod bytes=64\n");
  EXPECT_EQ(Us(gap, IdleCause::kInput), 80);
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 10);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

std::string Sampled(bool runnable) {
  // The feeder has the CPU for 100 of 400 us, 14 of them in its calls. The
  // other 86 go evenly to the spans between: 43 us to 4..180, of which 80 lie
  // in the gap, and 43 to 190..400.
  const std::string on_cpu = runnable ? "1" : "0";
  return "sample t=0us thread=0 on_cpu=" + on_cpu + " cpu=0us\n" +
         "sample t=400us thread=0 on_cpu=" + on_cpu + " cpu=100us\n" +
         "call t=180..190us thread=0 cudaLaunchKernel\n"
         "launchapi t=181..189us thread=0 corr=2\n"
         "kernel t=195..200us device=0 stream=7 corr=2 name=next\n";
}

TEST(GapsTest, CpuSamplesTellFrameworkFromSleep) {
  const Gap gap = OnlyGap(Sampled(false));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);  // 80 x 43 / 176 = 19.5
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
}

TEST(GapsTest, WhatCallsOfFixedCostsTakeIsNoSleepWhateverTheMachineDid) {
  const Found found("host_clock fixed_costs\n" + std::string(kFirstKernel) +
                    Sampled(false));
  ASSERT_EQ(found.gaps.size(), 1);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kFramework), 80);
  EXPECT_EQ(Us(found.gaps[0], IdleCause::kBlocked), 0);
}

TEST(GapsTest, OneSampleDoesNotTellPreemptionFromSleep) {
  // It was ready: nothing says that it slept.
  const Gap gap = OnlyGap(Sampled(true));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 60);
}

// Four more samples, in spans of 200 us between calls.
std::string ReadySamples(const std::string& cpu_us) {
  std::string text;
  for (int at = 100'000; at <= 400'000; at += 100'000) {
    const auto us = [at](int after) { return std::to_string(at + after); };
    text += "call t=" + us(-101) + ".." + us(-100) +
            "us thread=0 cudaEventRecord\n" + "sample t=" + us(0) +
            "us thread=0 on_cpu=1 cpu=" + cpu_us + "us\n" +
            "call t=" + us(100) + ".." + us(101) +
            "us thread=0 cudaEventRecord\n";
  }
  return text;
}

TEST(GapsTest, AThreadThatIsReadyButDoesNotRunIsPreempted) {
  const Gap gap = OnlyGap(Sampled(true) + ReadySamples("100"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 60);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
}

TEST(GapsTest, ASleepThatASampleSawIsBlocked) {
  const Gap gap = OnlyGap(Sampled(true) +
                          "sample t=500us thread=0 on_cpu=0 cpu=100us\n"
                          "call t=600..601us thread=0 cudaEventRecord\n"
                          "sample t=700us thread=0 on_cpu=0 cpu=101us\n");
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
}

// Two samples, both of which find the thread ready: alone they don't tell why
// it had no CPU for the rest.
std::string Delayed(const std::string& first, const std::string& second) {
  std::string text = Sampled(true);
  for (const auto& [cpu, delay] :
       {std::pair("cpu=0us", first), std::pair("cpu=100us", second)}) {
    if (delay.empty()) continue;
    text.insert(text.find(cpu) + std::string_view(cpu).size(),
                " run_delay=" + delay);
  }
  return text;
}

TEST(GapsTest, RunDelayTellsPreemptionFromSleepWithoutASampleOfEither) {
  // Awake for 200 of 400 us, half of them without a CPU: less 14 in calls, 93
  // go to the 176 us around the gap's 80.
  const Gap gap = OnlyGap(Delayed("0us", "100us"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 21);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 21);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 37);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
}

// The thread computes all the time, and has the CPU for a half of it. The wait
// that lasts from 100 to 300 us is counted when it ends.
TEST(GapsTest, AWaitForACpuThatASampleFallsIntoBeganBeforeTheSample) {
  const Gap gap = OnlyGap(
      "sample t=0us thread=0 on_cpu=1 cpu=0us run_delay=0us\n"
      "sample t=200us thread=0 on_cpu=1 cpu=100us run_delay=0us\n"
      "sample t=400us thread=0 on_cpu=1 cpu=200us run_delay=200us\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
  EXPECT_GT(Us(gap, IdleCause::kPreempted), 30);
}

// It may be another thread that has got the id.
TEST(GapsTest, ARunDelayThatRunsBackwardsIsNone) {
  const Gap gap = OnlyGap(
      "sample t=0us thread=0 on_cpu=0 cpu=0us run_delay=500us\n"
      "sample t=400us thread=0 on_cpu=0 cpu=100us run_delay=450us\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
}

// Work between two calls, of which 80 us are the gap's host part; the samples
// alone would spread sleep and work evenly.
std::string Switched(const std::string& switches) {
  return Sampled(true) + switches;
}

TEST(GapsTest, ContextSwitchesTellWhichGapSleeps) {
  const Gap gap =
      OnlyGap(Switched("switches_known t=0..400us thread=0\n"
                       "off_cpu t=120..150us thread=0 preempted=0\n"
                       "off_cpu t=160..165us thread=0 preempted=1\n"
                       "off_cpu t=250..390us thread=0 preempted=0\n"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 45);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 5);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 30);
}

TEST(GapsTest, ALaunchWithoutACpuIsPreemptedAndOneThatSleepsIsALaunch) {
  const Gap gap =
      OnlyGap(Switched("switches_known t=0..400us thread=0\n"
                       "off_cpu t=182..185us thread=0 preempted=1\n"
                       "off_cpu t=186..188us thread=0 preempted=0\n"));
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 7);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 3);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 80);
}

TEST(GapsTest, AWaitWithoutACpuIsAWait) {
  const Gap gap =
      OnlyGap(Switched("switches_known t=0..400us thread=0\n"
                       "call t=90..150us thread=0 cudaDeviceSynchronize\n"
                       "off_cpu t=120..140us thread=0 preempted=1\n"));
  EXPECT_EQ(Us(gap, IdleCause::kWait), 50);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
}

TEST(GapsTest, WhereSwitchesAreNotKnownSamplesTell) {
  const Gap told = OnlyGap(Sampled(true));
  const Gap unknown =
      OnlyGap(Switched("switches_known t=190..400us thread=0\n"));
  EXPECT_EQ(unknown.ns, told.ns);
  // Samples say 19 us of all, of which 10 are told; one found it ready.
  const Gap half =
      OnlyGap(Switched("switches_known t=0..130us thread=0\n"
                       "off_cpu t=110..130us thread=0 preempted=0\n"));
  EXPECT_EQ(Us(half, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(half, IdleCause::kBlocked), 20);
  EXPECT_EQ(Us(half, IdleCause::kUnknown), 40);
}

// A second thread of the feeder.
std::string SecondThread(const std::string& at, const std::string& rest) {
  return "call t=" + at + " thread=1 cudaLaunchKernel\n" + "launchapi t=" + at +
         " thread=1 corr=9\n" +
         "kernel t=5..10us device=0 stream=7 corr=9 name=other\n" + rest;
}

TEST(GapsTest, WhoRunsTellsEnoughWhereOthersAreNotFollowed) {
  const Gap gap = OnlyGap(
      Switched(SecondThread("2..3us",
                            "sample t=0us thread=1 on_cpu=1 cpu=10us\n"
                            "sample t=400us thread=1 on_cpu=0 cpu=11us\n") +
               "switches_known t=0..400us thread=0\n"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 80);
}

// It is looked at once while it lives, and again when it has ended.
TEST(GapsTest, AThreadThatHasEndedHidesNoSwitches) {
  const Gap gap = OnlyGap(
      Switched(SecondThread("2..3us",
                            "sample t=4us thread=1 on_cpu=1 cpu=2us\n"
                            "sample t=400us thread=1 on_cpu=0 cpu=2us\n") +
               "switches_known t=0..400us thread=0\n"
               "off_cpu t=120..150us thread=0 preempted=0\n"));
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 30);
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 50);
}

// A thread of one step, which another one waits for.
TEST(GapsTest, WhetherAThreadRanThatNoSampleSawIsUnknown) {
  const Gap gap = OnlyGap(
      Switched(SecondThread("2..3us",
                            "call t=160..161us thread=1 cudaEventRecord\n"
                            "sample t=400us thread=1 on_cpu=0 cpu=0us\n") +
               "switches_known t=0..400us thread=0\n"
               "off_cpu t=120..170us thread=0 preempted=0\n"));
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 40);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 9);
}

// The second thread runs for 100 of 400 ms, while the first one sleeps.
TEST(GapsTest, AThreadThatIsSeldomLookedAtRunsInAllOfTheTime) {
  std::string looks;
  for (int at = 0; at <= 400; at += 20) {
    const std::string ms = std::to_string(at) + "ms";
    looks += "sample t=" + ms + " thread=0 on_cpu=0 cpu=1ms\n";
    if (at == 20 || at == 400) {
      looks += "sample t=" + ms +
               " thread=1 on_cpu=0 cpu=" + (at == 20 ? "1ms\n" : "101ms\n");
    }
  }
  const Gap gap =
      OnlyGap(SecondThread("2..3us", looks) +
              "call t=300..301ms thread=0 cudaLaunchKernel\n"
              "launchapi t=300..301ms thread=0 corr=2\n"
              "kernel t=302..303ms device=0 stream=7 corr=2 name=next\n");
  // 280 of the 380 ms between the looks at it.
  EXPECT_NEAR(static_cast<double>(Us(gap, IdleCause::kFramework)), 73'700, 500);
}

// One thread waits for the other, as for a backward pass.
TEST(GapsTest, AFeederRunsWhileAnyOfItsThreadsDoes) {
  const Gap gap =
      OnlyGap(Switched("call t=2..3us thread=1 cudaLaunchKernel\n"
                       "launchapi t=2..3us thread=1 corr=9\n"
                       "kernel t=5..10us device=0 stream=7 corr=9 name=other\n"
                       "sample t=0us thread=1 on_cpu=1 cpu=0us\n"
                       "sample t=400us thread=1 on_cpu=1 cpu=100us\n"
                       "switches_known t=0..400us thread=0\n"
                       "switches_known t=0..400us thread=1\n"
                       "off_cpu t=100..170us thread=0 preempted=0\n"
                       "off_cpu t=130..160us thread=1 preempted=1\n"));
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 30);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 50);
}

TEST(GapsTest, WhatASleeperWaitsForACpuAfterItWokeUpIsPreemption) {
  const Gap gap =
      OnlyGap(Switched("switches_known t=0..400us thread=0\n"
                       "off_cpu t=120..150us thread=0 preempted=0\n"
                       "off_cpu t=160..165us thread=0 preempted=1\n"));
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 30);
  const Gap late = OnlyGap(Delayed("0us", "15us") +
                           "switches_known t=0..400us thread=0\n"
                           "off_cpu t=120..150us thread=0 preempted=0\n"
                           "off_cpu t=160..165us thread=0 preempted=1\n");
  EXPECT_EQ(Us(late, IdleCause::kBlocked), 20);
  EXPECT_EQ(Us(late, IdleCause::kPreempted), 15);
}

// Looks at 160 us end one record and begin the next.
TEST(GapsTest, APreemptionOverALookIsOne) {
  const Gap gap = OnlyGap(Delayed("0us", "0us") +
                          "sample t=160us thread=0 on_cpu=1 cpu=50us "
                          "run_delay=0us\n"
                          "sample t=300us thread=0 on_cpu=1 cpu=70us "
                          "run_delay=20us\n"
                          "switches_known t=0..160us thread=0\n"
                          "switches_known t=160..400us thread=0\n"
                          "off_cpu t=150..160us thread=0 preempted=1\n"
                          "off_cpu t=160..170us thread=0 preempted=1\n"
                          "off_cpu t=172..178us thread=0 preempted=0\n");
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 20);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 6);
}

TEST(GapsTest, WithoutRunDelayWhatDoesNotRunSleeps) {
  const Gap gap = OnlyGap(Delayed("0us", "0us"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
}

TEST(GapsTest, ARunDelayThatBeganAnewIsNoneLess) {
  const Gap gap = OnlyGap(Delayed("900us", "0us"));
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
  EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
}

TEST(GapsTest, ARunDelayThatOnlyOneEndHasTellsNothing) {
  for (const auto& [first, second] :
       {std::pair("", "3s"), std::pair("3s", "")}) {
    const Gap gap = OnlyGap(Delayed(first, second));
    EXPECT_EQ(Us(gap, IdleCause::kFramework), 19);
    EXPECT_EQ(Us(gap, IdleCause::kPreempted), 0);
    EXPECT_EQ(Us(gap, IdleCause::kBlocked), 0);
    EXPECT_EQ(Us(gap, IdleCause::kUnknown), 60);
  }
}

TEST(GapsTest, TheFirstAndLastSamplesTellOfAsMuchTimeOutsideOfThem) {
  const auto sampled = [](const std::string& first, const std::string& last) {
    return OnlyGap("sample t=" + first + " thread=0 on_cpu=0 cpu=0us\n" +
                   "sample t=" + last + " thread=0 on_cpu=0 cpu=20us\n" +
                   "call t=180..190us thread=0 cudaLaunchKernel\n"
                   "launchapi t=181..189us thread=0 corr=2\n"
                   "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  };
  // 80 of 176 us between two calls, of which it ran 20.
  for (const Gap& gap : {sampled("200us", "600us"), sampled("0us", "102us")}) {
    EXPECT_EQ(Us(gap, IdleCause::kFramework), 9);
    EXPECT_EQ(Us(gap, IdleCause::kBlocked), 70);
    EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
  }
  EXPECT_EQ(Us(sampled("300us", "350us"), IdleCause::kUnknown), 80);
}

// The feeder makes its input from 4 to 180 us, and has the CPU for 10 us of the
// first 100 and for 20 of the next 300, of which 14 go to its calls.
constexpr char kInputThatSleeps[] =
    "call t=180..190us thread=0 cudaMemcpyAsync\n"
    "launchapi t=181..189us thread=0 corr=2\n"
    "memcpy t=195..200us device=0 stream=7 corr=2 kind=htod bytes=64\n"
    "sample t=0us thread=0 on_cpu=1 cpu=0us\n"
    "sample t=100us thread=0 on_cpu=1 cpu=10us\n"
    "sample t=400us thread=0 on_cpu=1 cpu=30us\n";

TEST(GapsTest, InputIsNoMoreWorkThanItsCpuTime) {
  const Found found(std::string(kFirstKernel) + kInputThatSleeps);
  // The window is 10..200: 90 of 100 us with 10, 100 of 300 with 20.
  EXPECT_EQ(found.host_work_ns, 9'000 + 6'667);
  EXPECT_EQ(found.input_samples, 1);
}

TEST(GapsTest, SamplesBeforeTheFirstStepSayNothingOfItsInput) {
  Steps steps;
  steps.found_by = StepsFoundBy::kPeriod;
  steps.steps = {{.begin_ns = 150'000, .end_ns = 200'000}};
  const Found found(std::string(kFirstKernel) + kInputThatSleeps, steps);
  EXPECT_EQ(found.input_samples, 0);
}

TEST(GapsTest, RoundedCausesAreNoMoreThanTheGap) {
  // The feeder runs half of the 176,001 ns before the launch and is ready for
  // the rest: 40,000.5 ns of the 80,001 ns in the gap each.
  const Gap gap = OnlyGap(
      "sample t=0us thread=0 on_cpu=1 cpu=0us\n"
      "sample t=400us thread=0 on_cpu=1 cpu=190us\n"
      "call t=180001..190000ns thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n" +
      ReadySamples("190"));
  EXPECT_EQ(gap.ns[static_cast<size_t>(IdleCause::kFramework)], 40'001);
  EXPECT_EQ(gap.ns[static_cast<size_t>(IdleCause::kPreempted)], 40'000);
  EXPECT_EQ(gap.ns[static_cast<size_t>(IdleCause::kBlocked)], 0);
}

TEST(GapsTest, SamplesOfOtherThreadsSayNothing) {
  const Gap gap = OnlyGap(
      "thread 1 tid=2 name=other\n"
      "sample t=0us thread=1 on_cpu=1 cpu=0us\n"
      "sample t=400us thread=1 on_cpu=1 cpu=400us\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 80);
}

TEST(GapsTest, WithoutSamplesTheHostIsUnknown) {
  const Gap gap = OnlyGap(
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 80);
}

TEST(GapsTest, AKernelThatWaitsLongAfterSubmissionDependsOnSomething) {
  const Gap gap = OnlyGap(
      "call t=50..60us thread=0 cudaLaunchKernel\n"
      "launchapi t=51..59us thread=0 corr=2\n"
      "kernel t=180..190us device=0 stream=9 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kDependency), 80);
}

TEST(GapsTest, AShortGapIsLatencyWhateverTheHostDid) {
  const Gap gap = OnlyGap(
      "call t=90..120us thread=0 cudaLaunchKernel\n"
      "launchapi t=91..119us thread=0 corr=2\n"
      "kernel t=101..130us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 1);
}

TEST(GapsTest, OwnCostIsTakenOutOfTheHostsPart) {
  const Gap gap = OnlyGap(
      "overhead per_call=3us\n"
      "call t=101..110us thread=0 cudaLaunchKernel\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kProfiler), 6);
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 9 + 10);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 1 + 70 - 6);
}

}  // namespace
}  // namespace dltap::analyzer
