// SPDX-License-Identifier: Apache-2.0
// The simulated CUPTI as a client meets it, driven by the simulated runtime.
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tests/unit/simgpu/cupti/client.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(cudaMalloc(&g_memory, 4096), cudaSuccess);
  }
  void SetUp() override {
    g_records.clear();
    g_requests = 0;
    g_buffer_bytes = 1 << 16;
    ASSERT_EQ(cuptiActivityRegisterCallbacks(Request, Complete), CUPTI_SUCCESS);
  }
  void TearDown() override {
    for (const auto kind :
         {CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMCPY,
          CUPTI_ACTIVITY_KIND_RUNTIME,
          CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
      EXPECT_EQ(cuptiActivityDisable(kind), CUPTI_SUCCESS);
    }
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  static void Clear() {
    ASSERT_EQ(cudaMemsetAsync(g_memory, 7, 4096, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  static inline void* g_memory = nullptr;
};

TEST_F(CuptiTest, MemsetIsDeliveredWithItsApiRecord) {
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  uint64_t before = 0;
  uint64_t after = 0;
  cuptiGetTimestamp(&before);
  Clear();
  cuptiGetTimestamp(&after);
  EXPECT_EQ(g_requests, 1);  // asked for at the first call
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(memsets.size(), 1);
  EXPECT_EQ(memsets[0].bytes, 4096);
  EXPECT_EQ(memsets[0].value, 7);
  EXPECT_LE(before, memsets[0].start);
  EXPECT_LT(memsets[0].start, memsets[0].end);
  EXPECT_LE(memsets[0].end, after);
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  ASSERT_EQ(calls.size(), 2);
  EXPECT_EQ(calls[0].correlationId, memsets[0].correlationId);
  EXPECT_NE(calls[1].correlationId, calls[0].correlationId);
  EXPECT_EQ(calls[0].threadId, static_cast<uint32_t>(syscall(SYS_gettid)));
}

TEST_F(CuptiTest, ExternalIdPrecedesTheApiRecordOfThePushedRange) {
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  cuptiActivityPushExternalCorrelationId(
      CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, 77);
  cudaMemsetAsync(g_memory, 0, 16, nullptr);
  uint64_t popped = 0;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2,
                                        &popped);
  EXPECT_EQ(popped, 77);
  cudaDeviceSynchronize();
  cuptiActivityFlushAll(0);
  const auto ids = Delivered<CUpti_ActivityExternalCorrelation>(
      CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  ASSERT_EQ(ids.size(), 1);
  EXPECT_EQ(ids[0].externalId, 77);
  EXPECT_EQ(ids[0].correlationId, calls[0].correlationId);
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(
                CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, &popped),
            CUPTI_ERROR_QUEUE_EMPTY);
}

TEST_F(CuptiTest, OneFunctionAloneIsDeliveredIfEnabledBeforeTheContext) {
  constexpr CUpti_CallbackId kSynchronize =
      CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;
  const auto calls = [] {
    cuptiActivityFlushAll(0);
    return Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  };
  EXPECT_EQ(cuptiActivityEnableRuntimeApi(kSynchronize, 1), CUPTI_SUCCESS);
  Clear();
  EXPECT_TRUE(calls().empty());
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  cuptiActivityEnableRuntimeApi(kSynchronize, 1);
  ASSERT_EQ(cudaMalloc(&g_memory, 4096), cudaSuccess);
  Clear();
  cuptiActivityEnableRuntimeApi(kSynchronize, 0);
  Clear();
  ASSERT_EQ(calls().size(), 1);
  EXPECT_EQ(calls()[0].cbid, kSynchronize);
}

TEST_F(CuptiTest, TheKindOverridesWhatWasSetForAFunctionBefore) {
  constexpr CUpti_CallbackId kSynchronize =
      CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;
  cuptiActivityEnableRuntimeApi(kSynchronize, 1);
  cuptiActivityEnableRuntimeApi(kSynchronize, 0);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  Clear();
  cuptiActivityEnableRuntimeApi(kSynchronize, 0);
  Clear();
  cuptiActivityEnableRuntimeApi(kSynchronize, 1);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  Clear();
  cuptiActivityFlushAll(0);
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  EXPECT_EQ(calls.size(), 3);
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                          [](const CUpti_ActivityAPI& call) {
                            return call.cbid == kSynchronize;
                          }),
            1);
}

TEST_F(CuptiTest, RecordsWithoutABufferAreCountedAsDropped) {
  g_buffer_bytes = 0;
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  Clear();
  cuptiActivityFlushAll(0);
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 1);
  EXPECT_TRUE(g_records.empty());
}

TEST_F(CuptiTest, OnlyAForcedFlushCutsRecordsOff) {
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  // Many flushes, some of them while a memset is just ending.
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(cudaMemsetAsync(g_memory, 7, 4096, nullptr), cudaSuccess);
    ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cuptiActivityFlushAll(0);
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  EXPECT_EQ(memsets.size(), 3000);
  for (const CUpti_ActivityMemset4& memset : memsets) {
    ASSERT_NE(memset.end, 0);
  }
}

TEST_F(CuptiTest, AFullBufferIsCompletedAndANewOneAskedFor) {
  g_buffer_bytes = 2 * sizeof(CUpti_ActivityMemset4);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  for (int i = 0; i < 5; ++i) Clear();
  cuptiActivityFlushAll(0);
  EXPECT_EQ(Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET).size(),
            5);
  EXPECT_GE(g_requests, 3);
}

uint64_t CUPTIAPI HalfSpeedClock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec * 1'000'000'000ull + now.tv_nsec) / 2;
}

TEST_F(CuptiTest, TimesAreOfTheClientsClock) {
  cuptiActivityRegisterTimestampCallback(HalfSpeedClock);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  const uint64_t before = HalfSpeedClock();
  usleep(3000);
  Clear();
  usleep(3000);
  cuptiActivityFlushAll(0);
  const uint64_t after = HalfSpeedClock();
  cuptiFinalize();  // and the clock is CUPTI's again
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(memsets.size(), 1);
  EXPECT_GT(memsets[0].start, before);
  EXPECT_LT(memsets[0].end, after);
}

TEST_F(CuptiTest, AClientThatFlushesAtOnceGetsItsClocksRate) {
  cuptiActivityRegisterTimestampCallback(HalfSpeedClock);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  Clear();
  cuptiFinalize();
  EXPECT_EQ(cuptiActivityRegisterTimestampCallback(nullptr),
            CUPTI_ERROR_INVALID_PARAMETER);
  cuptiActivityRegisterCallbacks(Request, Complete);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  Clear();
  cuptiActivityFlushAll(0);
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(memsets.size(), 2);
  const auto took = [&](int i) {
    return static_cast<double>(memsets[i].end - memsets[i].start);
  };
  EXPECT_NEAR(took(0) / took(1), 0.5, 0.05);
}

// These tests run on the virtual clock: what passes of the client's own while
// the host sleeps is no part of how long work takes.
TEST_F(CuptiTest, WorkTakesItsTimeOnAClockThatRunsOnWhileTheHostSleeps) {
  const auto length = [](const CUpti_ActivityMemset4& memset) {
    return static_cast<double>(memset.end - memset.start);
  };
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  Clear();
  cuptiActivityFlushAll(0);
  cuptiActivityRegisterTimestampCallback(HalfSpeedClock);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  for (int i = 0; i < 20; ++i) {
    usleep(2000);
    Clear();
  }
  cuptiActivityFlushAll(0);
  cuptiFinalize();
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(memsets.size(), 21);
  for (size_t i = 1; i < memsets.size(); ++i) {
    EXPECT_NEAR(length(memsets[i]) / length(memsets[0]), 0.5, 0.05);
  }
}

struct Seen {
  std::vector<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> calls;
  std::vector<uint64_t> created_nodes;
  std::vector<std::pair<uint64_t, uint64_t>> clones;
};

void CUPTIAPI OnCallback(void* user, CUpti_CallbackDomain domain,
                         CUpti_CallbackId cbid, const void* data) {
  Seen& seen = *static_cast<Seen*>(user);
  seen.calls.emplace_back(domain, cbid);
  if (domain != CUPTI_CB_DOMAIN_RESOURCE) return;
  const auto* graph = static_cast<const CUpti_GraphData*>(
      static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  const auto id = [](CUgraphNode node) {
    uint64_t value = 0;
    EXPECT_EQ(cuptiGetGraphNodeId(node, &value), CUPTI_SUCCESS);
    return value;
  };
  if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    seen.created_nodes.push_back(id(graph->node));
  } else if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    seen.clones.emplace_back(id(graph->originalNode), id(graph->node));
  }
}

TEST_F(CuptiTest, GraphNodesAreFollowedFromCaptureToReplay) {
  Seen seen;
  CUpti_SubscriberHandle subscriber;
  ASSERT_EQ(cuptiSubscribe(&subscriber, OnCallback, &seen), CUPTI_SUCCESS);
  CUpti_SubscriberHandle second;
  EXPECT_EQ(cuptiSubscribe(&second, OnCallback, &seen),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  for (const auto cbid : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                          CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}) {
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, cbid);
  }
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaMemsetAsync(g_memory, 1, 64, stream);
  cudaStreamEndCapture(stream, &graph);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cuptiActivityFlushAll(0);
  cuptiUnsubscribe(subscriber);
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(memsets.size(), 1);
  // A clone is told of as created and as cloned.
  ASSERT_EQ(seen.created_nodes.size(), 2);
  ASSERT_EQ(seen.clones.size(), 1);
  EXPECT_EQ(seen.clones[0].first, seen.created_nodes[0]);
  EXPECT_EQ(seen.clones[0].second, seen.created_nodes[1]);
  EXPECT_EQ(memsets[0].graphNodeId, seen.clones[0].second);
  EXPECT_NE(memsets[0].graphId, 0);
  // Either function tells the id of an executable graph.
  uint32_t id = 0;
  EXPECT_EQ(cuptiGetGraphExecId(exec, &id), CUPTI_SUCCESS);
  EXPECT_EQ(id, memsets[0].graphId);
  id = 0;
  EXPECT_EQ(cuptiGetGraphId(reinterpret_cast<CUgraph>(exec), &id),
            CUPTI_SUCCESS);
  EXPECT_EQ(id, memsets[0].graphId);
  EXPECT_EQ(cuptiGetGraphId(nullptr, &id), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(CuptiTest, ApiCallbacksComeAtEnterAndExit) {
  Seen seen;
  CUpti_SubscriberHandle subscriber;
  ASSERT_EQ(cuptiSubscribe(&subscriber, OnCallback, &seen), CUPTI_SUCCESS);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                      CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  cudaDeviceSynchronize();
  cuptiUnsubscribe(subscriber);
  cudaDeviceSynchronize();
  EXPECT_EQ(seen.calls.size(), 2);
}

TEST_F(CuptiTest, AfterFinalizeNothingIsAskedOrDelivered) {
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  cuptiFinalize();
  g_requests = 0;
  Clear();
  cuptiActivityFlushAll(0);
  EXPECT_EQ(g_requests, 0);
  EXPECT_TRUE(g_records.empty());
}

// With the release that brought it, which profilers take off.
TEST_F(CuptiTest, CallbackIdsHaveNames) {
  const char* name = nullptr;
  ASSERT_EQ(CUPTI_SUCCESS,
            cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 20, &name));
  EXPECT_STREQ("cudaMalloc_v3020", name);
  ASSERT_EQ(CUPTI_SUCCESS,
            cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, 1, &name));
  EXPECT_STREQ("cuInit", name);
  EXPECT_EQ(CUPTI_ERROR_INVALID_PARAMETER,
            cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 99999, &name));
}

}  // namespace

int main(int argc, char** argv) {
  // Read once, at the first call into a simulated library.
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
