// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/spin_lock.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <thread>

namespace dltap::shim {
namespace {

int64_t CpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Of the threads that are begun meanwhile, one runs at a time.
class OneCpu {
 public:
  OneCpu() {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~OneCpu() { sched_setaffinity(0, sizeof(before_), &before_); }

 private:
  cpu_set_t before_;
};

TEST(SpinLockTest, AThreadThatLostItsCpuWhileItHoldsTheLockGetsItBack) {
  const OneCpu one;
  SpinLock lock;
  std::atomic<bool> is_held = false;
  std::thread holder([&] {
    ASSERT_TRUE(lock.TryLock());
    is_held = true;
    const int64_t begin_ns = CpuNs();
    while (CpuNs() - begin_ns < 2'000'000) {
    }
    lock.Unlock();
  });
  while (!is_held) sched_yield();
  EXPECT_TRUE(lock.TryLock());
  holder.join();
}

// It was copied by a fork: nobody will release it.
TEST(SpinLockTest, OneThatNobodyReleasesIsGivenUp) {
  SpinLock lock;
  ASSERT_TRUE(lock.TryLock());
  EXPECT_FALSE(lock.TryLock());
  EXPECT_FALSE(lock.TryLock());
  lock.Unlock();
  EXPECT_TRUE(lock.TryLock());
}

}  // namespace
}  // namespace dltap::shim
