// SPDX-License-Identifier: Apache-2.0
// Threads that wait for the collector, which the test plays.
#include "shim/tap/runtime/collector_requests.h"

#include <unistd.h>

#include <thread>

#include "gtest/gtest.h"
#include "shim/tap/runtime/losses.h"

namespace dltap::shim {
namespace {

class CollectorRequestsTest : public testing::Test {
 protected:
  CollectorRequestsTest() {
    g_process.collector_tid.store(static_cast<uint32_t>(gettid()));
    SetCollectorState(CollectorState::kReady);
  }
  ~CollectorRequestsTest() override {
    g_process.collector.store(0);
    g_process.collector_tid.store(0);
    g_process.given_up.store(0);
    NoteForeignCode(false);
  }

  static void AwaitRequests(uint32_t count) {
    while (NewestRequest().number < count) std::this_thread::yield();
  }
};

TEST_F(CollectorRequestsTest, OneAnswerIsForAllWhoHaveAsked) {
  const uint32_t before = NewestRequest().number;
  bool done[3] = {};
  std::thread threads[3];
  for (int i = 0; i < 3; ++i) {
    threads[i] = std::thread([&, i] { done[i] = FinishPass(Finish::kDrain); });
  }
  AwaitRequests(before + 3);
  const PassRequest newest = NewestRequest();
  EXPECT_TRUE(newest.is_open);
  AnswerRequest(newest);
  for (std::thread& thread : threads) thread.join();
  for (const bool is_done : done) EXPECT_TRUE(is_done);
  EXPECT_FALSE(NewestRequest().is_open);
}

TEST_F(CollectorRequestsTest, TheMostThatIsWantedStays) {
  const uint32_t before = NewestRequest().number;
  std::thread exits([] { FinishPass(Finish::kExit); });
  AwaitRequests(before + 1);
  std::thread drains([] { FinishPass(Finish::kDrain); });
  AwaitRequests(before + 2);
  EXPECT_EQ(NewestRequest().wanted, Finish::kExit);
  AnswerRequest(NewestRequest());
  exits.join();
  drains.join();
}

// As in a constructor, which runs under the loader's lock.
TEST_F(CollectorRequestsTest, WhatHangsInForeignCodeIsNotWaitedForTwice) {
  NoteForeignCode(true);
  // A thread that does nothing plays the collector.
  std::atomic<bool> over{false};
  std::atomic<uint32_t> tid{0};
  std::thread idle([&] {
    tid.store(static_cast<uint32_t>(gettid()));
    over.wait(false);
  });
  while (tid.load() == 0) std::this_thread::yield();
  g_process.collector_tid.store(tid.load());
  EXPECT_FALSE(FinishPass(Finish::kDrain));
  EXPECT_EQ(g_process.given_up.load(), g_process.turns.load() + 1);
  EXPECT_FALSE(FinishPass(Finish::kDrain));
  // It has come back.
  AnswerRequest(NewestRequest());
  EXPECT_NE(g_process.given_up.load(), g_process.turns.load() + 1);
  over.store(true);
  over.notify_all();
  idle.join();
}

TEST_F(CollectorRequestsTest, WhoWaitsForAFailedSessionIsReleased) {
  SetCollectorState(CollectorState::kOpening);
  bool came = true;
  std::thread waits([&] { came = WaitForState(CollectorState::kOpen); });
  SetCollectorState(CollectorState::kFailed);
  waits.join();
  EXPECT_FALSE(came);
}

// The limit is reached, or the disk full, just when the program ends.
TEST_F(CollectorRequestsTest, WhoAsksACollectorThatLeavesIsReleased) {
  const uint32_t before = NewestRequest().number;
  bool released = false;
  std::thread exits([&] { released = FinishPass(Finish::kEnd); });
  AwaitRequests(before + 1);
  SetCollectorState(CollectorState::kFailed);
  exits.join();
  EXPECT_TRUE(released);
  AnswerRequest(NewestRequest());
}

}  // namespace
}  // namespace dltap::shim
