// SPDX-License-Identifier: Apache-2.0
// How records get to the client, and what it may choose.
#include <cuda.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiDeliveryTest : public RecordsTest {
 protected:
  void SetUp() override {
    RecordsTest::SetUp();
    g_requests = 0;
    g_buffer_bytes = 1 << 16;
    ASSERT_EQ(cudaMalloc(&memory_, 64), cudaSuccess);
  }
  void TearDown() override {
    SetPerThread(1);
    cuptiActivityFlushPeriod(0);
    RecordsTest::TearDown();
  }
  static void SetPerThread(uint8_t value) {
    size_t bytes = sizeof value;
    ASSERT_EQ(
        cuptiActivitySetAttribute(
            CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &value),
        CUPTI_SUCCESS);
  }
  static std::vector<CUpti_ActivityAPI> Calls() {
    return Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  }
  static size_t Count() {
    const std::lock_guard lock(g_mutex);
    return g_records.size();
  }
  // One call on each of `count` threads, which live at the same time.
  static void CallOnThreads(int count) {
    std::vector<std::thread> threads;
    std::atomic<int> arrived{0};
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        int device = 0;
        cudaGetDevice(&device);
        ++arrived;
        while (arrived < count) std::this_thread::yield();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  void* memory_ = nullptr;
};

TEST_F(CuptiDeliveryTest, EachThreadHasABufferOfItsOwn) {
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  CallOnThreads(3);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(g_requests, 3);
  EXPECT_EQ(Calls().size(), 3);
  ASSERT_EQ(g_buffers.size(), 3);
  for (const auto& records : g_buffers) EXPECT_EQ(records, 1);
}

TEST_F(CuptiDeliveryTest, OneBufferServesAllThreadsWhenAskedFor) {
  SetPerThread(0);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  CallOnThreads(3);
  EXPECT_EQ(g_requests, 1);
  cuptiActivityFlushAll(0);
  ASSERT_EQ(g_buffers.size(), 1);
  EXPECT_EQ(g_buffers[0], 3);
}

// Else programs with many short threads would use up the client's buffers.
TEST_F(CuptiDeliveryTest, AThreadsBufferComesBackWhenTheThreadEnds) {
  Enable(CUPTI_ACTIVITY_KIND_MEMSET);  // none of the calls has a record
  for (int i = 0; i < 20; ++i) CallOnThreads(1);
  EXPECT_GT(g_requests, 0);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(g_buffers.size(), static_cast<size_t>(g_requests));
}

// So a client must not count on the order of buffers.
TEST_F(CuptiDeliveryTest, AThreadsFullBufferOvertakesAnothersEarlierRecord) {
  g_buffer_bytes = 2 * sizeof(CUpti_ActivityAPI);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cudaGetLastError();
  std::thread([] {
    for (int i = 0; i < 3; ++i) cudaPeekAtLastError();
  }).join();
  cuptiActivityFlushAll(0);
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 4);
  EXPECT_EQ(calls[0].cbid, CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020);
  const auto first = std::find_if(calls.begin(), calls.end(), [](auto& call) {
    return call.cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020;
  });
  ASSERT_NE(first, calls.end());
  EXPECT_LT(first->start, calls[0].start);
}

TEST_F(CuptiDeliveryTest, FullBuffersComeAtTheFlushPeriod) {
  using std::chrono::steady_clock;
  g_buffer_bytes = 2 * sizeof(CUpti_ActivityMemset4);
  cuptiActivityFlushPeriod(3'600'000);
  Enable(CUPTI_ACTIVITY_KIND_MEMSET);
  for (int i = 0; i < 7; ++i) cudaMemsetAsync(memory_, i, 64, nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_EQ(Count(), 0);  // CUPTI's own period is shorter
  cuptiActivityFlushPeriod(1);
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  while (Count() < 6 && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(Count(), 6);  // the last buffer is not full
}

TEST_F(CuptiDeliveryTest, AChildForkedUnderLoadGetsItsErrorAtOnce) {
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  std::atomic<bool> ends{false};
  std::thread load([&] {
    while (!ends) cudaMemsetAsync(memory_, 0, 64, nullptr);
  });
  for (int i = 0; i < 60; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends it where it waits for a lock
      _exit(cudaMemsetAsync(memory_, 0, 64, nullptr) == cudaSuccess ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (status != 0) break;
  }
  ends = true;
  load.join();
}

TEST_F(CuptiDeliveryTest, ThreadIdsAreOfTheChosenType) {
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  CUpti_ActivityThreadIdType type{};
  for (const auto chosen : {CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM,
                            CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT}) {
    ASSERT_EQ(cuptiSetThreadIdType(chosen), CUPTI_SUCCESS);
    ASSERT_EQ(cuptiGetThreadIdType(&type), CUPTI_SUCCESS);
    EXPECT_EQ(type, chosen);
    cudaGetLastError();
  }
  cuptiActivityFlushAll(0);
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 2);
  EXPECT_EQ(calls[0].threadId, static_cast<uint32_t>(gettid()));
  EXPECT_EQ(calls[1].threadId, static_cast<uint32_t>(pthread_self()));
  EXPECT_EQ(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE),
            CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(CuptiDeliveryTest, EachKindOfExternalIdHasAStack) {
  constexpr auto kOuter = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  constexpr auto kOther = CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN;
  for (const uint64_t id : {1, 2}) {
    ASSERT_EQ(cuptiActivityPushExternalCorrelationId(kOuter, id),
              CUPTI_SUCCESS);
  }
  ASSERT_EQ(cuptiActivityPushExternalCorrelationId(kOther, 9), CUPTI_SUCCESS);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  Enable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  cudaGetLastError();
  cuptiActivityFlushAll(0);
  const auto ids = Delivered<CUpti_ActivityExternalCorrelation>(
      CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  ASSERT_EQ(ids.size(), 2);  // one of each kind, the innermost
  EXPECT_EQ(ids[0].externalId, 9);
  EXPECT_EQ(ids[1].externalId, 2);
  uint64_t popped = 0;
  for (const uint64_t id : {2, 1}) {
    ASSERT_EQ(cuptiActivityPopExternalCorrelationId(kOuter, &popped),
              CUPTI_SUCCESS);
    EXPECT_EQ(popped, id);
  }
  cuptiActivityPopExternalCorrelationId(kOther, nullptr);
}

TEST_F(CuptiDeliveryTest, ExternalKindsHaveLimits) {
  for (const int kind : {0, int{CUPTI_EXTERNAL_CORRELATION_KIND_SIZE}}) {
    const auto bad = static_cast<CUpti_ExternalCorrelationKind>(kind);
    EXPECT_EQ(cuptiActivityPushExternalCorrelationId(bad, 1),
              CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(bad, nullptr),
              CUPTI_ERROR_INVALID_PARAMETER);
  }
}

TEST_F(CuptiDeliveryTest, TheLastErrorIsGivenOnceToItsThread) {
  cuptiGetLastError();
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID),
            CUPTI_ERROR_INVALID_KIND);
  CUptiResult elsewhere = CUPTI_ERROR_UNKNOWN;
  std::thread([&] { elsewhere = cuptiGetLastError(); }).join();
  EXPECT_EQ(elsewhere, CUPTI_SUCCESS);
  uint32_t version = 0;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiGetLastError(), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(cuptiGetLastError(), CUPTI_SUCCESS);
}

TEST_F(CuptiDeliveryTest, FinalizeDetachesTheSubscriberToo) {
  CUpti_SubscriberHandle subscriber{};
  int calls = 0;
  const auto count = [](void* user, CUpti_CallbackDomain, CUpti_CallbackId,
                        const void*) { ++*static_cast<int*>(user); };
  ASSERT_EQ(cuptiSubscribe(&subscriber, count, &calls), CUPTI_SUCCESS);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  cudaGetLastError();
  EXPECT_EQ(calls, 2);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cudaGetLastError();
  ASSERT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  EXPECT_EQ(Calls().size(), 1);  // what was there is handed over
  cudaGetLastError();
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiSubscribe(&subscriber, count, &calls), CUPTI_SUCCESS);
  cuptiUnsubscribe(subscriber);
}

// The way that the documentation shows: from a callback, at the call's end.
TEST_F(CuptiDeliveryTest, ACallbackMayFinalize) {
  CUpti_SubscriberHandle subscriber{};
  const auto detach = [](void*, CUpti_CallbackDomain, CUpti_CallbackId,
                         const void* data) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite == CUPTI_API_EXIT) cuptiFinalize();
  };
  ASSERT_EQ(cuptiSubscribe(&subscriber, detach, nullptr), CUPTI_SUCCESS);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  g_requests = 0;
  cudaGetLastError();
  EXPECT_EQ(g_requests, 1);
  for (int i = 0; i < 3; ++i) cudaGetLastError();
  EXPECT_EQ(g_requests, 1);
}

TEST_F(CuptiDeliveryTest, LatencyTimesComeWhenEnabled) {
  Enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module,
                             ".version 8.0\n.target sm_80\n"
                             ".visible .entry f() { ret; }\n"),
            CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "f"), CUDA_SUCCESS);
  for (const uint8_t enable : {0, 1}) {
    cuptiActivityEnableLatencyTimestamps(enable);
    cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
  }
  cuptiActivityEnableLatencyTimestamps(0);
  Flush();
  const auto kernels =
      Delivered<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].queued, CUPTI_TIMESTAMP_UNKNOWN);
  EXPECT_NE(kernels[1].queued, 0);
  EXPECT_LE(kernels[1].queued, kernels[1].submitted);
  EXPECT_LT(kernels[1].submitted, kernels[1].start);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
