// SPDX-License-Identifier: Apache-2.0
// Stream memory operations and their graph node; attributes of streams.
#include "tests/unit/simgpu/graph/graph_support.h"

namespace {

class MemoryOperationTest : public GraphFixture {
 protected:
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(data_); }
  unsigned long long Read() {
    unsigned long long value = 0;
    EXPECT_OK(cudaMemcpyAsync(&value, data_, sizeof(value),
                              cudaMemcpyDeviceToHost, stream_));
    EXPECT_OK(cudaStreamSynchronize(stream_));
    return value;
  }
};

TEST_F(MemoryOperationTest, WritesInStreamOrder) {
  ASSERT_OK(cudaMemsetAsync(data_, 0, 8, stream_));
  ASSERT_EQ(0, cuStreamWriteValue64(stream_, address(), 0x1122334455667788, 0));
  EXPECT_EQ(0x1122334455667788u, Read());
  ASSERT_EQ(0, cuStreamWriteValue32(stream_, address(), 9, 0));
  EXPECT_EQ(0x1122334400000009u, Read());
}

TEST_F(MemoryOperationTest, ArgumentsAreChecked) {
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamWriteValue32(stream_, address() + 2, 1, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamWriteValue64(stream_, address() + 4, 1, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(stream_, 0, 1, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamWaitValue32(stream_, address(), 1, 4));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamBatchMemOp(stream_, 1, nullptr, 0));
}

TEST_F(MemoryOperationTest, WaitFollowsTheOtherStreamsWrite) {
  cudaStream_t writer = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking));
  LaunchScale(data_, 1 << 20, writer);  // long
  ASSERT_EQ(0, cuStreamWriteValue32(writer, address(), 3, 0));
  EXPECT_OK(cudaStreamQuery(stream_));
  ASSERT_EQ(
      0, cuStreamWaitValue32(stream_, address(), 3, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_OK(cudaStreamQuery(writer));
  EXPECT_OK(cudaStreamDestroy(writer));
}

TEST_F(MemoryOperationTest, BatchIsOneNodeOfAGraph) {
  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = address();
  operations[0].writeValue.value = 4;
  operations[1] = operations[0];
  operations[1].writeValue.address = address() + 4;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
  params.count = 2;
  params.paramArray = operations;
  CUgraphNode node = nullptr;
  ASSERT_EQ(0, cuGraphAddBatchMemOpNode(&node, graph_, nullptr, 0, &params));
  CUgraphNodeType type;
  ASSERT_EQ(0, cuGraphNodeGetType(node, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, type);
  CUDA_BATCH_MEM_OP_NODE_PARAMS read{};
  ASSERT_EQ(0, cuGraphBatchMemOpNodeGetParams(node, &read));
  ASSERT_EQ(2u, read.count);
  EXPECT_EQ(address() + 4, read.paramArray[1].writeValue.address);
  Instantiate();
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_EQ(0x400000004u, Read());
  operations[0].writeValue.value = 5;
  ASSERT_EQ(0, cuGraphExecBatchMemOpNodeSetParams(exec_, node, &params));
  params.count = 1;  // "the number of operations cannot change"
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuGraphExecBatchMemOpNodeSetParams(exec_, node, &params));
  ASSERT_OK(cudaGraphLaunch(exec_, stream_));
  EXPECT_EQ(0x400000005u, Read());
}

TEST_F(MemoryOperationTest, CapturedAsANode) {
  ASSERT_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  ASSERT_EQ(0, cuStreamWriteValue32(stream_, address(), 1, 0));
  cudaGraph_t captured = nullptr;
  ASSERT_OK(cudaStreamEndCapture(stream_, &captured));
  CUgraphNode node = nullptr;
  size_t count = 1;
  ASSERT_EQ(0, cuGraphGetNodes(captured, &node, &count));
  CUgraphNodeType type;
  ASSERT_EQ(0, cuGraphNodeGetType(node, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, type);
  EXPECT_OK(cudaGraphDestroy(captured));
}

TEST_F(MemoryOperationTest, StreamAttributesAreKeptAndCopied) {
  cudaStreamAttrValue value{};
  value.priority = -4;
  ASSERT_OK(
      cudaStreamSetAttribute(stream_, cudaLaunchAttributePriority, &value));
  value = {};
  value.syncPolicy = cudaSyncPolicyYield;
  ASSERT_OK(cudaStreamSetAttribute(
      stream_, cudaLaunchAttributeSynchronizationPolicy, &value));
  cudaStream_t other = nullptr;
  ASSERT_OK(cudaStreamCreate(&other));
  ASSERT_OK(cudaStreamCopyAttributes(other, stream_));
  int priority = 0;
  ASSERT_OK(cudaStreamGetPriority(other, &priority));
  EXPECT_EQ(-4, priority);
  CUstreamAttrValue read{};
  ASSERT_EQ(0, cuStreamGetAttribute(
                   other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &read));
  EXPECT_EQ(CU_SYNC_POLICY_YIELD, read.syncPolicy);
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaStreamGetAttribute(other, cudaLaunchAttributeCooperative, &value));
  EXPECT_OK(cudaStreamDestroy(other));
}

}  // namespace
