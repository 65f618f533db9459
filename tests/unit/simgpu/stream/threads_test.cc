// SPDX-License-Identifier: Apache-2.0
// Eight threads with a stream each do at the same time what programs do. Each
// checks its own results; a build with the thread sanitizer checks the rest.
#include <algorithm>
#include <array>
#include <barrier>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 20;
constexpr int kBlocks = 4096;  // fills the device: streams share the SMs
constexpr size_t kWords = 1024;
constexpr size_t kBytes = kWords * sizeof(int);

template <typename Body>
void OnEachThread(Body body) {
  std::array<std::thread, kThreads> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads[i] = std::thread([&body, i] {
      cudaStream_t stream = nullptr;
      ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int round = 0; round < kRounds; ++round) body(stream, i, round);
      ASSERT_OK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadsTest, CopiesComeBackAsTheyWere) {
  OnEachThread([](cudaStream_t stream, int thread, int round) {
    std::vector<int> sent(kWords), got(kWords);
    std::iota(sent.begin(), sent.end(), 1000 * thread + round);
    void* a = nullptr;
    void* b = nullptr;
    ASSERT_OK(cudaMallocAsync(&a, kBytes, stream));
    ASSERT_OK(cudaMalloc(&b, kBytes));
    ASSERT_OK(cudaMemcpyAsync(a, sent.data(), kBytes, cudaMemcpyHostToDevice,
                              stream));
    ASSERT_OK(cudaMemcpyAsync(b, a, kBytes, cudaMemcpyDeviceToDevice, stream));
    ASSERT_OK(
        cudaMemcpyAsync(got.data(), b, kBytes, cudaMemcpyDeviceToHost, stream));
    ASSERT_OK(cudaStreamSynchronize(stream));
    EXPECT_EQ(sent, got);
    ASSERT_OK(cudaFreeAsync(a, stream));
    ASSERT_OK(cudaFree(b));
  });
}

TEST(ThreadsTest, EventsMeasureTheirOwnStream) {
  OnEachThread([](cudaStream_t stream, int, int) {
    cudaEvent_t begin, end;
    ASSERT_OK(cudaEventCreate(&begin));
    ASSERT_OK(cudaEventCreate(&end));
    ASSERT_OK(cudaEventRecord(begin, stream));
    for (int i = 0; i < 4; ++i) LaunchScale(nullptr, kBlocks, stream);
    ASSERT_OK(cudaEventRecord(end, stream));
    ASSERT_OK(cudaStreamWaitEvent(stream, end, 0));
    ASSERT_OK(cudaEventSynchronize(end));
    float ms = 0;
    ASSERT_OK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT_GT(ms, 0);
    ASSERT_OK(cudaEventDestroy(begin));
    ASSERT_OK(cudaEventDestroy(end));
  });
}

TEST(ThreadsTest, HostFunctionsRunInTheOrderOfTheirStream) {
  OnEachThread([](cudaStream_t stream, int, int) {
    struct Counter {
      int value = 0;
      bool in_order = true;
    } counter;
    struct Step {
      Counter* counter;
      int expected;
    };
    std::array<Step, 4> steps;
    for (int i = 0; i < 4; ++i) {
      steps[i] = {&counter, i};
      LaunchScale(nullptr, 64, stream);
      ASSERT_OK(cudaLaunchHostFunc(
          stream,
          [](void* argument) {
            const auto* step = static_cast<Step*>(argument);
            step->counter->in_order &= step->counter->value == step->expected;
            ++step->counter->value;
          },
          &steps[i]));
    }
    ASSERT_OK(cudaStreamSynchronize(stream));
    EXPECT_EQ(counter.value, 4);
    EXPECT_TRUE(counter.in_order);
  });
}

TEST(ThreadsTest, EachThreadCapturesAndReplaysItsGraph) {
  OnEachThread([](cudaStream_t stream, int, int) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; ++i) LaunchScale(nullptr, 64, stream);
    ASSERT_OK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    ASSERT_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 3u);
    ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
    ASSERT_OK(cudaGraphLaunch(exec, stream));
    ASSERT_OK(cudaGraphLaunch(exec, stream));
    ASSERT_OK(cudaStreamSynchronize(stream));
    ASSERT_OK(cudaGraphExecDestroy(exec));
    ASSERT_OK(cudaGraphDestroy(graph));
  });
}

// Each queue is longer than the device gets through, and the streams take their
// SM time in advance: it adds up to that of all kernels.
TEST(ThreadsTest, LongQueuesShareTheDevice) {
  constexpr int kKernels = 800;
  // Long beside its launch, and the gap between two kernels of a stream.
  constexpr int kLongBlocks = 16 * kBlocks;
  std::array<cudaStream_t, kThreads> streams;
  std::array<cudaEvent_t, kThreads> ends;
  cudaEvent_t begin = nullptr;
  ASSERT_OK(cudaEventCreate(&begin));
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    ASSERT_OK(cudaEventCreate(&ends[i]));
  }
  const auto ms_until = [&](cudaEvent_t end) {
    float ms = 0;
    EXPECT_OK(cudaEventSynchronize(end));
    EXPECT_OK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
  };
  ASSERT_OK(cudaEventRecord(begin, streams[0]));
  LaunchScale(nullptr, kLongBlocks, streams[0]);
  ASSERT_OK(cudaEventRecord(ends[0], streams[0]));
  const float alone_ms = ms_until(ends[0]);

  ASSERT_OK(cudaEventRecord(begin, streams[0]));
  std::barrier together(kThreads);
  std::array<std::thread, kThreads> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads[i] = std::thread([&, i] {
      together.arrive_and_wait();
      for (int k = 0; k < kKernels; ++k) {
        LaunchScale(nullptr, kLongBlocks, streams[i]);
      }
      ASSERT_OK(cudaEventRecord(ends[i], streams[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  float all_ms = 0;
  for (const cudaEvent_t end : ends) all_ms = std::max(all_ms, ms_until(end));
  const float expected_ms = kThreads * kKernels * alone_ms;
  EXPECT_GT(all_ms, 0.95F * expected_ms);
  // The last that each stream booked may be of no use to anybody.
  EXPECT_LT(all_ms, 1.2F * expected_ms);
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_OK(cudaEventDestroy(ends[i]));
    ASSERT_OK(cudaStreamDestroy(streams[i]));
  }
  ASSERT_OK(cudaEventDestroy(begin));
}

TEST(ThreadsTest, TheLegacyStreamWaitsForAllThreads) {
  OnEachThread([](cudaStream_t, int, int) {
    cudaStream_t blocking = nullptr;
    cudaEvent_t done = nullptr;
    ASSERT_OK(cudaStreamCreate(&blocking));
    ASSERT_OK(cudaEventCreate(&done));
    LaunchScale(nullptr, kBlocks, blocking);
    ASSERT_OK(cudaEventRecord(done, blocking));
    LaunchScale(nullptr, 1, nullptr);
    ASSERT_OK(cudaStreamSynchronize(nullptr));
    EXPECT_OK(cudaEventQuery(done));
    ASSERT_OK(cudaEventDestroy(done));
    ASSERT_OK(cudaStreamDestroy(blocking));
  });
}

}  // namespace
