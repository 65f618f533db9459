// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_GRAPH_GRAPH_SUPPORT_H_
#define DLTAP_TESTS_UNIT_SIMGPU_GRAPH_GRAPH_SUPPORT_H_

#include <cuda.h>

#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

// A test with a graph that is destroyed with what was made of it. Handles serve
// both APIs.
class GraphFixture : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaGraphCreate(&graph_, 0));
  }
  void TearDown() override {
    if (exec_ != nullptr) cudaGraphExecDestroy(exec_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    RuntimeTest::TearDown();
  }

  static cudaKernelNodeParams KernelParams(int blocks) {
    cudaKernelNodeParams params{};
    params.func = const_cast<void*>(ScaleStub());
    params.gridDim = dim3(static_cast<unsigned>(blocks));
    params.blockDim = dim3(256);
    return params;
  }
  cudaGraphNode_t AddKernel(cudaGraph_t graph,
                            std::vector<cudaGraphNode_t> after = {},
                            int blocks = 64) {
    const cudaKernelNodeParams params = KernelParams(blocks);
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(),
                                     &params));
    return node;
  }
  cudaGraphNode_t Add(cudaGraphNodeParams& params) {
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params));
    return node;
  }
  void Instantiate(unsigned long long flags = 0) {
    ASSERT_OK(cudaGraphInstantiate(&exec_, graph_, flags));
  }
  // Device time of one launch, which the host's calls do not delay.
  double Time() {
    cudaEvent_t start = nullptr;
    cudaEvent_t stop = nullptr;
    float ms = 0;
    EXPECT_OK(cudaEventCreate(&start));
    EXPECT_OK(cudaEventCreate(&stop));
    LaunchScale(data_, 1 << 20, stream_);
    EXPECT_OK(cudaEventRecord(start, stream_));
    EXPECT_OK(cudaGraphLaunch(exec_, stream_));
    EXPECT_OK(cudaEventRecord(stop, stream_));
    EXPECT_OK(cudaEventSynchronize(stop));
    EXPECT_OK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT_OK(cudaEventDestroy(start));
    EXPECT_OK(cudaEventDestroy(stop));
    return ms;
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

#endif  // DLTAP_TESTS_UNIT_SIMGPU_GRAPH_GRAPH_SUPPORT_H_
