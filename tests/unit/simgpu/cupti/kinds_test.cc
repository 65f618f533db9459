// SPDX-License-Identifier: Apache-2.0
// Activity kinds beside kernels, copies and calls.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiKindsTest : public RecordsTest {};

TEST_F(CuptiKindsTest, DevicesAndContextsAreDescribedWhenAskedFor) {
  EnableAndDump(CUPTI_ACTIVITY_KIND_DEVICE);
  EnableAndDump(CUPTI_ACTIVITY_KIND_CONTEXT);
  Flush();
  const auto devices =
      Delivered<CUpti_ActivityDevice5>(CUPTI_ACTIVITY_KIND_DEVICE);
  ASSERT_EQ(devices.size(), 2);
  EXPECT_EQ(devices[1].id, 1);
  EXPECT_EQ(devices[0].computeCapabilityMajor, 9);
  EXPECT_EQ(devices[0].numMultiprocessors, 132);
  EXPECT_EQ(devices[0].numThreadsPerWarp, 32);
  EXPECT_STREQ(devices[0].name, "NVIDIA H100 80GB HBM3");
  auto contexts =
      Delivered<CUpti_ActivityContext3>(CUPTI_ACTIVITY_KIND_CONTEXT);
  ASSERT_EQ(contexts.size(), 1);  // the other device's is not active yet
  EXPECT_EQ(contexts[0].deviceId, 0);
  cudaSetDevice(1);
  cudaFree(nullptr);
  Flush();
  cudaSetDevice(0);
  contexts = Delivered<CUpti_ActivityContext3>(CUPTI_ACTIVITY_KIND_CONTEXT);
  ASSERT_EQ(contexts.size(), 2);
  EXPECT_EQ(contexts[1].deviceId, 1);
  EXPECT_NE(contexts[1].contextId, contexts[0].contextId);
}

TEST_F(CuptiKindsTest, StreamsAreRecordedAsTheyAreMade) {
  Enable(CUPTI_ACTIVITY_KIND_STREAM);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2),
            cudaSuccess);
  Flush();
  const auto streams =
      Delivered<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
  ASSERT_EQ(streams.size(), 1);
  uint32_t id = 0;
  cuptiGetStreamId(nullptr, stream, &id);
  EXPECT_EQ(streams[0].streamId, id);
  EXPECT_EQ(static_cast<int>(streams[0].priority), -2);
  EXPECT_EQ(streams[0].flag, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
  cudaStreamDestroy(stream);
}

TEST_F(CuptiKindsTest, MemoryIsRecordedWhenTakenAndGivenBack) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY2);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 5000), cudaSuccess);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  Flush();
  const auto records =
      Delivered<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].memoryOperationType,
            CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  EXPECT_EQ(records[1].memoryOperationType,
            CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
  for (const auto& record : records) {
    EXPECT_EQ(record.address, reinterpret_cast<uint64_t>(memory));
    EXPECT_EQ(record.bytes, 5000);
    EXPECT_EQ(record.memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    EXPECT_NE(record.timestamp, 0);
  }
}

TEST_F(CuptiKindsTest, CopiesBetweenDevicesAreAKindOfTheirOwn) {
  Enable(CUPTI_ACTIVITY_KIND_MEMCPY);
  Enable(CUPTI_ACTIVITY_KIND_MEMCPY2);
  void* here = nullptr;
  void* there = nullptr;
  cudaMalloc(&here, 64);
  cudaSetDevice(1);
  cudaMalloc(&there, 64);
  cudaSetDevice(0);
  ASSERT_EQ(cudaMemcpyPeerAsync(there, 1, here, 0, 64, nullptr), cudaSuccess);
  Flush();
  EXPECT_TRUE(
      Delivered<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY).empty());
  const auto copies =
      Delivered<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  ASSERT_EQ(copies.size(), 1);
  EXPECT_EQ(copies[0].srcDeviceId, 0);
  EXPECT_EQ(copies[0].dstDeviceId, 1);
  EXPECT_EQ(copies[0].bytes, 64);
  EXPECT_EQ(copies[0].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
}

TEST_F(CuptiKindsTest, AGraphTraceStandsForItsNodes) {
  void* memory = nullptr;
  cudaMalloc(&memory, 64);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 3; ++i) cudaMemsetAsync(memory, i, 64, stream);
  cudaStreamEndCapture(stream, &graph);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  Enable(CUPTI_ACTIVITY_KIND_MEMSET);
  Enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
  cudaMemsetAsync(memory, 9, 64, stream);
  Flush();
  const auto graphs =
      Delivered<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  const auto memsets =
      Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  ASSERT_EQ(graphs.size(), 2);
  ASSERT_EQ(memsets.size(), 1);  // the one outside
  EXPECT_LT(graphs[0].start, graphs[0].end);
  EXPECT_LE(graphs[0].end, graphs[1].start);
  EXPECT_LE(graphs[1].end, memsets[0].start);
  EXPECT_NE(graphs[0].correlationId, graphs[1].correlationId);
  EXPECT_NE(graphs[0].graphId, 0);
  EXPECT_EQ(graphs[0].graphId, graphs[1].graphId);
}

TEST_F(CuptiKindsTest, CopiesOfArraysHaveKindsOfTheirOwn) {
  Enable(CUPTI_ACTIVITY_KIND_MEMCPY);
  const cudaChannelFormatDesc floats{32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t a = nullptr;
  cudaArray_t b = nullptr;
  void* device = nullptr;
  float host[16] = {};
  ASSERT_EQ(cudaMallocArray(&a, &floats, 4, 4), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&b, &floats, 4, 4), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  constexpr auto kAny = cudaMemcpyDefault;
  cudaMemcpy2DToArray(a, 0, 0, host, 16, 16, 4, kAny);
  cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 16, 4, kAny);
  cudaMemcpy2DFromArray(device, 16, b, 0, 0, 16, 4, kAny);
  cudaMemcpy2DToArray(a, 0, 0, device, 16, 16, 4, kAny);
  cudaMemcpy2DFromArray(host, 16, a, 0, 0, 16, 4, kAny);
  Flush();
  const auto copies =
      Delivered<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  const int kinds[] = {
      CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA,
      CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA,
      CUPTI_ACTIVITY_MEMCPY_KIND_ATOH};
  ASSERT_EQ(copies.size(), std::size(kinds));
  for (size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i].copyKind, kinds[i]) << i;
    EXPECT_EQ(copies[i].bytes, 64);
  }
  EXPECT_EQ(copies[0].dstKind, CUPTI_ACTIVITY_MEMORY_KIND_ARRAY);
  cudaFreeArray(a);
  cudaFreeArray(b);
  cudaFree(device);
}

TEST_F(CuptiKindsTest, WhatExistsIsDescribedOnlyWhenAskedFor) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  uint32_t id = 0;
  cuptiGetStreamId(nullptr, stream, &id);
  Enable(CUPTI_ACTIVITY_KIND_DEVICE);
  Enable(CUPTI_ACTIVITY_KIND_STREAM);
  Flush();
  EXPECT_TRUE(
      Delivered<CUpti_ActivityDevice5>(CUPTI_ACTIVITY_KIND_DEVICE).empty());
  EXPECT_TRUE(
      Delivered<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM).empty());
  EnableAndDump(CUPTI_ACTIVITY_KIND_STREAM);
  Flush();
  bool found = false;
  for (const auto& record :
       Delivered<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM)) {
    found |= record.streamId == id;
  }
  EXPECT_TRUE(found);
  cudaStreamDestroy(stream);
}

// Device 1's context, then all but device 0's.
TEST_F(CuptiKindsTest, AContextHasSettingsOfItsOwn) {
  CUcontext contexts[2] = {};
  void* memory[2] = {};
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    ASSERT_EQ(cudaMalloc(&memory[i], 64), cudaSuccess);
    cuCtxGetCurrent(&contexts[i]);
  }
  const auto clear_both = [&] {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaMemset(memory[i], 0, 64);
      cudaDeviceSynchronize();
    }
    cuptiActivityFlushAll(0);
    return Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  };
  constexpr auto kKind = CUPTI_ACTIVITY_KIND_MEMSET;
  ASSERT_EQ(cuptiActivityEnableContext(contexts[1], kKind), CUPTI_SUCCESS);
  auto memsets = clear_both();
  ASSERT_EQ(memsets.size(), 1);
  EXPECT_EQ(memsets[0].deviceId, 1);
  Enable(kKind);
  EXPECT_EQ(clear_both().size(), 3);
  ASSERT_EQ(cuptiActivityDisableContext(contexts[0], kKind), CUPTI_SUCCESS);
  memsets = clear_both();
  ASSERT_EQ(memsets.size(), 4);
  EXPECT_EQ(memsets[3].deviceId, 1);
  cuptiActivityDisableContext(contexts[1], kKind);
  EXPECT_EQ(clear_both().size(), 4);
  EXPECT_EQ(cuptiActivityEnableContext(nullptr, kKind),
            CUPTI_ERROR_INVALID_CONTEXT);
  cudaSetDevice(0);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_GPUS", "2", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
