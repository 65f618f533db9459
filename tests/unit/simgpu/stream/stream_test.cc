// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

using StreamTest = RuntimeTest;

TEST_F(StreamTest, WorkIsPendingUntilTheHostWaits) {
  LaunchScale(data_, 4096, stream_);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_OK(cudaStreamQuery(stream_));
}

TEST_F(StreamTest, DestroyedHandleIsRefused) {
  cudaStream_t gone = nullptr;
  ASSERT_OK(cudaStreamCreate(&gone));
  ASSERT_OK(cudaStreamDestroy(gone));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(gone));
}

TEST_F(StreamTest, DefaultStreamHandlesAreNotDestroyed) {
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaStreamDestroy(cudaStreamPerThread));
}

TEST_F(StreamTest, BlockingStreamWaitsForTheLegacyStream) {
  cudaStream_t blocking = nullptr;
  ASSERT_OK(cudaStreamCreate(&blocking));
  LaunchScale(data_, 1 << 20, nullptr);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(blocking));
  EXPECT_OK(cudaStreamQuery(stream_));  // non-blocking: not concerned
  EXPECT_OK(cudaStreamSynchronize(blocking));
  EXPECT_OK(cudaStreamQuery(nullptr));
  EXPECT_OK(cudaStreamDestroy(blocking));
}

TEST_F(StreamTest, LegacyStreamWaitsForBlockingStreams) {
  cudaStream_t blocking = nullptr;
  ASSERT_OK(cudaStreamCreate(&blocking));
  LaunchScale(data_, 1 << 20, blocking);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(nullptr));
  EXPECT_OK(cudaStreamSynchronize(nullptr));
  EXPECT_OK(cudaStreamQuery(blocking));
  EXPECT_OK(cudaStreamDestroy(blocking));
}

TEST_F(StreamTest, EachThreadHasItsOwnDefaultStream) {
  LaunchScale(data_, 1 << 20, cudaStreamPerThread);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(cudaStreamPerThread));
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaStreamQuery(cudaStreamPerThread); }).join();
  EXPECT_EQ(cudaSuccess, other);
  EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(StreamTest, PriorityIsClampedToTheRange) {
  int least = 0;
  int greatest = 0;
  ASSERT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t urgent = nullptr;
  ASSERT_OK(cudaStreamCreateWithPriority(&urgent, 0, greatest - 100));
  int priority = 0;
  EXPECT_OK(cudaStreamGetPriority(urgent, &priority));
  EXPECT_EQ(greatest, priority);
  EXPECT_OK(cudaStreamDestroy(urgent));
}

TEST_F(StreamTest, HostFunctionsRunInOrder) {
  static std::vector<int> order;
  order.clear();
  static int values[] = {0, 1, 2};
  for (int& value : values) {
    ASSERT_OK(cudaLaunchHostFunc(
        stream_, [](void* v) { order.push_back(*static_cast<int*>(v)); },
        &value));
  }
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ((std::vector<int>{0, 1, 2}), order);
}

TEST_F(StreamTest, CopyAfterHostFunctionSeesWhatItWrote) {
  // Pageable memory is taken at the call, pinned memory at its turn.
  int* source = nullptr;
  ASSERT_OK(cudaMallocHost(reinterpret_cast<void**>(&source), sizeof(*source)));
  *source = 0;
  ASSERT_OK(cudaLaunchHostFunc(
      stream_, [](void* value) { *static_cast<int*>(value) = 42; }, source));
  ASSERT_OK(cudaMemcpyAsync(data_, source, sizeof(*source),
                            cudaMemcpyHostToDevice, stream_));
  int result = 0;
  ASSERT_OK(cudaMemcpyAsync(&result, data_, sizeof(result),
                            cudaMemcpyDeviceToHost, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(42, result);
  EXPECT_OK(cudaFreeHost(source));
}

TEST_F(StreamTest, HostFunctionMayWaitForTheEnqueuingThread) {
  static std::atomic<bool> released;
  released = false;
  ASSERT_OK(cudaLaunchHostFunc(
      stream_,
      [](void*) {
        while (!released) std::this_thread::yield();
      },
      nullptr));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  released = true;  // would never come if the function ran at its enqueueing
  EXPECT_OK(cudaStreamSynchronize(stream_));
}

TEST_F(StreamTest, CallbackGetsItsStream) {
  static cudaStream_t seen;
  seen = nullptr;
  ASSERT_OK(cudaStreamAddCallback(
      stream_, [](cudaStream_t s, cudaError_t, void*) { seen = s; }, nullptr,
      0));
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(stream_, seen);
}

}  // namespace
