// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_watch.h"

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

TEST(ThreadStatTest, NameAndState) {
  ThreadStat stat;
  ASSERT_TRUE(ParseThreadStat("17 (python) R 1 17 17 0", &stat));
  EXPECT_STREQ(stat.name, "python");
  EXPECT_EQ(stat.state, trace::ThreadState::kRunning);
}

TEST(ThreadStatTest, NameMayHoldParenthesesAndSpaces) {
  ThreadStat stat;
  ASSERT_TRUE(ParseThreadStat("17 (a) S (b) D 1 17", &stat));
  EXPECT_STREQ(stat.name, "a) S (b");
  EXPECT_EQ(stat.state, trace::ThreadState::kDisk);
}

TEST(ThreadStatTest, ThreadsAndStart) {
  ThreadStat stat;
  ASSERT_TRUE(ParseThreadStat(
      "17 (a b) S 1 2 3 0 -1 4194560 5 6 7 8 9 10 11 12 20 0 4 0 48300 1 2",
      &stat));
  EXPECT_EQ(stat.threads, 4u);
  EXPECT_EQ(stat.start_ns, 483'000'000'000u);
}

// A thread has got the id of one that ended before anybody looked.
TEST(ThreadStatTest, ThreadThatBeganAfterTheOtherWasAtWorkIsNewer) {
  ThreadStat stat = {};
  stat.start_ns = 483'000'000'000;
  EXPECT_FALSE(IsNewer(stat, 483'400'000'000));
  EXPECT_FALSE(IsNewer(stat, 483'000'000'000));
  EXPECT_TRUE(IsNewer(stat, 482'000'000'000));
}

TEST(ThreadStatTest, MalformedIsRefused) {
  ThreadStat stat;
  EXPECT_FALSE(ParseThreadStat("", &stat));
  EXPECT_FALSE(ParseThreadStat("17 (python", &stat));
  EXPECT_FALSE(ParseThreadStat("17 (python)", &stat));
}

TEST(RunDelayTest, IsTheSecondNumber) {
  uint64_t run_delay_ns = 1;
  ASSERT_TRUE(ParseRunDelay("55 9030655 1\n", &run_delay_ns));
  EXPECT_EQ(run_delay_ns, 9'030'655u);
  ASSERT_TRUE(ParseRunDelay("55 0 1\n", &run_delay_ns));
  EXPECT_EQ(run_delay_ns, 0u);
}

// Without CONFIG_SCHEDSTATS, and with delay accounting off, the file is there.
TEST(RunDelayTest, OfAKernelThatDoesNotCountIsNotKnown) {
  uint64_t run_delay_ns = 0;
  EXPECT_FALSE(ParseRunDelay("0 0 0\n", &run_delay_ns));
}

TEST(NextLookTest, IsSoonWhileAThreadIsAtWork) {
  EXPECT_EQ(NextLookNs(20'000, true), 25'000'000u);
  EXPECT_EQ(NextLookNs(20'000, false), 100'000'000u);
}

TEST(NextLookTest, ManyThreadsAreLookedAtAsOftenAsOnePartIn250OfACpuAllows) {
  EXPECT_EQ(NextLookNs(200'000, true), 50'000'000u);
  EXPECT_EQ(NextLookNs(1'000'000, true), 100'000'000u);
}

TEST(NextIdleLookTest, AThreadThatRunsWithoutCallsIsLookedAtAsOften) {
  EXPECT_EQ(NextIdleLookNs(3'000'000'000, 3'000'000'000, 1'000'000'000),
            25'000'000u);
  EXPECT_EQ(NextIdleLookNs(25'000'000, 25'000'000, 20'000'000), 25'000'000u);
}

TEST(NextIdleLookTest, OneThatRestsIsLookedAtLessAndLessOften) {
  EXPECT_EQ(NextIdleLookNs(0, 25'000'000, 0), 25'000'000u);
  EXPECT_EQ(NextIdleLookNs(25'000'000, 25'000'000, 10'000), 50'000'000u);
  EXPECT_EQ(NextIdleLookNs(2'000'000'000, 2'000'000'000, 0), 3'000'000'000u);
  EXPECT_EQ(NextIdleLookNs(3'000'000'000, 3'000'000'000, 0), 3'000'000'000u);
}

TEST(RunDelayTest, MalformedIsRefused) {
  uint64_t run_delay_ns = 0;
  for (const char* line : {"", "55", "55 ", "55 -1 1", "55 x 1", "55 9"}) {
    EXPECT_FALSE(ParseRunDelay(line, &run_delay_ns)) << line;
  }
}

// Without CONFIG_SCHEDSTATS and delay accounting the file has three zeroes.
TEST(RunDelayTest, AKernelThatDoesNotCountSaysNothing) {
  uint64_t run_delay_ns = 0;
  EXPECT_FALSE(ParseRunDelay("0 0 0\n", &run_delay_ns));
}

}  // namespace
}  // namespace dltap::shim
