// SPDX-License-Identifier: Apache-2.0
// Nodes of every type.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/simgpu/graph/graph_support.h"

namespace {

using GraphNodesTest = GraphFixture;

TEST_F(GraphNodesTest, EachTypeIsAddedByItsTaggedParameters) {
  static int host_calls;
  host_calls = 0;
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreate(&event));
  cudaGraph_t child = nullptr;
  ASSERT_OK(cudaGraphCreate(&child, 0));
  AddKernel(child);
  int source = 7;

  cudaGraphNodeParams kernel{};
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel.func = const_cast<void*>(ScaleStub());
  kernel.kernel.gridDim.x = kernel.kernel.gridDim.y = 1;
  kernel.kernel.gridDim.z = 1;
  kernel.kernel.blockDim.x = 64;
  kernel.kernel.blockDim.y = kernel.kernel.blockDim.z = 1;
  cudaGraphNodeParams copy{};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = {&source, sizeof(int), sizeof(int), 1};
  copy.memcpy.copyParams.dstPtr = {data_, sizeof(int), sizeof(int), 1};
  copy.memcpy.copyParams.extent = {sizeof(int), 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
  cudaGraphNodeParams set{};
  set.type = cudaGraphNodeTypeMemset;
  set.memset = {data_ + 1, 4, 5, 4, 1, 1};
  cudaGraphNodeParams host{};
  host.type = cudaGraphNodeTypeHost;
  host.host.fn = [](void*) { ++host_calls; };
  cudaGraphNodeParams graph{};
  graph.type = cudaGraphNodeTypeGraph;
  graph.graph.graph = child;
  cudaGraphNodeParams empty{};
  empty.type = cudaGraphNodeTypeEmpty;
  cudaGraphNodeParams record{};
  record.type = cudaGraphNodeTypeEventRecord;
  record.eventRecord.event = event;
  cudaGraphNodeParams wait{};
  wait.type = cudaGraphNodeTypeWaitEvent;
  wait.eventWait.event = event;
  for (auto* params :
       {&kernel, &copy, &set, &host, &graph, &empty, &record, &wait}) {
    const cudaGraphNode_t node = Add(*params);
    cudaGraphNodeType type;
    ASSERT_OK(cudaGraphNodeGetType(node, &type));
    EXPECT_EQ(params->type, type);
  }
  Instantiate();
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  int result[8] = {};  // more than a scalar, which would read as zero
  ASSERT_OK(cudaMemcpy(result, data_, sizeof(result), cudaMemcpyDeviceToHost));
  EXPECT_EQ(7, result[0]);
  EXPECT_EQ(5, result[1]);
  EXPECT_EQ(1, host_calls);
  EXPECT_OK(cudaEventQuery(event));
  EXPECT_OK(cudaGraphDestroy(child));
  EXPECT_OK(cudaEventDestroy(event));

  cudaGraphNodeParams none{};
  none.type = static_cast<cudaGraphNodeType>(99);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &none));
}

TEST_F(GraphNodesTest, EventNodesTellAndChangeTheirEvent) {
  cudaEvent_t first = nullptr;
  cudaEvent_t second = nullptr;
  ASSERT_OK(cudaEventCreate(&first));
  ASSERT_OK(cudaEventCreate(&second));
  cudaGraphNode_t record = nullptr;
  cudaGraphNode_t wait = nullptr;
  ASSERT_OK(cudaGraphAddEventRecordNode(&record, graph_, nullptr, 0, first));
  ASSERT_OK(cudaGraphAddEventWaitNode(&wait, graph_, nullptr, 0, first));
  cudaEvent_t got = nullptr;
  ASSERT_OK(cudaGraphEventRecordNodeGetEvent(record, &got));
  EXPECT_EQ(first, got);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphEventWaitNodeGetEvent(record, &got));
  Instantiate();
  ASSERT_OK(cudaGraphEventRecordNodeSetEvent(record, second));
  ASSERT_OK(cudaGraphEventRecordNodeGetEvent(record, &got));
  EXPECT_EQ(second, got);
  ASSERT_OK(cudaGraphExecEventWaitNodeSetEvent(exec_, wait, second));
  ASSERT_OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
  EXPECT_EQ(first, got);  // the exec's node changed, not the graph's
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaGraphEventWaitNodeSetEvent(wait, nullptr));
  EXPECT_OK(cudaEventDestroy(first));
  EXPECT_OK(cudaEventDestroy(second));
}

TEST_F(GraphNodesTest, MemoryLivesAtOneAddress) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  params.bytesize = 4096;
  cudaGraphNode_t alloc = nullptr;
  ASSERT_OK(cudaGraphAddMemAllocNode(&alloc, graph_, nullptr, 0, &params));
  ASSERT_NE(nullptr, params.dptr);
  cudaMemAllocNodeParams read{};
  ASSERT_OK(cudaGraphMemAllocNodeGetParams(alloc, &read));
  EXPECT_EQ(params.dptr, read.dptr);
  EXPECT_EQ(4096u, read.bytesize);
  cudaMemsetParams set{params.dptr, 4096, 3, 1, 4096, 1};
  cudaGraphNode_t fill = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph_, &alloc, 1, &set));
  cudaGraphNode_t free = nullptr;
  ASSERT_OK(cudaGraphAddMemFreeNode(&free, graph_, &fill, 1, params.dptr));
  void* freed = nullptr;
  ASSERT_OK(cudaGraphMemFreeNodeGetParams(free, &freed));
  EXPECT_EQ(params.dptr, freed);
  Instantiate();
  EXPECT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_OK(cudaStreamSynchronize(stream_));
}

TEST_F(GraphNodesTest, MemoryNodesAreExclusive) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &params));
  params.bytesize = 100;
  ASSERT_OK(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &params));
  cudaGraphNode_t free = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddMemFreeNode(&free, graph_, &node, 1, data_));
  ASSERT_OK(cudaGraphAddMemFreeNode(&free, graph_, &node, 1, params.dptr));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddMemFreeNode(&free, graph_, &node, 1, params.dptr));
  cudaGraph_t other = nullptr;
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphClone(&other, graph_));
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphDestroyNode(node));
  ASSERT_OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t child = nullptr;
  EXPECT_EQ(cudaErrorNotSupported,
            cudaGraphAddChildGraphNode(&child, other, nullptr, 0, graph_));
  Instantiate();
  cudaGraphExec_t second = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&second, graph_, 0));
  ASSERT_OK(cudaGraphExecDestroy(exec_));
  EXPECT_OK(cudaGraphInstantiate(&exec_, graph_, 0));
  EXPECT_OK(cudaGraphDestroy(other));
}

TEST_F(GraphNodesTest, ChildGraphCanBeMoved) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.ownership = cudaGraphChildGraphOwnershipMove;
  ASSERT_OK(cudaGraphCreate(&params.graph.graph, 0));
  const cudaGraphNode_t node = Add(params);
  cudaGraph_t inside = nullptr;
  ASSERT_OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
  EXPECT_EQ(params.graph.graph, inside);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphDestroy(inside));
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, inside, 0));
}

class ConditionalTest : public GraphFixture {
 protected:
  // A node whose bodies hold one long kernel each.
  cudaGraphNodeParams Make(cudaGraphConditionalNodeType type, unsigned size,
                           unsigned value) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.type = type;
    params.conditional.size = size;
    EXPECT_OK(cudaGraphConditionalHandleCreate(
        &params.conditional.handle, graph_, value, cudaGraphCondAssignDefault));
    Add(params);
    for (unsigned i = 0; i < size; ++i) {
      AddKernel(params.conditional.phGraph_out[i], {}, kBlocks << i);
    }
    return params;
  }
  static constexpr int kBlocks = 1 << 16;
};

TEST_F(ConditionalTest, IfRunsByTheDefaultValue) {
  Make(cudaGraphCondTypeIf, 1, 1);
  Instantiate();
  const double runs = Time();
  ASSERT_OK(cudaGraphExecDestroy(exec_));
  ASSERT_OK(cudaGraphDestroy(graph_));
  ASSERT_OK(cudaGraphCreate(&graph_, 0));
  Make(cudaGraphCondTypeIf, 1, 0);
  Instantiate();
  EXPECT_LT(Time(), 0.2 * runs);
}

TEST_F(ConditionalTest, ElseSwitchAndWhile) {
  struct {
    cudaGraphConditionalNodeType type;
    unsigned size;
    unsigned value;
    int body;  // -1: none
  } const cases[] = {
      {cudaGraphCondTypeIf, 2, 1, 0},     {cudaGraphCondTypeIf, 2, 0, 1},
      {cudaGraphCondTypeSwitch, 3, 2, 2}, {cudaGraphCondTypeSwitch, 3, 3, -1},
      {cudaGraphCondTypeWhile, 1, 5, 0},  // one round: nothing computes
      {cudaGraphCondTypeWhile, 1, 0, -1},
  };
  AddKernel(graph_, {}, kBlocks);
  Instantiate();
  const double unit = Time();
  for (const auto& c : cases) {
    ASSERT_OK(cudaGraphExecDestroy(exec_));
    ASSERT_OK(cudaGraphDestroy(graph_));
    ASSERT_OK(cudaGraphCreate(&graph_, 0));
    Make(c.type, c.size, c.value);
    Instantiate();
    const double expected = c.body < 0 ? 0 : unit * (1 << c.body);
    EXPECT_NEAR(expected, Time(), 0.2 * unit) << c.type << " " << c.value;
  }
}

TEST_F(ConditionalTest, RulesOfHandlesAndBodies) {
  cudaGraphConditionalHandle handle = 0;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphConditionalHandleCreate(&handle, graph_, 0, 2));
  ASSERT_OK(cudaGraphConditionalHandleCreate(&handle, graph_, 0, 0));
  // A handle without a node.
  cudaGraphInstantiateParams report{};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphInstantiateWithParams(&exec_, graph_, &report));
  EXPECT_EQ(cudaGraphInstantiateConditionalHandleUnused, report.result_out);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 2;
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params));
  params.conditional.size = 1;
  ASSERT_OK(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params));
  // A handle serves one node.
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params));
  // Host nodes are not allowed in a body.
  cudaHostNodeParams host{[](void*) {}, nullptr};
  cudaGraphNode_t inner = nullptr;
  ASSERT_OK(cudaGraphAddHostNode(&inner, params.conditional.phGraph_out[0],
                                 nullptr, 0, &host));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphInstantiateWithParams(&exec_, graph_, &report));
  EXPECT_EQ(cudaGraphInstantiateNodeOperationNotSupported, report.result_out);
  EXPECT_EQ(inner, report.errNode_out);
  // A graph with conditional nodes is nobody's child.
  cudaGraph_t other = nullptr;
  ASSERT_OK(cudaGraphCreate(&other, 0));
  EXPECT_EQ(cudaErrorNotSupported,
            cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph_));
  EXPECT_OK(cudaGraphDestroy(other));
}

TEST_F(ConditionalTest, UpdateChangesTheDefaultValue) {
  Make(cudaGraphCondTypeIf, 1, 0);
  Instantiate();
  const double skipped = Time();
  cudaGraph_t other = graph_;
  ASSERT_OK(cudaGraphCreate(&graph_, 0));
  Make(cudaGraphCondTypeIf, 1, 1);
  cudaGraphExecUpdateResultInfo info{};
  ASSERT_OK(cudaGraphExecUpdate(exec_, graph_, &info));
  EXPECT_GT(Time(), 5 * skipped);
  EXPECT_OK(cudaGraphDestroy(other));
}

TEST_F(GraphNodesTest, KernelAttributesAreKeptAndCopied) {
  const cudaGraphNode_t node = AddKernel(graph_);
  const cudaGraphNode_t other = AddKernel(graph_);
  cudaKernelNodeAttrValue value{};
  value.priority = -3;
  ASSERT_OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority,
                                            &value));
  value = {};
  value.cooperative = 1;
  ASSERT_OK(cudaGraphKernelNodeSetAttribute(
      node, cudaLaunchAttributeCooperative, &value));
  value = {};
  value.accessPolicyWindow.num_bytes = 123;
  ASSERT_OK(cudaGraphKernelNodeSetAttribute(
      node, cudaLaunchAttributeAccessPolicyWindow, &value));
  ASSERT_OK(cudaGraphKernelNodeCopyAttributes(other, node));
  const cudaKernelNodeParams params = KernelParams(8);
  ASSERT_OK(cudaGraphKernelNodeSetParams(other, &params));  // leaves them
  ASSERT_OK(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority,
                                            &value));
  EXPECT_EQ(-3, value.priority);
  ASSERT_OK(cudaGraphKernelNodeGetAttribute(
      other, cudaLaunchAttributeCooperative, &value));
  EXPECT_EQ(1, value.cooperative);
  ASSERT_OK(cudaGraphKernelNodeGetAttribute(
      other, cudaLaunchAttributeAccessPolicyWindow, &value));
  EXPECT_EQ(123u, value.accessPolicyWindow.num_bytes);
  // Of streams, not of nodes.
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphKernelNodeGetAttribute(
                other, cudaLaunchAttributeSynchronizationPolicy, &value));
  // The grid of 64 blocks is not made of clusters of 3.
  value = {};
  value.clusterDim = {3, 1, 1};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphKernelNodeSetAttribute(
                node, cudaLaunchAttributeClusterDimension, &value));
}

TEST_F(GraphNodesTest, CapturedKernelsHaveTheirStreamsPriority) {
  cudaStream_t urgent = nullptr;
  ASSERT_OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -2));
  ASSERT_OK(cudaStreamBeginCapture(urgent, cudaStreamCaptureModeRelaxed));
  LaunchScale(data_, 1, urgent);
  cudaGraph_t captured = nullptr;
  ASSERT_OK(cudaStreamEndCapture(urgent, &captured));
  cudaGraphNode_t node = nullptr;
  size_t count = 1;
  ASSERT_OK(cudaGraphGetNodes(captured, &node, &count));
  cudaKernelNodeAttrValue value{};
  ASSERT_OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority,
                                            &value));
  EXPECT_EQ(-2, value.priority);
  EXPECT_OK(cudaGraphDestroy(captured));
  EXPECT_OK(cudaStreamDestroy(urgent));
}

// Destructors of user objects run on a thread of the simulator's.
std::atomic<int> g_destroyed;
void Destroy(void*) { ++g_destroyed; }
bool BecomesDestroyed(int count) {
  for (int i = 0; i < 5000 && g_destroyed < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return g_destroyed == count;
}

TEST_F(GraphNodesTest, UserObjectLivesAsLongAsAnybodyNeedsIt) {
  g_destroyed = 0;
  cudaUserObject_t object = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaUserObjectCreate(&object, nullptr, Destroy, 1, 0));
  ASSERT_OK(cudaUserObjectCreate(&object, nullptr, Destroy, 2,
                                 cudaUserObjectNoDestructorSync));
  EXPECT_OK(cudaUserObjectRetain(object, 1));
  EXPECT_OK(cudaUserObjectRelease(object, 2));
  EXPECT_EQ(cudaErrorInvalidValue, cudaUserObjectRelease(object, 2));
  ASSERT_OK(
      cudaGraphRetainUserObject(graph_, object, 1, cudaGraphUserObjectMove));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphReleaseUserObject(graph_, object, 2));
  AddKernel(graph_, {}, 1 << 20);
  Instantiate();
  ASSERT_OK(cudaGraphDestroy(graph_));
  graph_ = nullptr;
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_EQ(0, g_destroyed);  // the exec needs it
  ASSERT_OK(cudaGraphExecDestroy(exec_));
  exec_ = nullptr;
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_TRUE(BecomesDestroyed(1));
}

TEST_F(GraphNodesTest, ReleasedByTheGraph) {
  g_destroyed = 0;
  CUuserObject object = nullptr;
  ASSERT_EQ(0, cuUserObjectCreate(&object, nullptr, Destroy, 1,
                                  CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  ASSERT_EQ(0, cuGraphRetainUserObject(graph_, object, 2, 0));
  ASSERT_EQ(0, cuUserObjectRelease(object, 1));
  ASSERT_EQ(0, cuGraphReleaseUserObject(graph_, object, 2));
  EXPECT_TRUE(BecomesDestroyed(1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuUserObjectRetain(object, 1));
}

}  // namespace
