// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

class GraphTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaGraphCreate(&graph_, 0));
  }
  void TearDown() override {
    if (exec_ != nullptr) cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
    RuntimeTest::TearDown();
  }

  cudaGraphNode_t AddKernel(std::vector<cudaGraphNode_t> after, int blocks) {
    cudaKernelNodeParams params{};
    params.func = const_cast<void*>(ScaleStub());
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(256);
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddKernelNode(&node, graph_, after.data(), after.size(),
                                     &params));
    return node;
  }
  void Instantiate() { ASSERT_OK(cudaGraphInstantiate(&exec_, graph_, 0)); }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(GraphTest, ReplayTakesItsTimeAndCopies) {
  static int source;
  cudaGraphNode_t copy = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNode1D(&copy, graph_, nullptr, 0, data_, &source,
                                     sizeof(source), cudaMemcpyHostToDevice));
  Instantiate();
  for (const int value : {11, 12}) {
    source = value;
    ASSERT_OK(cudaGraphLaunch(exec_, stream_));
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
    int result = 0;
    ASSERT_OK(
        cudaMemcpy(&result, data_, sizeof(result), cudaMemcpyDeviceToHost));
    EXPECT_EQ(value, result);
  }
  EXPECT_OK(cudaStreamSynchronize(stream_));
}

TEST_F(GraphTest, CycleIsRefusedAtInstantiation) {
  const cudaGraphNode_t a = AddKernel({}, 1);
  const cudaGraphNode_t b = AddKernel({a}, 1);
  ASSERT_OK(cudaGraphAddDependencies(graph_, &b, &a, nullptr, 1));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec_, graph_, 0));
}

TEST_F(GraphTest, NodeParametersReadBack) {
  const cudaGraphNode_t node = AddKernel({}, 77);
  cudaKernelNodeParams params{};
  ASSERT_OK(cudaGraphKernelNodeGetParams(node, &params));
  EXPECT_EQ(77u, params.gridDim.x);
  EXPECT_EQ(256u, params.blockDim.x);
  const char* name = nullptr;
  ASSERT_OK(cudaFuncGetName(&name, params.func));
  EXPECT_STREQ("_Z5ScalePff", name);
}

TEST_F(GraphTest, UpdateWantsTheSameShape) {
  AddKernel({}, 1);
  Instantiate();
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_OK(cudaGraphExecUpdate(exec_, graph_, &info));
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
  AddKernel({}, 1);
  EXPECT_EQ(cudaErrorGraphExecUpdateFailure,
            cudaGraphExecUpdate(exec_, graph_, &info));
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
}

TEST_F(GraphTest, ExecLivesOnWithoutItsGraph) {
  AddKernel({}, 1);
  Instantiate();
  ASSERT_OK(cudaGraphDestroy(graph_));
  EXPECT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_OK(cudaStreamSynchronize(stream_));
  ASSERT_OK(cudaGraphCreate(&graph_, 0));
}

TEST_F(GraphTest, ChildGraphIsACopy) {
  cudaGraph_t child = nullptr;
  ASSERT_OK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t empty = nullptr;
  ASSERT_OK(cudaGraphAddEmptyNode(&empty, child, nullptr, 0));
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddChildGraphNode(&node, graph_, nullptr, 0, child));
  ASSERT_OK(cudaGraphDestroy(child));
  cudaGraph_t inside = nullptr;
  ASSERT_OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
  size_t count = 0;
  EXPECT_OK(cudaGraphGetNodes(inside, nullptr, &count));
  EXPECT_EQ(1u, count);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphDestroy(inside));
}

TEST_F(GraphTest, BranchesOverlapAChainDoesNot) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  ASSERT_OK(cudaEventCreate(&start));
  ASSERT_OK(cudaEventCreate(&stop));
  const auto time = [&](cudaGraphExec_t exec) {
    float ms = 0;
    LaunchScale(data_, 1 << 20, stream_);  // while the host submits the rest
    EXPECT_OK(cudaEventRecord(start, stream_));
    EXPECT_OK(cudaGraphLaunch(exec, stream_));
    EXPECT_OK(cudaEventRecord(stop, stream_));
    EXPECT_OK(cudaEventSynchronize(stop));
    EXPECT_OK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
  };
  const cudaGraphNode_t first = AddKernel({}, 400);
  const cudaGraphNode_t second = AddKernel({}, 400);
  Instantiate();
  const float parallel = time(exec_);
  ASSERT_OK(cudaGraphExecDestroy(exec_));
  ASSERT_OK(cudaGraphAddDependencies(graph_, &first, &second, nullptr, 1));
  Instantiate();
  EXPECT_GT(time(exec_), 1.5f * parallel);
  EXPECT_OK(cudaEventDestroy(start));
  EXPECT_OK(cudaEventDestroy(stop));
}

}  // namespace
