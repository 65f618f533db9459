// SPDX-License-Identifier: Apache-2.0
// Kernels of several streams share the SMs. An H100 SXM has room for 8 blocks
// of 256 threads on each of its 132 SMs: 1056 blocks fill it.
#include <array>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr int kFull = 1056 * 8;  // eight waves
constexpr int kLong = 1 << 20;
constexpr int kThird = 1056 * 3 / 10;

class ConcurrencyTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    for (auto& stream : streams_) {
      ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    for (auto& event : ends_) ASSERT_OK(cudaEventCreate(&event));
    ASSERT_OK(cudaEventCreate(&start_));
  }
  void TearDown() override {
    for (auto& stream : streams_) cudaStreamDestroy(stream);
    for (auto& event : ends_) cudaEventDestroy(event);
    cudaEventDestroy(start_);
    RuntimeTest::TearDown();
  }

  // All streams begin at the same device time, after what launched `start`.
  void Start() {
    ASSERT_OK(cudaDeviceSynchronize());
    recorded_ = false;
    LaunchScale(data_, kLong, stream_);  // while the host submits the rest
    ASSERT_OK(cudaEventRecord(start_, stream_));
    for (auto& stream : streams_) {
      ASSERT_OK(cudaStreamWaitEvent(stream, start_, 0));
    }
  }
  // When the stream's work ends, from the start on.
  double EndOf(int stream) {
    for (int i = 0; i < 3 && !recorded_; ++i) {
      EXPECT_OK(cudaEventRecord(ends_[i], streams_[i]));
    }
    recorded_ = true;
    EXPECT_OK(cudaEventSynchronize(ends_[stream]));
    float ms = 0;
    EXPECT_OK(cudaEventElapsedTime(&ms, start_, ends_[stream]));
    return ms;
  }
  double Alone(int blocks) {
    Start();
    LaunchScale(data_, blocks, streams_[0]);
    return EndOf(0);
  }

  std::array<cudaStream_t, 3> streams_{};
  std::array<cudaEvent_t, 3> ends_{};
  cudaEvent_t start_ = nullptr;
  bool recorded_ = false;  // ends_
};

TEST_F(ConcurrencyTest, KernelsThatFillTheDeviceFollowEachOther) {
  const double alone = Alone(kFull);
  Start();
  LaunchScale(data_, kFull, streams_[0]);
  LaunchScale(data_, kFull, streams_[1]);
  EXPECT_NEAR(alone, EndOf(0), 0.02 * alone);
  EXPECT_NEAR(2 * alone, EndOf(1), 0.2 * alone);
}

TEST_F(ConcurrencyTest, SmallKernelsRunSideBySide) {
  const double alone = Alone(kThird);
  Start();
  for (auto& stream : streams_) LaunchScale(data_, kThird, stream);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(alone, EndOf(i), 1e-6);
}

TEST_F(ConcurrencyTest, WhatIsLeftSlowsTheLastKernelDown) {
  const double alone = Alone(2 * kThird);
  Start();
  for (auto& stream : streams_) LaunchScale(data_, 2 * kThird, stream);
  EXPECT_NEAR(alone, EndOf(0), 0.02 * alone);
  // 0.6 + 0.6 + 0.6 of the device: the second gets 0.4 at first, the third
  // nothing until the first is over.
  EXPECT_GT(EndOf(1), 1.2 * alone);
  EXPECT_LT(EndOf(1), 1.6 * alone);
  EXPECT_GT(EndOf(2), 1.7 * alone);
  EXPECT_LT(EndOf(2), 2.4 * alone);
}

TEST_F(ConcurrencyTest, SmallKernelFindsTheGapBeforeQueuedWork) {
  const double alone = Alone(kFull);
  Start();
  // Stream 1 is busy with a copy for long; its kernel is known to come later.
  void* host = nullptr;
  ASSERT_OK(cudaMallocHost(&host, kBytes));
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(cudaMemcpyAsync(host, data_, kBytes, cudaMemcpyDeviceToHost,
                              streams_[1]));
  }
  LaunchScale(data_, kFull, streams_[1]);
  LaunchScale(data_, kFull, streams_[0]);
  EXPECT_NEAR(alone, EndOf(0), 0.02 * alone);
  EXPECT_GT(EndOf(1), 10 * alone);
  EXPECT_OK(cudaFreeHost(host));
}

TEST_F(ConcurrencyTest, UrgentStreamOvertakesWhatHasNotBegun) {
  const double alone = Alone(kFull);
  cudaStream_t urgent = nullptr;
  ASSERT_OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -5));
  std::swap(urgent, streams_[2]);
  Start();
  LaunchScale(data_, kFull, streams_[0]);
  LaunchScale(data_, kFull, streams_[2]);
  EXPECT_NEAR(alone, EndOf(2), 0.02 * alone);
  // The SM time it took is missing for those that come after.
  Start();
  LaunchScale(data_, kFull, streams_[0]);
  LaunchScale(data_, kFull, streams_[2]);
  LaunchScale(data_, kFull, streams_[1]);
  EXPECT_NEAR(3 * alone, EndOf(1), 0.3 * alone);
  std::swap(urgent, streams_[2]);
  EXPECT_OK(cudaStreamDestroy(urgent));
}

TEST_F(ConcurrencyTest, DestroyedStreamsWorkStillTakesItsRoom) {
  const double alone = Alone(kFull);
  cudaStream_t gone = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
  Start();
  ASSERT_OK(cudaStreamWaitEvent(gone, start_, 0));
  LaunchScale(data_, kFull, gone);
  ASSERT_OK(cudaStreamDestroy(gone));
  LaunchScale(data_, kFull, streams_[0]);
  EXPECT_NEAR(2 * alone, EndOf(0), 0.2 * alone);
}

}  // namespace
