// SPDX-License-Identifier: Apache-2.0
// Green contexts: parts of a device's SMs, and the streams that run on them. An
// H100 SXM has 132 SMs. Also events of whole contexts.
#include <cuda.h>

#include <array>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr auto kSm = CU_DEV_RESOURCE_TYPE_SM;
constexpr int kFull = 1056 * 8;  // eight waves of the whole device
constexpr int kLong = 1 << 20;

#define ASSERT_CU(call) ASSERT_EQ(CUDA_SUCCESS, (call))
#define EXPECT_CU(call) EXPECT_EQ(CUDA_SUCCESS, (call))

class GreenContextTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_CU(cuDeviceGetDevResource(0, &all_, kSm));
    for (auto& event : events_) ASSERT_CU(cuEventCreate(&event, 0));
  }
  void TearDown() override {
    for (auto& event : events_) EXPECT_CU(cuEventDestroy(event));
    RuntimeTest::TearDown();
  }

  static CUgreenCtx Make(CUdevResource* parts, unsigned count = 1) {
    CUdevResourceDesc desc = nullptr;
    CUgreenCtx green = nullptr;
    EXPECT_CU(cuDevResourceGenerateDesc(&desc, parts, count));
    EXPECT_CU(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
  }
  static CUstream StreamOf(CUgreenCtx green) {
    CUstream stream = nullptr;
    EXPECT_CU(
        cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    return stream;
  }
  // When a kernel in each of the streams ends, all of which may begin at once.
  std::vector<double> EndsOf(const std::vector<CUstream>& streams) {
    EXPECT_OK(cudaDeviceSynchronize());
    LaunchScale(data_, kLong, stream_);  // while the host submits the rest
    EXPECT_CU(cuEventRecord(events_[0], stream_));
    for (size_t i = 0; i < streams.size(); ++i) {
      EXPECT_CU(cuStreamWaitEvent(streams[i], events_[0], 0));
      LaunchScale(data_, kFull, streams[i]);
      EXPECT_CU(cuEventRecord(events_[i + 1], streams[i]));
    }
    std::vector<double> ends;
    for (size_t i = 0; i < streams.size(); ++i) {
      float ms = 0;
      EXPECT_CU(cuEventSynchronize(events_[i + 1]));
      EXPECT_CU(cuEventElapsedTime(&ms, events_[0], events_[i + 1]));
      ends.push_back(ms);
    }
    return ends;
  }

  CUdevResource all_{};
  std::array<CUevent, 4> events_{};
};

TEST_F(GreenContextTest, ADeviceIsSplitIntoEqualGroups) {
  EXPECT_EQ(132u, all_.sm.smCount);
  EXPECT_EQ(8u, all_.sm.minSmPartitionSize);
  unsigned groups = 0;
  ASSERT_CU(
      cuDevSmResourceSplitByCount(nullptr, &groups, &all_, nullptr, 0, 20));
  EXPECT_EQ(5u, groups);  // of 24
  CUdevResource parts[8] = {};
  CUdevResource rest{};
  groups = 8;
  ASSERT_CU(cuDevSmResourceSplitByCount(parts, &groups, &all_, &rest, 0, 20));
  EXPECT_EQ(5u, groups);
  EXPECT_EQ(24u, parts[4].sm.smCount);
  EXPECT_EQ(12u, rest.sm.smCount);
  groups = 1;
  ASSERT_CU(cuDevSmResourceSplitByCount(
      parts, &groups, &all_, &rest,
      CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 3));
  EXPECT_EQ(4u, parts[0].sm.smCount);
  EXPECT_EQ(128u, rest.sm.smCount);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuDevSmResourceSplitByCount(parts, &groups, &all_, &rest, 0, 133));
  CUdevResource again{};
  EXPECT_EQ(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
            cuDevSmResourceSplitByCount(&again, &groups, parts, &rest, 0, 2));
  const CUdevResource nothing{};
  EXPECT_EQ(CUDA_ERROR_INVALID_RESOURCE_TYPE,
            cuDevSmResourceSplitByCount(parts, &groups, &nothing, &rest, 0, 8));
}

TEST_F(GreenContextTest, PartsOfOneSplitMakeADescription) {
  CUdevResource parts[2] = {};
  unsigned groups = 2;
  ASSERT_CU(cuDevSmResourceSplitByCount(parts, &groups, &all_, nullptr, 0, 16));
  const CUgreenCtx green = Make(parts, 2);
  CUdevResource shown{};
  ASSERT_CU(cuGreenCtxGetDevResource(green, &shown, kSm));
  EXPECT_EQ(32u, shown.sm.smCount);
  CUdevResource other[1] = {};
  groups = 1;
  ASSERT_CU(cuDevSmResourceSplitByCount(other, &groups, &all_, nullptr, 0, 16));
  CUdevResource mixed[] = {parts[0], other[0]};
  CUdevResourceDesc desc = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
            cuDevResourceGenerateDesc(&desc, mixed, 2));
  ASSERT_CU(cuDevResourceGenerateDesc(&desc, parts, 1));
  CUgreenCtx none = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGreenCtxCreate(&none, desc, 0, 0));
  ASSERT_CU(cuGreenCtxDestroy(green));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT,
            cuGreenCtxGetDevResource(green, &shown, kSm));
}

TEST_F(GreenContextTest, PartsDoNotWaitForEachOther) {
  CUdevResource half[2] = {};
  unsigned groups = 2;
  ASSERT_CU(cuDevSmResourceSplitByCount(half, &groups, &all_, nullptr, 0, 64));
  ASSERT_EQ(2u, groups);
  const CUgreenCtx green[] = {Make(&half[0]), Make(&half[1])};
  const std::vector<CUstream> streams{StreamOf(green[0]), StreamOf(green[1]),
                                      StreamOf(green[0])};
  const double alone = EndsOf({streams[0]})[0];
  const std::vector<double> ends = EndsOf(streams);
  EXPECT_NEAR(alone, ends[0], 0.05 * alone);
  EXPECT_NEAR(alone, ends[1], 0.05 * alone);
  // The kernels fill their part: the first one's second follows its first.
  EXPECT_GT(ends[2], 1.8 * alone);
  for (CUstream stream : streams) EXPECT_CU(cuStreamDestroy(stream));
  for (CUgreenCtx each : green) EXPECT_CU(cuGreenCtxDestroy(each));
}

TEST_F(GreenContextTest, StreamsTellTheirContext) {
  CUdevResource part{};
  unsigned groups = 1;
  ASSERT_CU(cuDevSmResourceSplitByCount(&part, &groups, &all_, nullptr, 0, 16));
  const CUgreenCtx green = Make(&part);
  CUstream stream = StreamOf(green);
  CUgreenCtx of = nullptr;
  ASSERT_CU(cuStreamGetGreenCtx(stream, &of));
  EXPECT_EQ(green, of);
  ASSERT_CU(cuStreamGetGreenCtx(stream_, &of));
  EXPECT_EQ(nullptr, of);
  CUcontext primary = nullptr;
  CUcontext current = nullptr;
  ASSERT_CU(cuCtxGetCurrent(&current));
  ASSERT_CU(cuStreamGetCtx_v2(stream, &primary, &of));
  EXPECT_EQ(current, primary);
  EXPECT_EQ(green, of);
  // A stream that is made while the green context is current is in it.
  CUcontext converted = nullptr;
  ASSERT_CU(cuCtxFromGreenCtx(&converted, green));
  ASSERT_CU(cuCtxPushCurrent(converted));
  CUstream inside = nullptr;
  ASSERT_CU(cuStreamCreate(&inside, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(cuCtxPopCurrent(nullptr));
  ASSERT_CU(cuStreamGetGreenCtx(inside, &of));
  EXPECT_EQ(green, of);
  CUdevResource shown{};
  ASSERT_CU(cuCtxGetDevResource(converted, &shown, kSm));
  EXPECT_EQ(16u, shown.sm.smCount);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuGreenCtxStreamCreate(&inside, green, 0, 0));
  for (CUstream each : {stream, inside}) EXPECT_CU(cuStreamDestroy(each));
  EXPECT_CU(cuGreenCtxDestroy(green));
}

TEST_F(GreenContextTest, EventsOfAContextAreOfAllItsStreams) {
  CUcontext context = nullptr;
  ASSERT_CU(cuCtxGetCurrent(&context));
  CUstream other = nullptr;
  ASSERT_CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  LaunchScale(data_, kLong, stream_);
  ASSERT_CU(cuCtxRecordEvent(context, events_[0]));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(events_[0]));
  EXPECT_CU(cuStreamQuery(other));
  ASSERT_CU(cuCtxWaitEvent(context, events_[0]));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
  ASSERT_CU(cuStreamSynchronize(other));
  EXPECT_CU(cuEventQuery(events_[0]));
  ASSERT_CU(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuCtxRecordEvent(context, events_[0]));
  CUgraph graph = nullptr;
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            cuStreamEndCapture(other, &graph));
  EXPECT_CU(cuStreamDestroy(other));
}

}  // namespace
