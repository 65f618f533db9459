// SPDX-License-Identifier: Apache-2.0
// DLTAP_SIM_FAULTS as a CUPTI client meets it.
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/cupti/client.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

void With(const char* faults, const std::function<void()>& body) {
  InProcessWith("DLTAP_SIM_FAULTS", faults, body);
}

// What is delivered of ten memsets.
std::vector<CUpti_ActivityMemset4> TenMemsets(uint32_t flush = 0) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  cuptiActivityRegisterCallbacks(Request, Complete);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(cudaMemsetAsync(memory, i, 64, nullptr), cudaSuccess);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cuptiActivityFlushAll(flush);
  return Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
}

TEST(CuptiFaultsTest, ADroppedRecordIsCountedByCupti) {
  With("record:20%:drop", [] {
    EXPECT_EQ(TenMemsets().size(), 8);
    size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 2);
  });
}

TEST(CuptiFaultsTest, ADoubledRecordComesAgain) {
  With("record:3:twice", [] {
    const auto memsets = TenMemsets();
    ASSERT_EQ(memsets.size(), 11);
    EXPECT_EQ(memsets[2].correlationId, memsets[3].correlationId);
  });
}

TEST(CuptiFaultsTest, ALateRecordComesAfterLaterOnes) {
  With("record:2:late=60s", [] {
    EXPECT_EQ(TenMemsets().size(), 9);
    g_records.clear();
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const auto late =
        Delivered<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
    ASSERT_EQ(late.size(), 1);
    EXPECT_EQ(late[0].value, 1);
    EXPECT_GT(late[0].end, late[0].start);  // it had ended long ago
  });
}

TEST(CuptiFaultsTest, TimesAreMissing) {
  With("record:1:zero_time,record:2:no_end", [] {
    const auto memsets = TenMemsets();
    ASSERT_EQ(memsets.size(), 10);
    EXPECT_EQ(memsets[0].start, 0);
    EXPECT_EQ(memsets[0].end, 0);
    EXPECT_GT(memsets[1].start, 0);
    EXPECT_EQ(memsets[1].end, 0);
    EXPECT_GT(memsets[2].end, 0);
  });
}

TEST(CuptiFaultsTest, AnUnseenRecordIsNotCounted) {
  With("record:20%:unseen", [] {
    EXPECT_EQ(TenMemsets().size(), 8);
    size_t dropped = 1;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 0);
  });
}

TEST(CuptiFaultsTest, StolenCallbacksReceiveNothing) {
  With("record:5:stolen", [] { EXPECT_LT(TenMemsets().size(), 5); });
}

TEST(CuptiFaultsTest, AnotherSubscriberIsThere) {
  With("cupti_busy", [] {
    CUpti_SubscriberHandle subscriber;
    const auto callback = [](void*, CUpti_CallbackDomain, CUpti_CallbackId,
                             const void*) {};
    EXPECT_EQ(cuptiSubscribe(&subscriber, callback, nullptr),
              CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  });
}

TEST(CuptiFaultsTest, TracingIsNotPermitted) {
  With("cupti_no_permission", [] {
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET),
              CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  });
}

TEST(CuptiFaultsTest, AnUnknownRuleIsNamedAndNothingIsInjected) {
  With("record:2:late=1h", [] {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(TenMemsets().size(), 10);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                  "'record:2:late=1h' is neither"),
              std::string::npos);
  });
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
