// SPDX-License-Identifier: Apache-2.0
// Threads that wait for the collector, which the test plays.
#include "shim/tap/runtime/collector_requests.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

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
    g_process.end_wait_ns.store(0);
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

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A thread that plays the collector, for as long as it lives: runs `life`, then
// answers what has been asked.
class Player {
 public:
  explicit Player(std::function<void()> life)
      : thread_([this, life = std::move(life)] {
          tid_.store(static_cast<uint32_t>(gettid()));
          life();
          AnswerRequest(NewestRequest());
        }) {
    while (tid_.load() == 0) std::this_thread::yield();
    g_process.collector_tid.store(tid_.load());
  }
  ~Player() { thread_.join(); }

 private:
  std::atomic<uint32_t> tid_{0};
  std::thread thread_;
};

// Of all that want this CPU for some time, a thread of the least weight has
// next to nothing; afterwards it has all.
class BusyCpu {
 public:
  explicit BusyCpu(milliseconds time) : end_(Clock::now() + time) {
    cpu_set_t all;
    sched_getaffinity(0, sizeof(all), &all);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&set_);
    CPU_SET(first, &set_);
    for (int i = 0; i < 3; ++i) {
      spinners_.emplace_back([this] {
        sched_setaffinity(0, sizeof(set_), &set_);
        while (Clock::now() < end_) {
        }
      });
    }
  }
  ~BusyCpu() {
    for (std::thread& spinner : spinners_) spinner.join();
  }
  // Of the calling thread.
  void Starve() {
    const sched_param none = {};
    sched_setscheduler(0, SCHED_IDLE, &none);
    sched_setaffinity(0, sizeof(set_), &set_);
    while (Clock::now() < end_) {
    }
  }

 private:
  Clock::time_point end_;
  cpu_set_t set_;
  std::vector<std::thread> spinners_;
};

// Whether a pass was done, and how long that took.
struct Waited {
  bool done;
  milliseconds time;
};
Waited WaitFor(Finish what) {
  const Clock::time_point begin = Clock::now();
  const bool done = FinishPass(what);
  return {done, std::chrono::duration_cast<milliseconds>(Clock::now() - begin)};
}

TEST_F(CollectorRequestsTest, WhatGetsNoCpuInForeignCodeIsNotTakenToHang) {
  NoteForeignCode(true);
  BusyCpu cpu(milliseconds(700));
  const Player collector([&] { cpu.Starve(); });
  EXPECT_TRUE(WaitFor(Finish::kDrain).done);
  EXPECT_EQ(g_process.given_up.load(), 0u);
}

TEST_F(CollectorRequestsTest, AtTheEndWhatGetsNoCpuHasMoreTime) {
  BusyCpu cpu(milliseconds(3500));
  const Player collector([&] { cpu.Starve(); });
  const Waited waited = WaitFor(Finish::kEnd);
  EXPECT_TRUE(waited.done);
  EXPECT_GT(waited.time, seconds(2));
  EXPECT_TRUE(IsExitAwaited());
}

TEST_F(CollectorRequestsTest, AllWaitsOfTheEndTakeTenSeconds) {
  g_process.end_wait_ns.store(7'000'000'000);
  BusyCpu cpu(milliseconds(4500));
  const Player collector([&] { cpu.Starve(); });
  const Waited waited = WaitFor(Finish::kEnd);
  EXPECT_FALSE(waited.done);
  EXPECT_GE(waited.time, seconds(3));
  EXPECT_LT(waited.time, milliseconds(4200));
  EXPECT_GE(g_process.end_wait_ns.load(), 10'000'000'000u);
  EXPECT_FALSE(IsExitAwaited());
}

// In the vendor's code it waits, looks now and then, or spins for ever. The
// last two may have to wait for a CPU now and then.
TEST_F(CollectorRequestsTest, WhatHangsAtTheEndIsGivenUpAfterTwoSeconds) {
  NoteForeignCode(true);
  const std::function<void()> ways[] = {
      [] { std::this_thread::sleep_for(seconds(4)); },
      [] { std::this_thread::sleep_for(milliseconds(2)); }, [] {}};
  for (const auto& once : ways) {
    std::atomic<bool> over{false};
    const Player collector([&] {
      while (!over) once();
    });
    const Waited waited = WaitFor(Finish::kExit);
    EXPECT_FALSE(waited.done);
    EXPECT_GE(waited.time, seconds(2));
    EXPECT_LT(waited.time, seconds(&once == ways ? 3 : 9));
    EXPECT_FALSE(IsExitAwaited());
    over = true;
  }
}

}  // namespace
}  // namespace dltap::shim
