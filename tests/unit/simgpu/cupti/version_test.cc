// SPDX-License-Identifier: Apache-2.0
// DLTAP_SIM_CUPTI_VERSION: each release's records as its own header has them.
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/simgpu/cupti/client.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

// What the release's cupti_activity.h and cupti_version.h say.
struct Release {
  const char* name;
  uint32_t api_version;
  size_t memset_bytes;
  size_t memcpy_bytes;
  size_t synchronization_bytes;
};
constexpr Release kReleases[] = {
    {"11.8", 18, sizeof(CUpti_ActivityMemset4), sizeof(CUpti_ActivityMemcpy5),
     sizeof(CUpti_ActivitySynchronization)},
    {"12.4", 22, sizeof(CUpti_ActivityMemset4), sizeof(CUpti_ActivityMemcpy5),
     sizeof(CUpti_ActivitySynchronization)},
    {"12.8", 26, sizeof(CUpti_ActivityMemset4), sizeof(CUpti_ActivityMemcpy6),
     sizeof(CUpti_ActivitySynchronization2)},
    {"13.0", 130001, sizeof(CUpti_ActivityMemset4),
     sizeof(CUpti_ActivityMemcpy6), sizeof(CUpti_ActivitySynchronization2)},
};

const std::vector<std::byte>* FirstOf(CUpti_ActivityKind kind) {
  for (const auto& bytes : g_records) {
    if (reinterpret_cast<const CUpti_Activity*>(bytes.data())->kind == kind) {
      return &bytes;
    }
  }
  return nullptr;
}

size_t BytesOfFirst(CUpti_ActivityKind kind) {
  const auto* bytes = FirstOf(kind);
  return bytes == nullptr ? 0 : bytes->size();
}

void CopyAndClear() {
  void* memory = nullptr;
  int host = 1;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, &host, sizeof host, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemset(memory, 3, 64), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

class CuptiReleaseTest : public ::testing::TestWithParam<Release> {};

TEST_P(CuptiReleaseTest, RecordsHaveTheLengthOfTheRelease) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    uint32_t version = 0;
    EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, GetParam().api_version);
    cuptiActivityRegisterCallbacks(Request, Complete);
    for (const auto kind :
         {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
          CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}) {
      EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
    }
    CopyAndClear();
    cuptiActivityFlushAll(0);
    EXPECT_EQ(BytesOfFirst(CUPTI_ACTIVITY_KIND_MEMCPY),
              GetParam().memcpy_bytes);
    EXPECT_EQ(BytesOfFirst(CUPTI_ACTIVITY_KIND_MEMSET),
              GetParam().memset_bytes);
    EXPECT_EQ(BytesOfFirst(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
              GetParam().synchronization_bytes);
    // Fields that all releases have.
    const auto* copy = FirstOf(CUPTI_ACTIVITY_KIND_MEMCPY);
    ASSERT_NE(copy, nullptr);
    CUpti_ActivityMemcpy5 head{};
    std::memcpy(&head, copy->data(), sizeof head);
    EXPECT_EQ(head.bytes, sizeof(int));
    EXPECT_EQ(head.copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
    EXPECT_LT(head.start, head.end);
  });
}

INSTANTIATE_TEST_SUITE_P(All, CuptiReleaseTest, ::testing::ValuesIn(kReleases));

TEST(CuptiVersionTest, AReleaseInBetweenAnswersTheOneBeforeIt) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", "11.7", [] {
    uint32_t version = 0;
    cuptiGetVersion(&version);
    EXPECT_EQ(version, 17);
  });
}

TEST(CuptiVersionTest, AnUnknownReleaseIsNamedAndTheOwnOneUsed) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", "14.2", [] {
    ::testing::internal::CaptureStderr();
    uint32_t version = 0;
    cuptiGetVersion(&version);
    EXPECT_EQ(version, CUPTI_API_VERSION);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                  "DLTAP_SIM_CUPTI_VERSION=14.2"),
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
