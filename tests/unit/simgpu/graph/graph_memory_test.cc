// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate: who frees it, and what a device holds for them.
#include <cuda.h>

#include "tests/unit/simgpu/support.h"

namespace {

constexpr size_t kPart = 8 << 20;

class GraphMemoryTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaDeviceGraphMemTrim(0));
    ResetHigh(cudaGraphMemAttrUsedMemHigh);
    ResetHigh(cudaGraphMemAttrReservedMemHigh);
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    EXPECT_OK(cudaDeviceGraphMemTrim(0));
    EXPECT_EQ(0u, Read(cudaGraphMemAttrReservedMemCurrent));
    RuntimeTest::TearDown();
  }

  static void ResetHigh(cudaGraphMemAttributeType attribute) {
    uint64_t zero = 0;
    EXPECT_OK(cudaDeviceSetGraphMemAttribute(0, attribute, &zero));
  }
  static uint64_t Read(cudaGraphMemAttributeType attribute) {
    uint64_t value = 1;
    EXPECT_OK(cudaDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
  }
  static size_t FreeBytes() {
    size_t free = 0;
    size_t total = 0;
    EXPECT_OK(cudaMemGetInfo(&free, &total));
    return free;
  }

  // What `body` captures.
  template <typename Body>
  cudaGraph_t Capture(Body body) {
    cudaGraph_t graph = nullptr;
    EXPECT_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    body();
    EXPECT_OK(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }
  // A graph that allocates, writes and maybe frees kPart bytes.
  cudaGraphExec_t Make(void** block, bool frees, unsigned flags = 0) {
    const cudaGraph_t graph = Capture([&] {
      EXPECT_OK(cudaMallocAsync(block, kPart, stream_));
      EXPECT_OK(cudaMemsetAsync(*block, 7, kPart, stream_));
      // So long that it still runs when the next calls are made.
      for (int i = 0; i < 200; ++i) {
        EXPECT_OK(cudaMemsetAsync(data_, 0, 16, stream_));
      }
      if (frees) {
        EXPECT_OK(cudaFreeAsync(*block, stream_));
      }
    });
    cudaGraphExec_t exec = nullptr;
    EXPECT_OK(cudaGraphInstantiate(&exec, graph, flags));
    EXPECT_OK(cudaGraphDestroy(graph));
    return exec;
  }
  void Launch(cudaGraphExec_t exec, cudaStream_t stream) {
    EXPECT_OK(cudaGraphLaunch(exec, stream));
  }
};

TEST_F(GraphMemoryTest, CapturedNodesShowTheirMemory) {
  void* block = nullptr;
  const cudaGraph_t graph = Capture([&] {
    EXPECT_OK(cudaMallocAsync(&block, 1000, stream_));
    EXPECT_OK(cudaFreeAsync(block, stream_));
    // Neither is it there twice, nor is other memory a graph's.
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(block, stream_));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(data_, stream_));
  });
  cudaGraphNode_t nodes[2] = {};
  size_t count = 2;
  ASSERT_OK(cudaGraphGetNodes(graph, nodes, &count));
  ASSERT_EQ(2u, count);
  cudaMemAllocNodeParams params{};
  ASSERT_OK(cudaGraphMemAllocNodeGetParams(nodes[0], &params));
  EXPECT_EQ(block, params.dptr);
  EXPECT_EQ(1000u, params.bytesize);
  void* freed = nullptr;
  ASSERT_OK(cudaGraphMemFreeNodeGetParams(nodes[1], &freed));
  EXPECT_EQ(block, freed);
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(GraphMemoryTest, LaunchesTakeMemoryUntilItIsTrimmed) {
  const size_t before = FreeBytes();
  void* block = nullptr;
  const cudaGraphExec_t exec = Make(&block, true);
  EXPECT_EQ(before, FreeBytes());
  Launch(exec, stream_);
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrUsedMemCurrent));
  EXPECT_EQ(kPart, before - FreeBytes());
  // It is in use: nothing to trim.
  ASSERT_OK(cudaDeviceGraphMemTrim(0));
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(0u, Read(cudaGraphMemAttrUsedMemCurrent));
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  ASSERT_OK(cudaDeviceGraphMemTrim(0));
  EXPECT_EQ(0u, Read(cudaGraphMemAttrReservedMemCurrent));
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemHigh));
  EXPECT_EQ(before, FreeBytes());
  // The graph's memory is not the program's to free.
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(GraphMemoryTest, GraphsThatRunOneAfterTheOtherShareMemory) {
  void* block = nullptr;
  const cudaGraphExec_t a = Make(&block, true);
  const cudaGraphExec_t b = Make(&block, true);
  Launch(a, stream_);
  Launch(b, stream_);
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  Launch(a, stream_);
  Launch(b, other);
  EXPECT_EQ(2 * kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(2 * kPart, Read(cudaGraphMemAttrUsedMemHigh));
  for (const cudaGraphExec_t exec : {a, b}) {
    EXPECT_OK(cudaGraphExecDestroy(exec));
  }
  EXPECT_OK(cudaStreamDestroy(other));
}

TEST_F(GraphMemoryTest, MemoryFreedInTheGraphIsUsedAgainThere) {
  void* blocks[2] = {};
  const cudaGraph_t graph = Capture([&] {
    for (void*& block : blocks) {
      EXPECT_OK(cudaMallocAsync(&block, kPart, stream_));
      EXPECT_OK(cudaFreeAsync(block, stream_));
    }
  });
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
  Launch(exec, stream_);
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(GraphMemoryTest, UnfreedMemoryForbidsTheNextLaunch) {
  void* block = nullptr;
  const cudaGraphExec_t exec = Make(&block, false);
  Launch(exec, stream_);
  char last = 0;
  ASSERT_OK(cudaMemcpyAsync(&last, static_cast<char*>(block) + kPart - 1, 1,
                            cudaMemcpyDeviceToHost, stream_));
  EXPECT_EQ(7, last);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream_));
  ASSERT_OK(cudaFreeAsync(block, stream_));
  Launch(exec, stream_);
  ASSERT_OK(cudaFree(block));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(GraphMemoryTest, AutoFreeOnLaunchFreesWhatTheLastLaunchLeft) {
  void* block = nullptr;
  const cudaGraphExec_t exec =
      Make(&block, false, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  Launch(exec, stream_);
  Launch(exec, stream_);
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrUsedMemCurrent));
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrReservedMemCurrent));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  // What is in use outlives its graph.
  EXPECT_EQ(kPart, Read(cudaGraphMemAttrUsedMemCurrent));
  EXPECT_OK(cudaFree(block));
}

TEST_F(GraphMemoryTest, AnotherGraphMayFreeIt) {
  void* block = nullptr;
  const cudaGraphExec_t maker = Make(&block, false);
  const cudaGraph_t graph =
      Capture([&] { EXPECT_OK(cudaFreeAsync(block, stream_)); });
  cudaGraphExec_t freer = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&freer, graph, 0));
  Launch(maker, stream_);
  Launch(freer, stream_);
  Launch(maker, stream_);
  Launch(freer, stream_);
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  for (const cudaGraphExec_t exec : {maker, freer}) {
    EXPECT_OK(cudaGraphExecDestroy(exec));
  }
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(GraphMemoryTest, AFullDeviceRefusesTheLaunch) {
  void* block = nullptr;
  const size_t most = FreeBytes() - kPart / 2;
  void* rest = nullptr;
  ASSERT_OK(cudaMalloc(&rest, most));
  const cudaGraphExec_t exec = Make(&block, true);
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaGraphLaunch(exec, stream_));
  ASSERT_OK(cudaFree(rest));
  EXPECT_OK(cudaGraphLaunch(exec, stream_));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(GraphMemoryTest, AttributesAreCheckedByBothApis) {
  uint64_t value = 5;
  EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(
                                       0, cudaGraphMemAttrUsedMemHigh, &value));
  value = 0;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
                                           &value));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceGraphMemTrim(9));
  value = 5;
  EXPECT_EQ(CUDA_SUCCESS,
            cuDeviceGetGraphMemAttribute(
                0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &value));
  EXPECT_EQ(0u, value);
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuDeviceGraphMemTrim(9));
}

}  // namespace
