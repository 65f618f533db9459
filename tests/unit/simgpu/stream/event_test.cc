// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

class EventTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaEventCreate(&start_));
    ASSERT_OK(cudaEventCreate(&stop_));
  }
  void TearDown() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    RuntimeTest::TearDown();
  }
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

TEST_F(EventTest, ElapsedTimeGrowsWithTheWork) {
  float small = 0;
  float large = 0;
  for (auto [blocks, out] : {std::pair(64, &small), std::pair(65536, &large)}) {
    ASSERT_OK(cudaEventRecord(start_, stream_));
    LaunchScale(data_, blocks, stream_);
    ASSERT_OK(cudaEventRecord(stop_, stream_));
    ASSERT_OK(cudaEventSynchronize(stop_));
    ASSERT_OK(cudaEventElapsedTime(out, start_, stop_));
  }
  EXPECT_GT(small, 0.0f);
  EXPECT_GT(large, small);
}

TEST_F(EventTest, NeverRecordedEventIsCompleteButHasNoTime) {
  EXPECT_OK(cudaEventQuery(start_));
  EXPECT_OK(cudaEventSynchronize(start_));
  float ms = 0;
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaEventElapsedTime(&ms, start_, stop_));
}

TEST_F(EventTest, PendingEventIsNotReady) {
  LaunchScale(data_, 1 << 20, stream_);
  ASSERT_OK(cudaEventRecord(start_, stream_));
  ASSERT_OK(cudaEventRecord(stop_, stream_));
  EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(stop_));
  float ms = 0;
  EXPECT_EQ(cudaErrorNotReady, cudaEventElapsedTime(&ms, start_, stop_));
  EXPECT_OK(cudaEventSynchronize(stop_));
  EXPECT_OK(cudaEventQuery(stop_));
}

TEST_F(EventTest, EventWithoutTimingHasNoElapsedTime) {
  cudaEvent_t plain = nullptr;
  ASSERT_OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  ASSERT_OK(cudaEventRecord(plain, stream_));
  ASSERT_OK(cudaEventRecord(stop_, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  float ms = 0;
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaEventElapsedTime(&ms, plain, stop_));
  EXPECT_OK(cudaEventDestroy(plain));
}

TEST_F(EventTest, WaitingStreamFollowsTheOther) {
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  LaunchScale(data_, 1 << 20, stream_);
  ASSERT_OK(cudaEventRecord(stop_, stream_));
  EXPECT_OK(cudaStreamQuery(other));
  ASSERT_OK(cudaStreamWaitEvent(other, stop_, 0));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(other));
  ASSERT_OK(cudaStreamSynchronize(other));
  EXPECT_OK(cudaStreamQuery(stream_));
  EXPECT_OK(cudaStreamDestroy(other));
}

TEST_F(EventTest, UnknownFlagsAreRefused) {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0x80));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaEventCreateWithFlags(&event, cudaEventInterprocess));
}

}  // namespace
