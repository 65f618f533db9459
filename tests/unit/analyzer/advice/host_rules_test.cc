// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "tests/unit/analyzer/advice/advice_of_text.h"

namespace dltap::analyzer {
namespace {

// A trace as one calls after the other make it: each launch takes `call_us`.
class Program {
 public:
  explicit Program(const std::string& framework, const std::string& more = "")
      : text_("process pid=1 framework=\"" + framework + "\"\n" + more +
              std::string(kH100)) {}

  void Step(int number, int begin_us, int end_us) {
    text_ += Line("range t=", begin_us, "..", end_us,
                  "us thread=0 kind=step name=\"step ", number, "\"");
  }
  void Launch(int at_us, int begin_us, int end_us) {
    ++corr_;
    text_ += Line("call t=", at_us, "..", at_us + 4,
                  "us thread=0 cublasSgemm_v2 m=64 n=64 k=64") +
             Line("launchapi t=", at_us + 1, "..", at_us + 3,
                  "us thread=0 corr=", corr_, " ext=", at_us, "us") +
             Line("kernel t=", begin_us, "..", end_us,
                  "us device=0 stream=7 corr=", corr_, " name=sgemm");
  }
  void Copy(const std::string& kind, int at_us, int begin_us, int end_us,
            int bytes) {
    ++corr_;
    text_ +=
        Line("call t=", at_us, "..", at_us + 2, "us thread=0 cudaMemcpyAsync") +
        Line("launchapi t=", at_us, "..", at_us + 1,
             "us thread=0 corr=", corr_) +
        Line("memcpy t=", begin_us, "..", end_us,
             "us device=0 stream=7 corr=", corr_, " kind=", kind,
             " src=pinned dst=pinned bytes=", bytes);
  }
  void Collective(int at_us, int begin_us, int end_us,
                  const std::string& call = "cudaLaunchKernel") {
    ++corr_;
    text_ += Line("call t=", at_us, "..", at_us + 4, "us thread=0 ", call) +
             Line("launchapi t=", at_us + 1, "..", at_us + 3,
                  "us thread=0 corr=", corr_, " ext=", at_us, "us") +
             Line("kernel t=", begin_us, "..", end_us,
                  "us device=0 stream=9 corr=", corr_,
                  " name=ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  }
  void Wait(int begin_us, int end_us,
            const std::string& call = "cudaStreamSynchronize") {
    text_ += Line("call t=", begin_us, "..", end_us, "us thread=0 ", call);
  }
  void Add(const std::string& line) { text_ += line; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int corr_ = 0;
};

constexpr int kSteps = 20;

// A small copy, a kernel of 300 us, and nothing for `pause_us`.
std::string Loading(int pause_us, const std::string& framework = "torch 2.11.0",
                    const std::string& more = "") {
  Program program(framework, more);
  const int step_us = 320 + pause_us;
  for (int i = 0; i < kSteps; ++i) {
    const int at = step_us * (i + 1);
    program.Step(i, at - 1, at + step_us - 3);
    program.Copy("htod", at, at + 5, at + 10, 1000);
    program.Launch(at + 3, at + 10, at + 310);
  }
  return program.text();
}

TEST(InputAdviceTest, WaitingForInputWantsWorkers) {
  const AdviceList list = AdviceOf(Loading(700));
  const auto advice = Given(list, "input");
  ASSERT_NE(advice, nullptr);
  // Without samples nobody knows whether there are workers already.
  EXPECT_NE(advice->act.find("num_workers > 0"), std::string::npos);
  EXPECT_GE(advice->evidence.steps_seen + 1,
            advice->evidence.steps);  // the last ends
  // One worker beside the 310 us of the rest; enough of them hide all.
  EXPECT_NEAR(advice->gain_low_ns, 310'000, 40'000);
  EXPECT_NEAR(advice->gain_high_ns, 700'000, 40'000);
}

TEST(InputAdviceTest, AnEnvironmentMayMakeTheInput) {
  // No loader is taken for granted, whatever the framework.
  for (const char* framework : {"torch 2.11.0", "tensorflow 2.21.0", ""}) {
    const std::string trains = absl::StrReplaceAll(
        Loading(700, framework),
        {{"cublasSgemm_v2 m=64 n=64 k=64", "cudnnConvolutionBackwardFilter"}});
    const auto advice = Given(AdviceOf(trains), "input");
    ASSERT_NE(advice, nullptr) << framework;
    EXPECT_NE(advice->act.find("environment"), std::string::npos);
    EXPECT_NE(advice->act.find(" if "), std::string::npos);
    EXPECT_NE(advice->why.find("environment"), std::string::npos);
  }
}

// A kernel of 300 us, its result to the host, 700 us for what is made of it,
// and as many bytes back.
std::string Playing(int bytes) {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 1'020 * (i + 1);
    program.Step(i, at - 1, at + 1'017);
    program.Copy("htod", at, at + 5, at + 10, bytes);
    program.Launch(at + 3, at + 10, at + 310);
    program.Copy("dtoh", at + 6, at + 310, at + 315, bytes);
    program.Wait(at + 9, at + 316);
  }
  return program.text();
}

TEST(InputAdviceTest, RewardsAsLargeAsActionsAreInput) {
  const AdviceList few = AdviceOf(Playing(32));
  EXPECT_NE(Given(few, "input"), nullptr) << WhyHeldBack(few, "input");
  EXPECT_EQ(Given(few, "download"), nullptr);
  // What is worked out of a large result is its doing.
  const AdviceList many = AdviceOf(Playing(2'000'000));
  EXPECT_EQ(Given(many, "input"), nullptr);
  EXPECT_NE(Given(many, "download"), nullptr);
}

constexpr char kOfLoader[] =
    "/v/site-packages/torch/utils/data/_utils/fetch.py";

// One look into each pause of Loading(700) finds that file's function, or each
// `nth` a loader.
std::string WithLooks(const std::string& text, const std::string& place,
                      int nth = kSteps) {
  const auto site = [](int number, const std::string& at) {
    return Line("site ", number, " python") +
           "frame function=fetch place=" + at +
           " line=9\nframe function=<module> place=/me/train.py line=30\n";
  };
  std::string at;
  for (int i = 1; i < kSteps; ++i) {
    at += Line("frames t=", i * 1'020 + 600,
               "us thread=0 site=", i % nth == 0 ? 2 : 1);
  }
  return site(1, place) + site(2, kOfLoader) + text + at;
}

TEST(InputAdviceTest, LooksAtFramesTellTheLoaderFromTheRest) {
  const std::string trains = absl::StrReplaceAll(
      Loading(700),
      {{"cublasSgemm_v2 m=64 n=64 k=64", "cudnnConvolutionBackwardFilter"}});
  const auto loader = Given(AdviceOf(WithLooks(trains, kOfLoader)), "input");
  ASSERT_NE(loader, nullptr);
  EXPECT_EQ(loader->act.find(" if "), std::string::npos) << loader->act;
  EXPECT_NE(loader->why.find("train.py:30 <module> > "
                             "torch/utils/data/_utils/fetch.py fetch"),
            std::string::npos)
      << loader->why;
  const auto own = Given(AdviceOf(WithLooks(trains, "/me/train.py")), "input");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->act.find("num_workers"), std::string::npos) << own->act;
  EXPECT_NE(own->why.find("train.py:9 fetch"), std::string::npos) << own->why;
  // Logging beside a loader that is quick enough.
  const auto most =
      Given(AdviceOf(WithLooks(trains, "/me/train.py", 4)), "input");
  ASSERT_NE(most, nullptr);
  EXPECT_EQ(most->act.find("num_workers"), std::string::npos) << most->act;
  EXPECT_NE(most->act.find("less often"), std::string::npos) << most->act;
  const auto half =
      Given(AdviceOf(WithLooks(trains, "/me/train.py", 2)), "input");
  ASSERT_NE(half, nullptr);
  EXPECT_NE(half->act.find("num_workers"), std::string::npos) << half->act;
}

TEST(InputAdviceTest, ALoaderThatTakesNearlyAllOfTheStepIsNotKeptSilent) {
  // One worker beside 320 us of the rest would save 1.6 % of 20 ms.
  std::string text =
      "site 1 python\nframe function=fetch "
      "place=/v/site-packages/torch/utils/data/_utils/fetch.py "
      "line=9\n" +
      absl::StrReplaceAll(Loading(20'000),
                          {{"process pid=1", "process pid=1 cpus=2"},
                           {"cublasSgemm_v2 m=64 n=64 k=64",
                            "cudnnConvolutionBackwardFilter"}});
  for (int i = 1; i < kSteps; ++i) {
    const int at = i * 20'320 + 10'000;
    text += Line("frames t=", at, "us thread=0 site=1") +
            Line("process_sample t=", at, "us cpu=", 20 * i, "ms resident=1") +
            Line("sample t=", at, "us thread=0 on_cpu=1 cpu=", 20 * i, "ms");
  }
  const AdviceList list = AdviceOf(text);
  const auto advice = Given(list, "input");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "input");
  EXPECT_NE(advice->act.find("num_workers > 0"), std::string::npos);
  // Two workers on two cores halve the step; half of that is sure.
  EXPECT_NEAR(advice->gain_low_ns, 20'320e3 / 4, 50e3);
  // The last step has no next batch.
  EXPECT_NEAR(advice->gain_high_ns, 20'000e3 * (kSteps - 1) / kSteps, 50e3);
  // On one core no worker computes beside the thread.
  const auto alone = Given(
      AdviceOf(absl::StrReplaceAll(text, {{"cpus=2", "cpus=1"}})), "input");
  ASSERT_NE(alone, nullptr);
  EXPECT_LT(alone->gain_low_ns, 20'320e3 / 10);
}

TEST(InputAdviceTest, PassesForwardAloneMayBeServed) {
  const auto why = [](const std::string& text) {
    const auto advice = Given(AdviceOf(text), "input");
    return advice == nullptr ? "" : advice->why;
  };
  const std::string serves = Loading(700);
  EXPECT_NE(why(serves).find("requests"), std::string::npos);
  const std::string trains = absl::StrReplaceAll(
      serves,
      {{"cublasSgemm_v2 m=64 n=64 k=64", "cudnnConvolutionBackwardFilter"}});
  EXPECT_NE(why(trains).find("callbacks"), std::string::npos);
}

TEST(InputAdviceTest, InputThatComesInTimeIsGood) {
  const AdviceList list = AdviceOf(Loading(-5));
  EXPECT_EQ(Given(list, "input"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "input"), "");
}

TEST(InputAdviceTest, EachFrameworkHasItsOwnLoader) {
  const auto act = [](const std::string& framework) {
    const AdviceList list = AdviceOf(Loading(700, framework));
    const auto advice = Given(list, "input");
    return advice == nullptr ? "" : advice->act;
  };
  EXPECT_NE(act("tensorflow 2.21.0").find("tf.data"), std::string::npos);
  EXPECT_EQ(act("jax 0.6.2").find("num_workers"), std::string::npos);
  EXPECT_EQ(act("").find("num_workers"), std::string::npos);
  EXPECT_NE(act(""), "");
}

TEST(InputAdviceTest, FixedCostsOfCallsAreNoInput) {
  const AdviceList list =
      AdviceOf(Loading(700, "torch 2.11.0", "host_clock fixed_costs\n"));
  EXPECT_EQ(Given(list, "input"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "input"),
            "host times are fixed costs (virtual clock)");
}

// Kernels of 40 us; after each, if it reads, a value of 4 bytes is waited for
// and the host needs 30 us to go on.
std::string Reading(bool reads, int values, int bytes = 4) {
  Program program("torch 2.11.0");
  const int each_us = reads ? 80 : 40;
  const int step_us = values * each_us;
  for (int i = 0; i < kSteps; ++i) {
    const int step = 100 + step_us * i;
    program.Step(i, step - 60, step + step_us - 61);
    for (int v = 0; v < values; ++v) {
      const int at = step + v * each_us;
      program.Launch(reads ? at - 6 : at - 50, at, at + 40);
      if (!reads) continue;
      program.Copy("dtoh", at - 1, at + 40, at + 42, bytes);
      program.Wait(at + 2, at + 44);
    }
  }
  return program.text();
}

// A kernel, what it made of `bytes` to the host in 40 us, and `idle_us` in
// which the host makes something of that.
AdviceList Evaluating(int idle_us, const std::string& more = "",
                      int bytes = 2'000'000) {
  Program program("torch 2.11.0", more);
  const int step_us = 340 + idle_us;
  for (int i = 0; i < kSteps; ++i) {
    const int at = 100 + step_us * i;
    program.Step(i, at - 10, at + step_us - 11);
    program.Launch(at - 6, at, at + 300);
    program.Copy("dtoh", at + 2, at + 300, at + 340, bytes);
    program.Wait(at + 5, at + 341);
  }
  return AdviceOf(program.text());
}

TEST(DownloadAdviceTest, IdleTimeAfterResultsBelongsToThem) {
  const auto busy = Given(Evaluating(8), "download");
  const auto idle = Given(Evaluating(400), "download");
  ASSERT_NE(busy, nullptr);
  ASSERT_NE(idle, nullptr);
  // Half of the copy hides behind the kernel in any case.
  EXPECT_NEAR(busy->gain_low_ns, 20e3, 6e3);
  EXPECT_GE(idle->gain_low_ns, 20e3 + 0.4 * 400e3);
  EXPECT_LE(idle->gain_low_ns, 20e3 + 0.6 * 400e3);
  EXPECT_GE(idle->gain_high_ns, 40e3 + 0.95 * 400e3);
  EXPECT_LE(idle->gain_high_ns, 40e3 + 1.05 * 400e3);
}

TEST(DownloadAdviceTest, FixedCostsTellNothingOfTheTimeAfterResults) {
  const auto advice =
      Given(Evaluating(340, "host_clock fixed_costs\n"), "download");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 20e3, 6e3);
}

TEST(DownloadAdviceTest, IdleTimeAfterFewBytesIsNotTheirs) {
  EXPECT_EQ(Given(Evaluating(400, "", 100), "download"), nullptr);
}

TEST(DownloadAdviceTest, SeveralSmallResultsAStepEmptyTheQueue) {
  const AdviceList list = AdviceOf(Reading(true, 8, 512));
  const auto advice = Given(list, "download");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->why.find("4.1 kB a step"), std::string::npos);
  EXPECT_EQ(Given(list, "sync_reads"), nullptr);
  // Each is followed by 38 us without work, in a step of 640 us.
  const double saved = 8 * 38e3;
  EXPECT_LE(advice->gain_low_ns, saved);
  EXPECT_GE(advice->gain_high_ns, saved);
  EXPECT_EQ(Given(AdviceOf(Reading(false, 8, 512)), "download"), nullptr);
}

TEST(SyncReadsAdviceTest, ReadsThatEmptyTheQueueAreNamed) {
  const AdviceList list = AdviceOf(Reading(true, 8));
  const auto advice = Given(list, "sync_reads");
  ASSERT_NE(advice, nullptr);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 8);
  EXPECT_NE(advice->act.find(".item()"), std::string::npos);
  ASSERT_FALSE(advice->evidence.calls.empty());
  EXPECT_EQ(advice->evidence.calls[0], "cudaStreamSynchronize");
  // Without them 8 x 38 us and the copies of a step of 640 are saved, at most.
  EXPECT_LE(advice->gain_low_ns, 304'000);
  EXPECT_LE(advice->gain_high_ns, 8 * 40'000);
  EXPECT_GE(advice->gain_high_ns, 8 * 20'000);
}

TEST(SyncReadsAdviceTest, WaitingForInputIsNotOfTheReads) {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 3000 * (i + 1);
    program.Step(i, at - 1, at + 2997);
    program.Copy("htod", at, at + 5, at + 10, 1000);
    for (int v = 0; v < 8; ++v) {
      const int kernel = at + 20 + 80 * v;
      program.Launch(kernel - 6, kernel, kernel + 40);
      program.Copy("dtoh", kernel - 1, kernel + 40, kernel + 42, 4);
      program.Wait(kernel + 2, kernel + 44);
    }
  }
  const AdviceList list = AdviceOf(program.text());
  EXPECT_NE(Given(list, "input"), nullptr);
  const auto advice = Given(list, "sync_reads");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "sync_reads");
  // Seven pauses of 38 us and eight copies, none of the 2300 us for input.
  EXPECT_LE(advice->evidence.ns, 8 * 40'000);
  EXPECT_LE(advice->gain_high_ns, 500'000);
}

TEST(SyncReadsAdviceTest, OneReadAStepIsEnough) {
  const AdviceList list = AdviceOf(Reading(true, 1));
  const auto advice = Given(list, "sync_reads");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "sync_reads");
  EXPECT_NE(advice->why.find("1 synchronizing read of"), std::string::npos)
      << advice->why;
}

// The queue holds work of 1 ms when the value is looked at.
TEST(SyncReadsAdviceTest, AReadBehindWhichWorkIsQueuedIsNoHarm) {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 1000 * (i + 1);
    program.Step(i, at - 60, at + 939);
    program.Launch(at - 50, at, at + 40);
    program.Copy("dtoh", at - 44, at + 40, at + 42, 4);
    program.Launch(at - 40, at + 42, at + 1000);
    program.Wait(at - 30, at + 44);
  }
  EXPECT_EQ(Given(AdviceOf(program.text()), "sync_reads"), nullptr);
}

TEST(SyncReadsAdviceTest, WithoutReadsThereIsNothingToSay) {
  const AdviceList list = AdviceOf(Reading(false, 8));
  EXPECT_EQ(Given(list, "sync_reads"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "sync_reads"), "");
}

// Eight kernels a step, each of which the host waits for before it submits the
// next one, `waits` of them.
std::string Waiting(int waits,
                    const std::string& call = "cudaStreamSynchronize") {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 1000 * (i + 1);
    program.Step(i, at - 7, at + 992);
    for (int k = 0; k < 8; ++k) {
      const bool waited = k < waits;
      const int kernel = at + 80 * k;
      program.Launch(waited ? kernel - 6 : at + 80 * waits - 6 + k - waits,
                     kernel, kernel + (waited ? 40 : 80));
      if (waited) program.Wait(kernel + 2, kernel + 44, call);
    }
  }
  return program.text();
}

TEST(SyncsAdviceTest, WaitsInTheMiddleOfAStepAreNamed) {
  const AdviceList list = AdviceOf(Waiting(8));
  const auto advice = Given(list, "syncs");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "syncs");
  EXPECT_NEAR(advice->evidence.count, 8, 0.1);  // the last has no gap
  EXPECT_NE(advice->act.find("torch.cuda.synchronize()"), std::string::npos);
  EXPECT_LE(advice->gain_high_ns, 1'000'000 - 8 * 40'000);
  EXPECT_EQ(Given(list, "sync_reads"), nullptr);
}

// Freeing waits for the GPU: it is not the program that asks for it.
TEST(FreesAdviceTest, MemoryThatEachStepGivesBackIsToBeKept) {
  const AdviceList list = AdviceOf(Waiting(4, "cudaFree"));
  const auto advice = Given(list, "frees");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "frees");
  EXPECT_NEAR(advice->evidence.count, 4, 0.1);
  EXPECT_NE(advice->act.find("empty_cache()"), std::string::npos);
  EXPECT_EQ(Given(list, "syncs"), nullptr);
  EXPECT_NE(Given(AdviceOf(Waiting(4, "cudaMalloc")), "frees"), nullptr);
  EXPECT_EQ(Given(AdviceOf(Waiting(4)), "frees"), nullptr);
}

TEST(SyncsAdviceTest, StepsWithoutWaitsAreLeftAlone) {
  const AdviceList list = AdviceOf(Waiting(0));
  EXPECT_EQ(Given(list, "syncs"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "syncs"), "");
}

// A kernel of 1 ms, and nothing for `pause_us` that the host calls nothing in.
std::string Pausing(int pause_us, bool sampled = true) {
  Program program("torch 2.11.0");
  const int step_us = 2030 + pause_us;
  for (int i = 0; i < kSteps; ++i) {
    const int at = 100 + step_us * i;
    program.Step(i, at - 10, at + step_us - 11);
    program.Launch(at - 6, at, at + 1000);
    program.Launch(at + 1004 + pause_us, at + 1010 + pause_us,
                   at + 2010 + pause_us);
    if (!sampled) continue;
    const int in_pause = at + 1004 + pause_us / 2;
    program.Add(Line("sample t=", in_pause,
                     "us thread=0 on_cpu=1 cpu=", in_pause, "us"));
  }
  return program.text();
}

TEST(PausesAdviceTest, LongPausesOfTheHostAreNamed) {
  const AdviceList list = AdviceOf(Pausing(3000));
  const auto advice = Given(list, "pauses");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "pauses");
  EXPECT_NEAR(advice->evidence.count, 1, 0.1);
  EXPECT_NE(advice->act.find("gc.collect()"), std::string::npos);
  EXPECT_LE(advice->gain_low_ns, 3'000'000);
  EXPECT_NEAR(advice->gain_high_ns, 3'000'000, 150'000);
}

// The host sleeps in its pauses, and works longer than that in short gaps.
std::string Sleeping() {
  Program program("torch 2.11.0");
  for (int i = 0, at = 100; i < kSteps; ++i) {
    program.Step(i, at - 10, at + 8039);
    program.Launch(at - 6, at, at + 1000);
    for (const int asleep_at : {at + 1020, at + 3990}) {
      program.Add(Line("sample t=", asleep_at,
                       "us thread=0 on_cpu=0 cpu=", 4000 * i, "us"));
    }
    at += 4010;
    for (int k = 0; k < 4; ++k, at += 1010) program.Launch(at - 6, at, at + 10);
  }
  return program.text();
}

TEST(PausesAdviceTest, TimeAsleepIsNoExposedTime) {
  const TraceModel model = TraceFromText(Sleeping());
  const Totals totals = TotalsOf(Summarise(model, Attribute(model)));
  const SignSums& pauses = totals.signs.of(Sign::kPauseIdle);
  EXPECT_EQ(pauses.exposed_ns, 0);
  EXPECT_GT(2 * pauses.asleep_ns, pauses.ns);
  EXPECT_LE(pauses.asleep_ns, pauses.ns);
}

TEST(PausesAdviceTest, WhatThePausesThemselvesAreIsSaid) {
  const auto advice = Given(AdviceOf(Sleeping()), "pauses");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->why.find("sleeps"), std::string::npos) << advice->why;
}

// As in a profile: the time may be the framework's own.
TEST(PausesAdviceTest, WhatNobodySawIsNotCalledAPause) {
  const AdviceList list = AdviceOf(Pausing(3000, false));
  EXPECT_EQ(Given(list, "pauses"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "pauses"), "");
}

TEST(PausesAdviceTest, ShortOnesAreTheFrameworks) {
  const AdviceList list = AdviceOf(Pausing(600));
  EXPECT_EQ(Given(list, "pauses"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "pauses"), "");
}

TEST(SyncsAdviceTest, WaitsForReadsAreNotCountedAgain) {
  const AdviceList list = AdviceOf(Reading(true, 8));
  EXPECT_EQ(Given(list, "syncs"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "syncs"), "");
}

// Forty kernels a step of 3 us, one every `each_us`, each submitted right
// before it runs, or all ahead of time.
// The host computes for `pause_us` behind them.
std::string Small(int each_us, bool ahead, int pause_us = 0) {
  Program program("torch 2.11.0");
  const int step_us = 40 * each_us + pause_us;
  for (int i = 0; i < kSteps; ++i) {
    const int step = 1000 + step_us * i;
    program.Step(i, step - (ahead ? 400 : 6),
                 step + step_us - (ahead ? 401 : 7));
    for (int k = 0; k < 40; ++k) {
      const int at = step + k * each_us;
      program.Launch(at - (ahead ? 400 : 5), at, at + 3);
    }
    if (pause_us == 0) continue;
    const int in_pause = step + step_us - pause_us / 2;
    program.Add(Line("sample t=", in_pause,
                     "us thread=0 on_cpu=1 cpu=", in_pause, "us"));
  }
  return program.text();
}

TEST(SmallKernelsAdviceTest, LaunchesThatBoundTheStepWantGraphs) {
  const AdviceList list = AdviceOf(Small(12, false));
  const auto advice = Given(list, "small_kernels");
  ASSERT_NE(advice, nullptr);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 40);
  EXPECT_LE(advice->gain_low_ns, 360'000);
  EXPECT_LE(advice->gain_high_ns, 360'001);
}

// As in a profile: 23 of 30 us between the calls are unknown.
TEST(SmallKernelsAdviceTest, ShortTimesBetweenCallsCountWithoutSamples) {
  const auto advice = Given(AdviceOf(Small(30, false)), "small_kernels");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_high_ns, 40 * 27'000, 30'000);
}

TEST(SmallKernelsAdviceTest, LongTimesBetweenCallsAreOtherWork) {
  EXPECT_EQ(Given(AdviceOf(Small(5'000, false)), "small_kernels"), nullptr);
}

// Of a metric, a reward: no graph takes it out.
TEST(SmallKernelsAdviceTest, WhatTheHostComputesInALongPauseIsNoLaunch) {
  EXPECT_EQ(Given(AdviceOf(Small(12, false, 3000)), "small_kernels"), nullptr);
  const auto advice = Given(AdviceOf(Small(100, false, 3000)), "small_kernels");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->evidence.ns, 40 * 97'000, 100'000);
  EXPECT_NEAR(advice->gain_low_ns, 0.4 * 40 * 97'000, 50'000);
}

// Forty small kernels a step, and a metric of their result on the host.
std::string SmallWithMetric(int pause_us) {
  Program program("torch 2.11.0");
  const int step_us = 40 * 12 + pause_us;
  for (int i = 0; i < kSteps; ++i) {
    const int step = 1000 + step_us * i;
    program.Step(i, step - 6, step + step_us - 7);
    for (int k = 0; k < 40; ++k) {
      const int at = step + k * 12;
      program.Launch(at - 5, at, at + 3);
    }
    const int end = step + 39 * 12 + 3;
    program.Copy("dtoh", end + 1, end + 2, end + 4, 2048);
    program.Wait(end + 3, end + 5);
    const int in_pause = step + step_us - pause_us / 2;
    program.Add(Line("sample t=", in_pause,
                     "us thread=0 on_cpu=1 cpu=", in_pause, "us"));
  }
  return program.text();
}

TEST(SmallKernelsAdviceTest, WhatTheHostMakesOfAResultIsNoLaunch) {
  const AdviceList list = AdviceOf(SmallWithMetric(3000));
  EXPECT_EQ(Given(list, "small_kernels"), nullptr);
  const auto advice = Given(list, "pauses");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "pauses");
  EXPECT_NEAR(advice->evidence.ns, 2.85e6, 2e5);  // nothing ends the last
}

TEST(PausesAdviceTest, WhereResultsAreCopiedThatAdviceComesFirst) {
  const AdviceList list = Evaluating(3000);
  ASSERT_FALSE(list.given.empty());
  EXPECT_EQ(list.given.front().id, "download");
}

TEST(SmallKernelsAdviceTest, SmallKernelsBackToBackNeedNoGraphs) {
  EXPECT_EQ(Given(AdviceOf(Small(4, true)), "small_kernels"), nullptr);
}

// Steps of 100 ms with a kernel of 10; a sample in each finds the thread ready
// to run, with `cpu_ms` more of CPU time than the one before.
std::string Starved(int cpu_ms, int steps) {
  std::string text = "process pid=1 cpus=2\n" + std::string(kH100);
  for (int i = 0; i < steps; ++i) {
    const int at = 100'000 * (i + 1);
    text += Line("range t=", at - 10, "..", at + 99'900,
                 "us thread=0 kind=step name=s") +
            Line("call t=", at, "..", at + 100,
                 "us thread=0 cublasSgemm_v2 m=64 n=64 k=64") +
            Line("launchapi t=", at + 1, "..", at + 90,
                 "us thread=0 corr=", i + 1, " ext=", at, "us") +
            Line("kernel t=", at + 110, "..", at + 10'110,
                 "us device=0 stream=7 corr=", i + 1, " name=sgemm") +
            Line("sample t=", at + 50'000,
                 "us thread=0 on_cpu=1 cpu=", cpu_ms * (i + 1), "ms");
  }
  return text;
}

TEST(BlockedAdviceTest, AThreadWithoutCpuWantsOne) {
  const AdviceList list = AdviceOf(Starved(10, 40));
  const auto advice = Given(list, "blocked");
  ASSERT_NE(advice, nullptr);
  EXPECT_GE(advice->gain_low_ns, 20e6);
  EXPECT_LE(advice->gain_high_ns, 90e6);
}

TEST(BlockedAdviceTest, FewSamplesTellNothing) {
  EXPECT_EQ(Given(AdviceOf(Starved(10, 12)), "blocked"), nullptr);
}

TEST(BlockedAdviceTest, AThreadThatRunsIsNotStarved) {
  EXPECT_EQ(Given(AdviceOf(Starved(100, 40)), "blocked"), nullptr);
}

std::string AllReduce(int dtype) {
  return "ncclAllReduce comm=1 count=1000000 datatype=" + std::to_string(dtype);
}

// A forward and a backward GEMM of 200 us; four collectives of 100 us after
// the backward pass, or beside it.
std::string Averaging(bool overlaps, int kernels,
                      const std::string& call = "cudaLaunchKernel") {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 1000 * (i + 1);
    program.Step(i, at - 20, at + 979);
    program.Launch(at - 10, at, at + 200);
    program.Add(Line("range t=", at - 5, "..", at + 5,
                     "us thread=0 kind=op name=MmBackward0 backward"));
    program.Launch(at - 4, at + 200, at + 600);
    const int comm = overlaps ? at + 200 : at + 600;
    for (int k = 0; k < kernels; ++k) {
      program.Collective(comm - 5 + 6 * k, comm + 90 * k, comm + 90 * (k + 1),
                         call);
    }
  }
  return program.text();
}

TEST(CommAdviceTest, CollectivesAfterTheBackwardPassCanOverlapIt) {
  const AdviceList list = AdviceOf(Averaging(false, 4));
  const auto advice = Given(list, "comm");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "comm");
  EXPECT_DOUBLE_EQ(advice->evidence.count, 4);
  // The last quarter has no backward pass left to hide behind.
  EXPECT_NEAR(advice->gain_high_ns, 0.75 * 360'000, 1'000);
}

TEST(CommAdviceTest, CollectivesBesideTheBackwardPassDoAlready) {
  const AdviceList list = AdviceOf(Averaging(true, 4));
  EXPECT_EQ(Given(list, "comm"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "comm"), "");
}

TEST(CommAdviceTest, ABackwardPassThatHidesCollectivesHidesNoMore) {
  // 400 us of 900 are hidden behind all of the backward pass.
  const AdviceList list = AdviceOf(Averaging(true, 10));
  EXPECT_EQ(Given(list, "comm"), nullptr);
}

TEST(CommAdviceTest, CollectivesOfTheForwardPassAreNoGradients) {
  Program program("torch 2.11.0");
  for (int i = 0; i < kSteps; ++i) {
    const int at = 1000 * (i + 1);
    program.Step(i, at - 20, at + 979);
    for (int k = 0; k < 4; ++k) {
      program.Launch(at - 10 + 110 * k, at + 110 * k, at + 110 * k + 30);
      program.Collective(at - 5 + 110 * k, at + 110 * k + 30,
                         at + 110 * k + 110);
    }
    program.Add(Line("range t=", at + 430, "..", at + 445,
                     "us thread=0 kind=op name=MmBackward0 backward"));
    program.Launch(at + 432, at + 440, at + 900);
  }
  const AdviceList list = AdviceOf(program.text());
  EXPECT_EQ(Given(list, "comm"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "comm"), "");
}

TEST(CommAdviceTest, OneCollectiveHasNothingToOverlap) {
  EXPECT_EQ(Given(AdviceOf(Averaging(false, 1)), "comm"), nullptr);
}

constexpr int kFloat = 7;
constexpr int kBfloat16 = 9;

TEST(WideGradientsAdviceTest, WhatTheBackwardPassCannotHideIsSentInFewerBits) {
  // 720 us of transfer, 400 beside the backward pass, 320 after it.
  const AdviceList list = AdviceOf(Averaging(true, 8, AllReduce(kFloat)));
  const auto advice = Given(list, "wide_gradients");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "wide_gradients");
  EXPECT_NEAR(advice->evidence.count, 8, 0.01);
  EXPECT_NE(advice->act.find("bf16_compress_hook"), std::string::npos);
  EXPECT_NE(advice->why.find("32.0 MB"), std::string::npos) << advice->why;
  // Half of it, but for 96 MB of casts at 60 % of 3.35 TB/s; at best all.
  EXPECT_NEAR(advice->gain_low_ns, 160e3 - 47.7e3, 2e3);
  EXPECT_NEAR(advice->gain_high_ns, 320e3, 2e3);
}

TEST(WideGradientsAdviceTest, HiddenOrNarrowOnesAreLeftAlone) {
  for (const std::string& text : {Averaging(true, 4, AllReduce(kFloat)),
                                  Averaging(true, 8, AllReduce(kBfloat16))}) {
    const AdviceList list = AdviceOf(text);
    EXPECT_EQ(Given(list, "wide_gradients"), nullptr);
    EXPECT_EQ(WhyHeldBack(list, "wide_gradients"), "");
  }
}

}  // namespace
}  // namespace dltap::analyzer
