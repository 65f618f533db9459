// SPDX-License-Identifier: Apache-2.0
// Executable graphs: instantiation, update, launches.
#include "tests/unit/simgpu/graph/graph_support.h"

namespace {

class GraphExecTest : public GraphFixture {
 protected:
  // Updates the exec with a graph that `build` makes.
  template <typename Build>
  cudaGraphExecUpdateResultInfo UpdateWith(Build build) {
    if (other_ != nullptr) cudaGraphDestroy(other_);
    EXPECT_OK(cudaGraphCreate(&other_, 0));
    build(other_);
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t error = cudaGraphExecUpdate(exec_, other_, &info);
    EXPECT_EQ(info.result == cudaGraphExecUpdateSuccess
                  ? cudaSuccess
                  : cudaErrorGraphExecUpdateFailure,
              error);
    CUgraphExecUpdateResultInfo same{};
    cuGraphExecUpdate(exec_, other_, &same);
    EXPECT_EQ(static_cast<int>(info.result), static_cast<int>(same.result));
    EXPECT_EQ(info.errorNode, same.errorNode);
    return info;
  }
  void TearDown() override {
    if (other_ != nullptr) cudaGraphDestroy(other_);
    GraphFixture::TearDown();
  }
  cudaGraphNode_t AddSet(cudaGraph_t graph, size_t width, size_t height) {
    cudaMemsetParams set{data_, 4096, 0, 1, width, height};
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
    return node;
  }
  cudaGraphNode_t AddCopy(cudaGraph_t graph, void* to, const void* from) {
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, 4,
                                       cudaMemcpyDefault));
    return node;
  }
  cudaGraph_t other_ = nullptr;
};

TEST_F(GraphExecTest, UpdateTellsWhichPartOfTheTopologyChanged) {
  const cudaGraphNode_t a = AddKernel(graph_);
  const cudaGraphNode_t b = AddKernel(graph_, {a});
  AddKernel(graph_, {a, b});
  Instantiate();
  cudaGraphNode_t x = nullptr;
  cudaGraphNode_t y = nullptr;
  cudaGraphNode_t z = nullptr;
  auto info = UpdateWith([&](cudaGraph_t g) { AddKernel(g); });
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
  EXPECT_EQ(nullptr, info.errorNode);
  info = UpdateWith([&](cudaGraph_t g) {
    x = AddKernel(g);
    y = AddKernel(g);  // one dependency less
    z = AddKernel(g, {x, y});
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
  EXPECT_EQ(y, info.errorNode);
  info = UpdateWith([&](cudaGraph_t g) {
    x = AddKernel(g);
    y = AddKernel(g, {x});
    z = AddKernel(g, {y, x});  // paired by the order of the edges
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
  EXPECT_EQ(z, info.errorNode);
  EXPECT_EQ(y, info.errorFromNode);
  info = UpdateWith([&](cudaGraph_t g) {
    x = AddKernel(g, {}, 7);
    y = AddKernel(g, {x});
    z = AddKernel(g, {x, y});
  });
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
}

TEST_F(GraphExecTest, UpdateRefusesOtherTypesParametersAndAttributes) {
  AddKernel(graph_);
  AddSet(graph_, 64, 2);
  AddCopy(graph_, data_, data_ + 8);
  Instantiate();
  cudaGraphNode_t wrong = nullptr;
  auto info = UpdateWith([&](cudaGraph_t g) {
    EXPECT_OK(cudaGraphAddEmptyNode(&wrong, g, nullptr, 0));
    AddSet(g, 64, 2);
    AddCopy(g, data_, data_ + 8);
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorNodeTypeChanged, info.result);
  EXPECT_EQ(wrong, info.errorNode);
  info = UpdateWith([&](cudaGraph_t g) {
    AddKernel(g);
    wrong = AddSet(g, 32, 2);  // a 2d memset keeps its shape
    AddCopy(g, data_, data_ + 8);
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorParametersChanged, info.result);
  EXPECT_EQ(wrong, info.errorNode);
  static int host_value;
  info = UpdateWith([&](cudaGraph_t g) {
    AddKernel(g);
    AddSet(g, 64, 2);
    wrong = AddCopy(g, data_, &host_value);  // another type of memory
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorParametersChanged, info.result);
  EXPECT_EQ(wrong, info.errorNode);
  info = UpdateWith([&](cudaGraph_t g) {
    wrong = AddKernel(g);
    cudaKernelNodeAttrValue value{};
    value.cooperative = 1;
    EXPECT_OK(cudaGraphKernelNodeSetAttribute(
        wrong, cudaLaunchAttributeCooperative, &value));
    AddSet(g, 64, 2);
    AddCopy(g, data_, data_ + 8);
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorAttributesChanged, info.result);
  EXPECT_EQ(wrong, info.errorNode);
  info = UpdateWith([&](cudaGraph_t g) {
    AddKernel(g, {}, 99);
    AddSet(g, 64, 2);
    AddCopy(g, data_ + 4, data_ + 8);
  });
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
}

TEST_F(GraphExecTest, MemoryNodesCannotBeUpdated) {
  const auto build = [&](cudaGraph_t g) {
    cudaMemAllocNodeParams params{};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location = {cudaMemLocationTypeDevice, {0}};
    params.bytesize = 100;
    cudaGraphNode_t alloc = nullptr;
    cudaGraphNode_t free = nullptr;
    EXPECT_OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &params));
    EXPECT_OK(cudaGraphAddMemFreeNode(&free, g, &alloc, 1, params.dptr));
  };
  build(graph_);
  Instantiate();
  EXPECT_EQ(cudaGraphExecUpdateErrorNotSupported, UpdateWith(build).result);
}

TEST_F(GraphExecTest, PriorityIsFixedWhenNodesRunByIt) {
  AddKernel(graph_);
  Instantiate(cudaGraphInstantiateFlagUseNodePriority);
  const auto info = UpdateWith([&](cudaGraph_t g) {
    cudaKernelNodeAttrValue value{};
    value.priority = -1;
    EXPECT_OK(cudaGraphKernelNodeSetAttribute(
        AddKernel(g), cudaLaunchAttributePriority, &value));
  });
  EXPECT_EQ(cudaGraphExecUpdateErrorAttributesChanged, info.result);
}

TEST_F(GraphExecTest, InstantiationSaysWhatIsWrong) {
  const cudaGraphNode_t a = AddKernel(graph_);
  const cudaGraphNode_t b = AddKernel(graph_, {a});
  ASSERT_OK(cudaGraphAddDependencies(graph_, &b, &a, nullptr, 1));
  cudaGraphInstantiateParams params{};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphInstantiateWithParams(&exec_, graph_, &params));
  EXPECT_EQ(cudaGraphInstantiateInvalidStructure, params.result_out);
  EXPECT_TRUE(params.errNode_out == a || params.errNode_out == b);
  EXPECT_EQ(nullptr, exec_);
  ASSERT_OK(cudaGraphRemoveDependencies(graph_, &b, &a, nullptr, 1));
  // A graph for launches by the device has no host nodes.
  cudaHostNodeParams host{[](void*) {}, nullptr};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddHostNode(&node, graph_, nullptr, 0, &host));
  params.flags = cudaGraphInstantiateFlagDeviceLaunch;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphInstantiateWithParams(&exec_, graph_, &params));
  EXPECT_EQ(cudaGraphInstantiateNodeOperationNotSupported, params.result_out);
  EXPECT_EQ(node, params.errNode_out);
  ASSERT_OK(cudaGraphDestroyNode(node));
  ASSERT_OK(cudaGraphInstantiateWithParams(&exec_, graph_, &params));
  EXPECT_EQ(cudaGraphInstantiateSuccess, params.result_out);
  unsigned long long flags = 0;
  ASSERT_OK(cudaGraphExecGetFlags(exec_, &flags));
  EXPECT_EQ(cudaGraphInstantiateFlagDeviceLaunch, flags);
  cudaGraphExec_t none = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphInstantiate(&none, graph_,
                                 cudaGraphInstantiateFlagDeviceLaunch |
                                     cudaGraphInstantiateFlagAutoFreeOnLaunch));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&none, graph_, 64));
}

TEST_F(GraphExecTest, NodesCanBeSwitchedOff) {
  const cudaGraphNode_t kernel = AddKernel(graph_, {}, 1 << 18);
  cudaGraphNode_t empty = nullptr;
  ASSERT_OK(cudaGraphAddEmptyNode(&empty, graph_, nullptr, 0));
  Instantiate();
  const double on = Time();
  unsigned enabled = 7;
  ASSERT_OK(cudaGraphNodeSetEnabled(exec_, kernel, 0));
  ASSERT_OK(cudaGraphNodeGetEnabled(exec_, kernel, &enabled));
  EXPECT_EQ(0u, enabled);
  EXPECT_LT(Time(), 0.1 * on);
  ASSERT_EQ(0, cuGraphNodeSetEnabled(exec_, kernel, 1));
  EXPECT_NEAR(on, Time(), 0.01 * on);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec_, empty, 0));
}

TEST_F(GraphExecTest, ParametersOfOneNodeChange) {
  const cudaGraphNode_t kernel = AddKernel(graph_, {}, 1 << 16);
  Instantiate();
  const double before = Time();
  const cudaKernelNodeParams larger = KernelParams(1 << 18);
  ASSERT_OK(cudaGraphExecKernelNodeSetParams(exec_, kernel, &larger));
  EXPECT_NEAR(4 * before, Time(), before);
  cudaKernelNodeParams read{};
  ASSERT_OK(cudaGraphKernelNodeGetParams(kernel, &read));
  EXPECT_EQ(1u << 16, read.gridDim.x);  // the graph's node kept its own
  // By the tagged parameters, of the right type only.
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeEmpty;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphExecNodeSetParams(exec_, kernel, &params));
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = const_cast<void*>(ScaleStub());
  params.kernel.gridDim = dim3(1 << 16);
  params.kernel.blockDim = dim3(256);
  ASSERT_OK(cudaGraphExecNodeSetParams(exec_, kernel, &params));
  EXPECT_NEAR(before, Time(), 0.01 * before);
}

TEST_F(GraphExecTest, CopyOfASymbol) {
  cudaGraphNode_t to = nullptr;
  static int value;
  value = 5;
  ASSERT_OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph_, nullptr, 0,
                                           CounterSymbol(), &value, 4, 0,
                                           cudaMemcpyHostToDevice));
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaGraphAddMemcpyNodeToSymbol(&node, graph_, nullptr, 0, CounterSymbol(),
                                     &value, 4, 2, cudaMemcpyHostToDevice));
  Instantiate();
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  int result = 0;
  ASSERT_OK(cudaMemcpyFromSymbol(&result, CounterSymbol(), sizeof(result), 0,
                                 cudaMemcpyDeviceToHost));
  EXPECT_EQ(5, result);
  static int other;
  other = 6;
  ASSERT_OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(
      exec_, to, CounterSymbol(), &other, 4, 0, cudaMemcpyHostToDevice));
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  ASSERT_OK(cudaMemcpyFromSymbol(&result, CounterSymbol(), sizeof(result), 0,
                                 cudaMemcpyDeviceToHost));
  EXPECT_EQ(6, result);
}

TEST_F(GraphExecTest, CloneKnowsItsOriginals) {
  const cudaGraphNode_t node = AddKernel(graph_);
  ASSERT_OK(cudaGraphClone(&other_, graph_));
  cudaGraphNode_t clone = nullptr;
  ASSERT_OK(cudaGraphNodeFindInClone(&clone, node, other_));
  EXPECT_NE(node, clone);
  cudaGraphNode_t listed = nullptr;
  size_t count = 1;
  ASSERT_OK(cudaGraphGetNodes(other_, &listed, &count));
  EXPECT_EQ(listed, clone);
  ASSERT_OK(cudaGraphDestroyNode(clone));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphNodeFindInClone(&clone, node, other_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphNodeFindInClone(&clone, node, graph_));
}

TEST_F(GraphExecTest, LaunchesOfOneExecFollowEachOther) {
  AddKernel(graph_, {}, 200);  // leaves room for another
  Instantiate();
  const double once = Time();
  cudaStream_t second = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  ASSERT_OK(cudaEventCreate(&start));
  ASSERT_OK(cudaEventCreate(&stop));
  LaunchScale(data_, 1 << 20, stream_);
  ASSERT_OK(cudaEventRecord(start, stream_));
  ASSERT_OK(cudaStreamWaitEvent(second, start, 0));
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  ASSERT_OK(cudaGraphLaunch(exec_, second));
  ASSERT_OK(cudaEventRecord(stop, second));
  ASSERT_OK(cudaEventSynchronize(stop));
  float ms = 0;
  ASSERT_OK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT_GT(ms, 1.5 * once);
  EXPECT_OK(cudaEventDestroy(start));
  EXPECT_OK(cudaEventDestroy(stop));
  EXPECT_OK(cudaStreamDestroy(second));
}

TEST_F(GraphExecTest, UploadWantsAStream) {
  AddKernel(graph_);
  Instantiate();
  EXPECT_OK(cudaGraphUpload(exec_, stream_));
  cudaStream_t gone = nullptr;
  ASSERT_OK(cudaStreamCreate(&gone));
  ASSERT_OK(cudaStreamDestroy(gone));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaGraphUpload(exec_, gone));
}

}  // namespace
