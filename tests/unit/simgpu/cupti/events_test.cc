// SPDX-License-Identifier: Apache-2.0
// Records of events, and of what waits for them or asks.
#include <cstdlib>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiEventsTest : public RecordsTest {
 protected:
  void SetUp() override {
    RecordsTest::SetUp();
    ASSERT_EQ(cudaEventCreate(&event_), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
  }
  void TearDown() override {
    cuptiActivityEnableCudaEventDeviceTimestamps(0);
    cuptiActivityEnableAllSyncRecords(1);
    RecordsTest::TearDown();
    cudaEventDestroy(event_);
    cudaStreamDestroy(stream_);
  }
  static std::vector<CUpti_ActivityCudaEvent2> Events() {
    return Delivered<CUpti_ActivityCudaEvent2>(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  }
  static std::vector<CUpti_ActivitySynchronization2> Synchronisations() {
    return Delivered<CUpti_ActivitySynchronization2>(
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  }

  cudaEvent_t event_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(CuptiEventsTest, EachRecordingHasARecordOfItsOwn) {
  Enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  Enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cudaEventRecord(event_, stream_);
  cudaEventRecord(event_, nullptr);
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 2);
  uint32_t stream_id = 0;
  cuptiGetStreamId(nullptr, stream_, &stream_id);
  EXPECT_EQ(events[0].streamId, stream_id);
  EXPECT_NE(events[1].streamId, stream_id);
  EXPECT_EQ(events[0].eventId, events[1].eventId);
  EXPECT_NE(events[0].cudaEventSyncId, events[1].cudaEventSyncId);
  EXPECT_EQ(events[0].deviceTimestamp, 0);  // not asked for
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  EXPECT_EQ(calls[0].correlationId, events[0].correlationId);
}

TEST_F(CuptiEventsTest, DeviceTimesComeWhenEnabled) {
  Enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  cuptiActivityEnableCudaEventDeviceTimestamps(1);
  uint64_t before = 0;
  uint64_t after = 0;
  cuptiGetTimestamp(&before);
  cudaEventRecord(event_, stream_);
  cudaEventSynchronize(event_);
  cuptiGetTimestamp(&after);
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1);
  EXPECT_LT(before, events[0].deviceTimestamp);
  EXPECT_LE(events[0].deviceTimestamp, after);
}

TEST_F(CuptiEventsTest, AWaitNamesTheRecordingItWaitedFor) {
  Enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  Enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  cudaEventRecord(event_, stream_);
  cudaEventRecord(event_, stream_);
  cudaEventSynchronize(event_);
  cudaStreamSynchronize(stream_);
  Flush();
  const auto events = Events();
  const auto waits = Synchronisations();
  ASSERT_EQ(events.size(), 2);
  ASSERT_GE(waits.size(), 2);
  EXPECT_EQ(waits[0].type,
            CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
  EXPECT_EQ(waits[0].cudaEventId, events[1].eventId);
  EXPECT_EQ(waits[0].cudaEventSyncId, events[1].cudaEventSyncId);
  EXPECT_EQ(waits[1].type,
            CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
  EXPECT_EQ(waits[1].cudaEventId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  EXPECT_EQ(waits[1].cudaEventSyncId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
}

// A long copy, so that the first question comes too early.
TEST_F(CuptiEventsTest, QueriesAreRecordedWithTheirAnswer) {
  constexpr size_t kBytes = size_t{256} << 20;
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
  Enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  for (const uint8_t all : {1, 0}) {
    cuptiActivityEnableAllSyncRecords(all);
    for (int i = 0; i < 20; ++i) cudaMemsetAsync(memory, 0, kBytes, stream_);
    ASSERT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  }
  cudaStreamSynchronize(stream_);
  ASSERT_EQ(cudaStreamQuery(stream_), cudaSuccess);
  Flush();
  cudaFree(memory);
  std::vector<uint32_t> results;
  for (const auto& wait : Synchronisations()) {
    if (wait.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE) {
      results.push_back(wait.returnValue);
    }
  }
  EXPECT_EQ(results, (std::vector<uint32_t>{CUDA_ERROR_NOT_READY, 0, 0}));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
