// SPDX-License-Identifier: Apache-2.0
// Which of the host's time feeds a step.
#include "analyzer/metrics/idle/input_spans.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/metrics/gap_program.h"

namespace dltap::analyzer {
namespace {

constexpr char kTrainingStep[] =
    "device 0 name=gpu\n"
    "call t=0..5us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
    "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
    "kernel t=10..100us device=0 stream=7 corr=1 name=sgemm\n"
    "call t=110..115us thread=0 cudaMemcpyAsync\n"
    "launchapi t=111..114us thread=0 corr=2\n"
    "memcpy t=118..120us device=0 stream=7 corr=2 kind=dtoh bytes=4\n"
    "call t=116..122us thread=0 cudaStreamSynchronize\n";

TEST(InputSpansTest, TheLoaderIsInputWhateverFillsComeBeforeTheCopy) {
  // The loader works from 122 to 200, then a fill, 10 us, then the copy.
  const Found found(
      std::string(kTrainingStep) +
          "call t=200..205us thread=0 cudaMemsetAsync\n"
          "launchapi t=201..204us thread=0 corr=3\n"
          "memset t=208..209us device=0 stream=7 corr=3 bytes=64\n"
          "call t=220..240us thread=0 cudaMemcpyAsync\n"
          "launchapi t=221..239us thread=0 corr=4\n"
          "memcpy t=238..242us device=0 stream=7 corr=4 kind=htod bytes=64 "
          "src=pageable dst=device\n"
          "call t=250..255us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
          "launchapi t=251..254us thread=0 corr=5 ext=250us\n"
          "kernel t=258..300us device=0 stream=7 corr=5 name=sgemm\n",
      Steps{StepsFoundBy::kPeriod, {{0, 200'000}, {200'000, 300'000}}});
  ASSERT_EQ(found.gaps.size(), 4);
  EXPECT_TRUE(found.gaps[0].between_steps);  // .item() ends the step
  const Gap& loader = found.gaps[1];
  EXPECT_TRUE(loader.between_steps);
  EXPECT_EQ(Us(loader, IdleCause::kWait), 2);
  EXPECT_EQ(Us(loader, IdleCause::kInput), 78);
  EXPECT_EQ(Us(loader, IdleCause::kLaunch), 5);
  EXPECT_EQ(Us(loader, IdleCause::kLatency), 3);
  EXPECT_EQ(loader.drained_by, DrainedBy::kSync);
  // 209 to 238: 11 us to the copy, 18 in it while the data is staged. Only a
  // fill has run since the wait, so it still is what drained the queue.
  const Gap& copy = found.gaps[2];
  EXPECT_EQ(Us(copy, IdleCause::kInput), 11 + 18);
  EXPECT_EQ(copy.drained_by, DrainedBy::kSync);
  EXPECT_EQ(Us(found.gaps[3], IdleCause::kInput), 0);
}

TEST(InputSpansTest, WhoLoadsModulesFeedsNothing) {
  // The step is compiled anew until 170, then the next batch is copied.
  const Found found(
      std::string(kTrainingStep) +
          "call t=150..170us thread=0 cuModuleLoadData\n"
          "call t=200..205us thread=0 cudaMemcpyAsync\n"
          "launchapi t=201..204us thread=0 corr=4\n"
          "memcpy t=208..212us device=0 stream=7 corr=4 kind=htod bytes=64\n"
          "call t=214..219us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
          "launchapi t=215..218us thread=0 corr=5 ext=214us\n"
          "kernel t=220..300us device=0 stream=7 corr=5 name=sgemm\n",
      Steps{StepsFoundBy::kPeriod, {{0, 200'000}, {200'000, 300'000}}});
  ASSERT_EQ(found.gaps.size(), 3);
  const Gap& loader = found.gaps[1];
  EXPECT_EQ(Us(loader, IdleCause::kWait), 2);
  EXPECT_EQ(Us(loader, IdleCause::kInput), 30);
  // The load itself and what lies before it; no samples tell of them.
  EXPECT_EQ(Us(loader, IdleCause::kUnknown), 170 - 122);
}

TEST(InputSpansTest, WhatIsCopiedForTrialsIsNoInput) {
  const auto copied_before = [](const std::string& call) {
    return Found(std::string(kTrainingStep) +
                 "call t=200..205us thread=0 cudaMemcpyAsync\n"
                 "launchapi t=201..204us thread=0 corr=4\n"
                 "memcpy t=208..212us device=0 stream=7 corr=4 kind=htod "
                 "bytes=64\n"
                 "call t=214..260us thread=0 " +
                 call +
                 "\n"
                 "launchapi t=215..218us thread=0 corr=5 ext=214us\n"
                 "kernel t=220..300us device=0 stream=7 corr=5 name=conv\n");
  };
  const Found trials = copied_before("cudnnFindConvolutionForwardAlgorithm");
  EXPECT_EQ(Us(trials.gaps.at(1), IdleCause::kInput), 0);
  const Found work = copied_before("cudnnConvolutionForward");
  EXPECT_EQ(Us(work.gaps.at(1), IdleCause::kInput), 78);
}

TEST(InputSpansTest, AMaskThatIsCopiedInTheForwardPassIsNoInput) {
  const Found found(
      std::string(kFirstKernel) +
          "call t=180..190us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
          "launchapi t=181..189us thread=0 corr=2 ext=180us\n"
          "kernel t=195..200us device=0 stream=7 corr=2 name=sgemm\n"
          "call t=280..290us thread=0 cudaMemcpyAsync\n"
          "launchapi t=281..289us thread=0 corr=3\n"
          "memcpy t=295..300us device=0 stream=7 corr=3 kind=htod bytes=64\n",
      Steps{StepsFoundBy::kPeriod, {{0, 300'000}}});
  ASSERT_EQ(found.gaps.size(), 2);
  EXPECT_EQ(Us(found.gaps[1], IdleCause::kInput), 0);
  EXPECT_EQ(Us(found.gaps[1], IdleCause::kUnknown), 80);
}

// A product at `at` us; on thread 1 it is a gradient.
std::string ProductAt(int at, int thread) {
  const auto us = [at](int more) { return std::to_string(at + more); };
  return "call t=" + us(0) + ".." + us(5) +
         "us thread=" + std::to_string(thread) +
         " cublasSgemm_v2 m=64 n=64 k=64\n" + "launchapi t=" + us(1) + ".." +
         us(4) + "us thread=" + std::to_string(thread) + " corr=" + us(0) +
         " ext=" + us(0) + "us\nkernel t=" + us(6) + ".." + us(9) +
         "us device=0 stream=7 corr=" + us(0) + " name=sgemm\n";
}

std::string CopyAt(int at, const std::string& kind = "htod", int bytes = 64) {
  const auto us = [at](int more) { return std::to_string(at + more); };
  return "call t=" + us(0) + ".." + us(5) + "us thread=0 cudaMemcpyAsync\n" +
         "launchapi t=" + us(1) + ".." + us(4) + "us thread=0 corr=" + us(0) +
         "\nmemcpy t=" + us(6) + ".." + us(9) +
         "us device=0 stream=7 corr=" + us(0) + " kind=" + kind +
         " bytes=" + std::to_string(bytes) + "\n";
}

Found OfOneStep(const std::string& text) {
  return Found(
      "device 0 name=gpu\nthread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n" +
          text,
      Steps{StepsFoundBy::kPeriod, {{0, 500'000}}});
}

// Two batches before an update: the second one's gradients are added.
TEST(InputSpansTest, TheNextBatchOfAStepIsInput) {
  const Found batches =
      OfOneStep(CopyAt(0) + ProductAt(10, 0) + ProductAt(20, 1) + CopyAt(100) +
                ProductAt(110, 0) + ProductAt(120, 1));
  EXPECT_EQ(Us(batches.gaps.at(2), IdleCause::kInput), 71);
  // A mask in the backward pass is none.
  const Found mask = OfOneStep(CopyAt(0) + ProductAt(10, 0) + ProductAt(20, 1) +
                               CopyAt(100) + ProductAt(110, 1));
  EXPECT_EQ(Us(mask.gaps.at(2), IdleCause::kInput), 0);
}

TEST(InputSpansTest, TheNextBatchMadeBeforeTheGradientsOfThisOneIsInput) {
  const std::string ahead = CopyAt(0) + ProductAt(10, 0) + CopyAt(100) +
                            ProductAt(110, 1) + ProductAt(120, 0) +
                            CopyAt(200) + ProductAt(210, 1);
  const Found found = OfOneStep(ahead);
  EXPECT_EQ(Us(found.gaps.at(1), IdleCause::kInput), 81);
  // Where each batch is copied before its pass, targets are after it.
  const Found targets = OfOneStep(
      CopyAt(0) + ProductAt(10, 0) + CopyAt(100) + ProductAt(110, 1) +
      CopyAt(120) + ProductAt(130, 0) + CopyAt(200) + ProductAt(210, 1));
  EXPECT_EQ(Us(targets.gaps.at(1), IdleCause::kInput), 0);
}

TEST(InputSpansTest, TheHostsAnswerToAResultIsInput) {
  // A token goes to the host, which makes the next one of it: in the middle
  // of a step as well.
  const Found found(
      std::string(kTrainingStep) +
          "call t=180..190us thread=0 cudaMemcpyAsync\n"
          "launchapi t=181..189us thread=0 corr=3\n"
          "memcpy t=195..200us device=0 stream=7 corr=3 kind=htod bytes=64\n",
      Steps{StepsFoundBy::kPeriod, {{0, 200'000}}});
  ASSERT_EQ(found.gaps.size(), 2);
  EXPECT_EQ(Us(found.gaps[1], IdleCause::kInput), 58);
}

// Pairs that match are found on the host (DETR).
TEST(InputSpansTest, WhatTheHostMakesOfAResultForTheLossIsNoInput) {
  const std::string before_loss =
      ProductAt(10, 0) + CopyAt(20, "dtoh") + CopyAt(100) + ProductAt(110, 1);
  const Found found = OfOneStep(CopyAt(0) + before_loss);
  EXPECT_EQ(Us(found.gaps.at(2), IdleCause::kInput), 0);
  const Found no_batches =
      OfOneStep(before_loss + ProductAt(210, 0) + CopyAt(220, "dtoh") +
                CopyAt(300) + ProductAt(310, 1));
  EXPECT_EQ(Us(no_batches.gaps.at(1), IdleCause::kInput), 0);
  EXPECT_EQ(Us(no_batches.gaps.at(5), IdleCause::kInput), 0);
}

TEST(InputSpansTest, TheLastAnswerOfAnEnvironmentIsInputAsTheOthersAre) {
  const Found found =
      OfOneStep(CopyAt(0) + ProductAt(10, 0) + CopyAt(20, "dtoh") +
                CopyAt(100) + ProductAt(110, 0) + CopyAt(120, "dtoh") +
                CopyAt(200) + ProductAt(210, 1));
  EXPECT_EQ(Us(found.gaps.at(2), IdleCause::kInput), 71);
  EXPECT_EQ(Us(found.gaps.at(5), IdleCause::kInput), 71);
}

// Gradients that the host sums up (gloo, an optimizer on the CPU).
TEST(InputSpansTest, WhatTheHostMakesOfGradientsForTheUpdateIsNoInput) {
  const std::string gradients = CopyAt(0) + ProductAt(10, 0) +
                                ProductAt(20, 1) + CopyAt(30, "dtoh") +
                                CopyAt(40, "dtoh");
  const Found found = OfOneStep(gradients + CopyAt(100) + ProductAt(110, 1));
  EXPECT_EQ(Us(found.gaps.at(4), IdleCause::kInput), 0);
  // Nor where the steps are said to begin there, after the longest pause.
  const Found begins(
      "device 0 name=gpu\nthread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n" +
          gradients + CopyAt(100) + ProductAt(110, 1),
      Steps{StepsFoundBy::kPeriod, {{0, 100'000}, {100'000, 500'000}}});
  EXPECT_EQ(Us(begins.gaps.at(4), IdleCause::kInput), 0);
  // Not what came from the device: a batch, fetched before the update.
  const Found batch =
      OfOneStep(gradients + CopyAt(100, "htod", 48) + ProductAt(110, 1));
  EXPECT_EQ(Us(batch.gaps.at(4), IdleCause::kInput), 51);
}

TEST(InputSpansTest, ALoadersRangeSaysWhereInputBegins) {
  const Found found(
      std::string(kTrainingStep) +
      "range t=150..170us thread=0 kind=user "
      "name=\"enumerate(DataLoader)#_Single.__next__\"\n"
      "call t=180..190us thread=0 cudaMemcpyAsync\n"
      "launchapi t=181..189us thread=0 corr=3\n"
      "memcpy t=195..200us device=0 stream=7 corr=3 kind=htod bytes=64\n");
  ASSERT_EQ(found.gaps.size(), 2);
  EXPECT_EQ(Us(found.gaps[1], IdleCause::kInput), 30);    // 150 to 180
  EXPECT_EQ(Us(found.gaps[1], IdleCause::kUnknown), 28);  // 122 to 150
}

// TensorFlow names the copy of a batch to the device by what it copies.
TEST(InputSpansTest, TheRangeOfABatchsCopyIsNoLoaders) {
  const auto input_us = [](const std::string& name) {
    const Found found(
        std::string(kTrainingStep) +
        "range t=175..192us thread=0 kind=nvtx name=\"" + name +
        "\"\n"
        "call t=180..190us thread=0 cudaMemcpyAsync\n"
        "launchapi t=181..189us thread=0 corr=3\n"
        "memcpy t=195..200us device=0 stream=7 corr=3 kind=htod bytes=64\n");
    return Us(found.gaps.at(1), IdleCause::kInput);
  };
  EXPECT_EQ(input_us("#edge_name=edge_3_IteratorGetNext#"), 58);
  EXPECT_EQ(input_us("IteratorGetNext#id=3#"), 5);
}

}  // namespace
}  // namespace dltap::analyzer
