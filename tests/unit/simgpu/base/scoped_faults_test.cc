// SPDX-License-Identifier: Apache-2.0
// The test's environment is rank 2 of 4, in virtual time, with the faults
// gpu:2@10-20:x0.5 gpu:1:x0.1 host:2@30-40:x0.1 host:2@42-44:x1000
// host:2@44-48:x0.1 dead:2@50. Its tests run one after the other.
#include "simgpu/base/scoped_faults.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "simgpu/base/clock.h"
#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

class ScopedFaultsTest : public RuntimeTest {
 protected:
  // Since the run began.
  static void WaitUntilSecond(double second) {
    dltap::simgpu::WaitUntil(dltap::simgpu::ClockStart() +
                             static_cast<int64_t>(second * 1e9));
  }
  float MillisecondsOf(const std::function<void()>& work) {
    cudaEvent_t before = nullptr;
    cudaEvent_t after = nullptr;
    EXPECT_OK(cudaEventCreate(&before));
    EXPECT_OK(cudaEventCreate(&after));
    EXPECT_OK(cudaEventRecord(before, stream_));
    work();
    EXPECT_OK(cudaEventRecord(after, stream_));
    EXPECT_OK(cudaEventSynchronize(after));
    float ms = 0;
    EXPECT_OK(cudaEventElapsedTime(&ms, before, after));
    return ms;
  }
  float KernelMs() {
    return MillisecondsOf([this] { LaunchScale(data_, 1'000'000, stream_); });
  }
  static int64_t CostOfACall() {
    const int64_t before = dltap::simgpu::SimNow();
    size_t free = 0;
    size_t total = 0;
    EXPECT_OK(cudaMemGetInfo(&free, &total));
    return dltap::simgpu::SimNow() - before;
  }
  int64_t CostOfAPoll() {
    const int64_t before = dltap::simgpu::SimNow();
    cudaStreamQuery(stream_);
    return dltap::simgpu::SimNow() - before;
  }
};

TEST_F(ScopedFaultsTest, TheyHoldForTheirTimeAndRank) {
  const float sound_ms = KernelMs();
  const int64_t sound_ns = CostOfACall();
  ASSERT_GT(sound_ns, 0);
  WaitUntilSecond(10);
  EXPECT_NEAR(KernelMs() / sound_ms, 2, 0.01);
  EXPECT_EQ(CostOfACall(), sound_ns);
  WaitUntilSecond(20);
  EXPECT_NEAR(KernelMs() / sound_ms, 1, 0.01);
  WaitUntilSecond(30);
  EXPECT_EQ(CostOfACall(), 10 * sound_ns);
  WaitUntilSecond(40);
  EXPECT_EQ(CostOfACall(), sound_ns);
}

// Else the thread would poll for ever.
TEST_F(ScopedFaultsTest, APollMovesTimeOnTheFastestHost) {
  WaitUntilSecond(42);
  KernelMs();
  ASSERT_EQ(dltap::simgpu::HostSpeed(0, dltap::simgpu::SimNow()), 1000);
  EXPECT_GT(CostOfAPoll(), 0);
}

// How often a watchdog asks depends on real time.
TEST_F(ScopedFaultsTest, AThreadThatOnlyLooksOnCostsNothingOnASlowHost) {
  WaitUntilSecond(44);
  ASSERT_EQ(dltap::simgpu::HostSpeed(0, dltap::simgpu::SimNow()), 0.1);
  int64_t cost_ns = -1;
  std::thread([&] { cost_ns = CostOfAPoll(); }).join();
  EXPECT_EQ(cost_ns, 0);
}

TEST_F(ScopedFaultsTest, ADeadRankIsKilledAtItsNextCall) {
  WaitUntilSecond(49.9);
  EXPECT_GT(CostOfACall(), 0);
  WaitUntilSecond(50);
  EXPECT_EXIT(CostOfACall(), testing::KilledBySignal(SIGKILL), "");
  // The test's own end makes calls as well.
  _exit(testing::UnitTest::GetInstance()->Failed() ? 1 : 0);
}

}  // namespace
