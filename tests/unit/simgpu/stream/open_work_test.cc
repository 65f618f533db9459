// SPDX-License-Identifier: Apache-2.0
// In real time a host function lasts as long as it likes, and what follows it
// begins when it is over.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr float kSlowMs = 20;

void CUDART_CB Sleep(void*) { usleep(static_cast<useconds_t>(kSlowMs * 1000)); }

// Ends when the flag is set.
void CUDART_CB WaitForFlag(void* flag) {
  while (!*static_cast<std::atomic<bool>*>(flag)) usleep(100);
}

class OpenWorkTest : public RuntimeTest {
 protected:
  static cudaEvent_t RecordOn(cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    EXPECT_OK(cudaEventCreate(&event));
    EXPECT_OK(cudaEventRecord(event, stream));
    return event;
  }
  static float Elapsed(cudaEvent_t from, cudaEvent_t to) {
    float ms = -1;
    EXPECT_OK(cudaEventSynchronize(to));
    EXPECT_OK(cudaEventElapsedTime(&ms, from, to));
    return ms;
  }
};

TEST_F(OpenWorkTest, WorkBehindASlowHostFunctionBeginsAfterIt) {
  cudaEvent_t begin = RecordOn(stream_);
  EXPECT_OK(cudaLaunchHostFunc(stream_, Sleep, nullptr));
  cudaEvent_t middle = RecordOn(stream_);
  LaunchScale(data_, 64, stream_);
  cudaEvent_t end = RecordOn(stream_);
  EXPECT_GE(Elapsed(begin, middle), kSlowMs);
  EXPECT_GT(Elapsed(middle, end), 0);
}

TEST_F(OpenWorkTest, OnlyWhatWaitsForItIsHeldUp) {
  std::atomic<bool> flag{false};
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  EXPECT_OK(cudaLaunchHostFunc(stream_, WaitForFlag, &flag));
  LaunchScale(data_, 64, other);
  EXPECT_OK(cudaStreamSynchronize(other));
  EXPECT_OK(cudaStreamWaitEvent(other, RecordOn(stream_), 0));
  LaunchScale(data_, 64, other);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(other));
  flag = true;
  EXPECT_OK(cudaStreamSynchronize(other));
  EXPECT_OK(cudaStreamDestroy(other));
}

TEST_F(OpenWorkTest, ALaterRecordOfTheEventIsWhatCounts) {
  std::atomic<bool> flag{false};
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  EXPECT_OK(cudaLaunchHostFunc(stream_, WaitForFlag, &flag));
  cudaEvent_t event = RecordOn(stream_);
  EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(event));
  EXPECT_OK(cudaEventRecord(event, other));
  EXPECT_OK(cudaEventSynchronize(event));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  flag = true;
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_OK(cudaStreamDestroy(other));
}

TEST_F(OpenWorkTest, PageableMemoryIsTheProgramsAgainAfterTheCall) {
  std::atomic<bool> flag{false};
  EXPECT_OK(cudaLaunchHostFunc(stream_, WaitForFlag, &flag));
  std::vector<int> flat(64, 7);
  EXPECT_OK(cudaMemcpyAsync(data_, flat.data(), 64 * sizeof(int),
                            cudaMemcpyHostToDevice, stream_));
  std::fill(flat.begin(), flat.end(), 0);
  // Two rows of two, out of rows of four.
  std::vector<int> rows{1, 2, 0, 0, 3, 4, 0, 0};
  EXPECT_OK(cudaMemcpy2DAsync(data_ + 64, 8, rows.data(), 16, 8, 2,
                              cudaMemcpyHostToDevice, stream_));
  std::fill(rows.begin(), rows.end(), 0);
  flag = true;
  std::vector<int> found(68);
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_OK(cudaMemcpy(found.data(), data_, 68 * sizeof(int),
                       cudaMemcpyDeviceToHost));
  std::vector<int> wanted(64, 7);
  wanted.insert(wanted.end(), {1, 2, 3, 4});
  EXPECT_EQ(found, wanted);
}

// Two branches: one holds a slow host function, the other is free to go on.
class OpenGraphTest : public OpenWorkTest {
 protected:
  void SetUp() override {
    OpenWorkTest::SetUp();
    ASSERT_OK(cudaEventCreate(&after_host_));
    ASSERT_OK(cudaEventCreate(&free_branch_));
    cudaGraph_t graph = nullptr;
    ASSERT_OK(cudaGraphCreate(&graph, 0));
    cudaHostNodeParams host{WaitForFlag, &flag_};
    ASSERT_OK(cudaGraphAddHostNode(&host_, graph, nullptr, 0, &host));
    cudaGraphNode_t node = nullptr;
    ASSERT_OK(
        cudaGraphAddEventRecordNode(&node, graph, &host_, 1, after_host_));
    ASSERT_OK(
        cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, free_branch_));
    ASSERT_OK(cudaGraphInstantiate(&exec_, graph, 0));
    ASSERT_OK(cudaGraphDestroy(graph));
  }

  std::atomic<bool> flag_{false};
  cudaEvent_t after_host_ = nullptr;
  cudaEvent_t free_branch_ = nullptr;
  cudaGraphNode_t host_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(OpenGraphTest, BranchesOfAGraphDoNotWaitForEachOther) {
  cudaEvent_t begin = RecordOn(stream_);
  EXPECT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_OK(cudaEventSynchronize(free_branch_));
  EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(after_host_));
  usleep(static_cast<useconds_t>(kSlowMs * 1000));
  flag_ = true;
  EXPECT_GE(Elapsed(begin, after_host_), kSlowMs);
  EXPECT_GE(Elapsed(begin, RecordOn(stream_)), kSlowMs);
  EXPECT_OK(cudaGraphExecDestroy(exec_));
}

TEST_F(OpenGraphTest, LaunchesOfOneExecFollowEachOther) {
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  EXPECT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_OK(cudaGraphLaunch(exec_, other));
  EXPECT_OK(cudaGraphExecDestroy(exec_));  // lives on until they are over
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(other));
  flag_ = true;
  EXPECT_OK(cudaStreamSynchronize(other));
  EXPECT_OK(cudaStreamQuery(stream_));
  EXPECT_OK(cudaStreamDestroy(other));
}

}  // namespace
