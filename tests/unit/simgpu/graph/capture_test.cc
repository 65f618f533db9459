// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

class CaptureTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
    ASSERT_OK(cudaEventCreate(&event_));
  }
  void TearDown() override {
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    cudaStreamDestroy(side_);
    cudaEventDestroy(event_);
    RuntimeTest::TearDown();
  }

  void Begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_OK(cudaStreamBeginCapture(stream_, mode));
  }
  cudaError_t End() { return cudaStreamEndCapture(stream_, &graph_); }
  size_t NodeCount() {
    size_t count = 0;
    EXPECT_OK(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }
  size_t EdgeCount() {
    size_t count = 0;
    EXPECT_OK(cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &count));
    return count;
  }

  cudaStream_t side_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(CaptureTest, CapturedWorkDoesNotRun) {
  Begin();
  LaunchScale(data_, 1 << 20, stream_);
  cudaStreamCaptureStatus status;
  EXPECT_OK(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(cudaStreamCaptureStatusActive, status);
  ASSERT_OK(End());
  EXPECT_OK(cudaStreamQuery(stream_));
  EXPECT_EQ(1u, NodeCount());
}

TEST_F(CaptureTest, ConsecutiveWorkIsAChain) {
  Begin();
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaMemsetAsync(data_, 0, 100, stream_));
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(End());
  EXPECT_EQ(3u, NodeCount());
  EXPECT_EQ(2u, EdgeCount());
}

TEST_F(CaptureTest, ForkAndJoinThroughEvents) {
  Begin();
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaEventRecord(event_, stream_));
  ASSERT_OK(cudaStreamWaitEvent(side_, event_, 0));
  LaunchScale(data_, 1, side_);
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaEventRecord(event_, side_));
  ASSERT_OK(cudaStreamWaitEvent(stream_, event_, 0));
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(End());
  EXPECT_EQ(4u, NodeCount());
  EXPECT_EQ(4u, EdgeCount());  // a diamond
}

TEST_F(CaptureTest, ForkThatIsNotJoinedFails) {
  Begin();
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaEventRecord(event_, stream_));
  ASSERT_OK(cudaStreamWaitEvent(side_, event_, 0));
  LaunchScale(data_, 1, side_);
  EXPECT_EQ(cudaErrorStreamCaptureUnjoined, End());
  EXPECT_EQ(nullptr, graph_);
}

TEST_F(CaptureTest, SynchronizingInvalidatesTheCapture) {
  Begin();
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream_));
  cudaStreamCaptureStatus status;
  EXPECT_OK(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(cudaStreamCaptureStatusInvalidated, status);
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, End());
}

TEST_F(CaptureTest, UnsafeCallFailsUnlessTheModeAllowsIt) {
  void* block = nullptr;
  Begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaMalloc(&block, 100));
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, End());

  Begin(cudaStreamCaptureModeRelaxed);
  EXPECT_OK(cudaMalloc(&block, 100));
  EXPECT_OK(End());
  EXPECT_OK(cudaFree(block));

  Begin();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(cudaStreamCaptureModeGlobal, mode);
  EXPECT_OK(cudaMalloc(&block, 100));
  ASSERT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_OK(cudaGraphDestroy(graph_));
  EXPECT_OK(End());
  EXPECT_OK(cudaFree(block));
}

TEST_F(CaptureTest, WaitForAnOutsideEventBreaksIsolation) {
  ASSERT_OK(cudaEventRecord(event_, side_));
  Begin();
  EXPECT_EQ(cudaErrorStreamCaptureIsolation,
            cudaStreamWaitEvent(stream_, event_, 0));
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, End());
}

TEST_F(CaptureTest, LegacyStreamMayNotBeUsedBesideABlockingCapture) {
  cudaStream_t blocking = nullptr;
  ASSERT_OK(cudaStreamCreate(&blocking));
  ASSERT_OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(cudaErrorStreamCaptureImplicit,
            cudaMemsetAsync(data_, 0, 100, nullptr));
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated,
            cudaStreamEndCapture(blocking, &graph_));
  EXPECT_OK(cudaStreamDestroy(blocking));
}

TEST_F(CaptureTest, OnlyTheOriginEndsACapture) {
  Begin();
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaEventRecord(event_, stream_));
  ASSERT_OK(cudaStreamWaitEvent(side_, event_, 0));
  EXPECT_EQ(cudaErrorStreamCaptureUnmatched,
            cudaStreamEndCapture(side_, &graph_));
  EXPECT_OK(End());
  cudaGraph_t none = nullptr;
  EXPECT_EQ(cudaErrorIllegalState, cudaStreamEndCapture(stream_, &none));
}

TEST_F(CaptureTest, LegacyStreamCannotCapture) {
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported,
            cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

TEST_F(CaptureTest, InfoTellsGraphAndDependencies) {
  Begin();
  LaunchScale(data_, 1, stream_);
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* dependencies = nullptr;
  size_t count = 0;
  ASSERT_OK(cudaStreamGetCaptureInfo(stream_, &status, &id, &graph,
                                     &dependencies, nullptr, &count));
  EXPECT_EQ(cudaStreamCaptureStatusActive, status);
  EXPECT_NE(0u, id);
  ASSERT_EQ(1u, count);
  cudaGraphNodeType type;
  EXPECT_OK(cudaGraphNodeGetType(dependencies[0], &type));
  EXPECT_EQ(cudaGraphNodeTypeKernel, type);
  ASSERT_OK(End());
  EXPECT_EQ(graph, graph_);
}

}  // namespace
