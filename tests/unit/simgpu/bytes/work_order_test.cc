// SPDX-License-Identifier: Apache-2.0
// The zero rule over several streams: a number that is read is zero only where
// an unknown kernel may have overwritten it, that is, comes after the write and
// before the read.
#include <cuda.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/simgpu/named_kernels.h"

namespace {

constexpr float kValue = 2.5F;

class WorkOrderTest : public NamedKernelTest {
 protected:
  void SetUp() override {
    NamedKernelTest::SetUp();
    for (CUstream* stream : {&a_, &b_, &c_}) {
      ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
    }
    ASSERT_EQ(CUDA_SUCCESS, cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING));
  }
  void TearDown() override {
    for (CUstream stream : {a_, b_, c_}) cuStreamDestroy(stream);
    cuEventDestroy(event_);
    NamedKernelTest::TearDown();
  }

  void FillOn(CUstream stream) { Fill(data_, 1, kValue, stream); }
  void Follow(CUstream stream, CUstream other) {
    ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(event_, other));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(stream, event_, 0));
  }
  float ReadOn(CUstream stream, CUdeviceptr from) {
    float value = -1;
    EXPECT_EQ(CUDA_SUCCESS,
              cuMemcpyDtoHAsync(&value, from, sizeof(value), stream));
    EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
    return value;
  }
  float ReadOn(CUstream stream) { return ReadOn(stream, data_); }

  CUstream a_ = nullptr;
  CUstream b_ = nullptr;
  CUstream c_ = nullptr;
  CUevent event_ = nullptr;
};

TEST_F(WorkOrderTest, KernelBesideWriteAndReadSpoilsNothing) {
  FillOn(a_);
  LaunchUnknown(b_);
  EXPECT_EQ(kValue, ReadOn(a_));
}

TEST_F(WorkOrderTest, KernelBetweenThemByEventsSpoils) {
  FillOn(a_);
  Follow(b_, a_);
  LaunchUnknown(b_);
  EXPECT_EQ(kValue, ReadOn(a_));
  Follow(a_, b_);
  EXPECT_EQ(0, ReadOn(a_));
}

TEST_F(WorkOrderTest, KernelBesideTheWriteDoesNotSpoilIt) {
  LaunchUnknown(b_);
  FillOn(a_);
  LaunchUnknown(b_);
  Follow(c_, a_);
  Follow(c_, b_);
  EXPECT_EQ(kValue, ReadOn(c_));
}

TEST_F(WorkOrderTest, KernelSpoilsWhatItFollowsAlone) {
  FillOn(a_);
  Follow(b_, a_);
  LaunchUnknown(b_);
  const CUdeviceptr later = data_ + 4096;
  Fill(later, 1, 3.5F, a_);
  Follow(c_, a_);
  Follow(c_, b_);
  EXPECT_EQ(0, ReadOn(c_));
  EXPECT_EQ(3.5F, ReadOn(c_, later));
}

TEST_F(WorkOrderTest, HostThatWaitedPutsKernelsInOrder) {
  FillOn(a_);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(a_));
  LaunchUnknown(b_);
  EXPECT_EQ(kValue, ReadOn(a_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b_));
  EXPECT_EQ(0, ReadOn(a_));
}

TEST_F(WorkOrderTest, SoDoesAHostThatAskedUntilItWasOver) {
  FillOn(a_);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(event_, a_));
  while (cuEventQuery(event_) != CUDA_SUCCESS) {
  }
  LaunchUnknown(b_);
  while (cuStreamQuery(b_) != CUDA_SUCCESS) {
  }
  EXPECT_EQ(0, ReadOn(a_));
}

TEST_F(WorkOrderTest, SoDoesAHostFunction) {
  static std::atomic<bool> done{false};
  done = false;
  FillOn(a_);
  Follow(b_, a_);
  LaunchUnknown(b_);
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(
                              b_, [](void*) { done = true; }, nullptr));
  while (!done) {
  }
  EXPECT_EQ(0, ReadOn(a_));
}

TEST_F(WorkOrderTest, KernelBehindAHostFunctionCountsFromItsSubmission) {
  static std::atomic<bool> may_end{false};
  may_end = false;
  FillOn(a_);
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(
                              a_,
                              [](void*) {
                                while (!may_end) {
                                }
                              },
                              nullptr));
  LaunchUnknown(a_);
  Follow(b_, a_);
  float* value = nullptr;  // pinned: the copy does not wait
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemAllocHost(reinterpret_cast<void**>(&value), sizeof(*value)));
  *value = -1;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync(value, data_, sizeof(*value), b_));
  may_end = true;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b_));
  EXPECT_EQ(0, *value);
  cuMemFreeHost(value);
}

TEST_F(WorkOrderTest, BlockingStreamsAreInOrder) {
  CUstream blocking = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  FillOn(nullptr);
  LaunchUnknown(blocking);
  EXPECT_EQ(0, ReadOn(nullptr));
  cuStreamDestroy(blocking);
}

TEST_F(WorkOrderTest, WorkOfAStreamThatIsGoneStillCounts) {
  CUstream gone = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&gone, CU_STREAM_NON_BLOCKING));
  FillOn(a_);
  Follow(gone, a_);
  LaunchUnknown(gone);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamDestroy(gone));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(0, ReadOn(a_));
}

TEST_F(WorkOrderTest, LaunchesOfAGraphAreInOrderOverStreams) {
  ASSERT_EQ(CUDA_SUCCESS,
            cuStreamBeginCapture(a_, CU_STREAM_CAPTURE_MODE_RELAXED));
  LaunchUnknown(a_);
  FillOn(a_);
  CUgraph graph = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(a_, &graph));
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
  const CUdeviceptr before = data_ + 4096;
  Fill(before, 1, 3.5F, a_);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, a_));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, b_));
  EXPECT_EQ(0, ReadOn(b_, before));
  EXPECT_EQ(kValue, ReadOn(b_));
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
}

TEST_F(WorkOrderTest, MemoryOfAPoolComesWithoutItsNumbers) {
  CUdeviceptr first = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync(&first, 4096, a_));
  Fill(first, 1, kValue, a_);
  ASSERT_EQ(CUDA_SUCCESS, cuMemFreeAsync(first, a_));
  CUdeviceptr second = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync(&second, 4096, b_));
  ASSERT_EQ(first, second);
  LaunchUnknown(b_);
  EXPECT_EQ(0, ReadOn(b_, second));
  cuMemFreeAsync(second, b_);
}

}  // namespace
