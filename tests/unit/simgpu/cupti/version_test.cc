// SPDX-License-Identifier: Apache-2.0
// DLTAP_SIM_CUPTI_VERSION: each release's records as its own header has them.
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

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

// The structure of each kind as cupti_activity.h of the four releases documents
// CUpti_ActivityKind.
struct KindLayout {
  CUpti_ActivityKind kind;
  std::array<size_t, std::size(kReleases)> bytes;
};
#define DLTAP_KIND(kind, of_11_8, of_12_4, of_12_8, of_13_0)               \
  {                                                                        \
    CUPTI_ACTIVITY_KIND_##kind, {                                          \
      sizeof(CUpti_Activity##of_11_8), sizeof(CUpti_Activity##of_12_4),    \
          sizeof(CUpti_Activity##of_12_8), sizeof(CUpti_Activity##of_13_0) \
    }                                                                      \
  }
constexpr KindLayout kKinds[] = {
    DLTAP_KIND(MEMCPY, Memcpy5, Memcpy5, Memcpy6, Memcpy6),
    DLTAP_KIND(MEMSET, Memset4, Memset4, Memset4, Memset4),
    DLTAP_KIND(KERNEL, Kernel8, Kernel9, Kernel9, Kernel10),
    DLTAP_KIND(CONCURRENT_KERNEL, Kernel8, Kernel9, Kernel9, Kernel10),
    DLTAP_KIND(DRIVER, API, API, API, API),
    DLTAP_KIND(RUNTIME, API, API, API, API),
    DLTAP_KIND(DEVICE, Device4, Device5, Device5, Device5),
    DLTAP_KIND(CONTEXT, Context, Context2, Context3, Context3),
    DLTAP_KIND(NAME, Name, Name, Name, Name),
    DLTAP_KIND(MARKER, Marker2, Marker2, Marker2, Marker2),
    DLTAP_KIND(MARKER_DATA, MarkerData, MarkerData, MarkerData, MarkerData2),
    DLTAP_KIND(OVERHEAD, Overhead, Overhead3, Overhead3, Overhead3),
    DLTAP_KIND(MEMCPY2, MemcpyPtoP4, MemcpyPtoP4, MemcpyPtoP4, MemcpyPtoP4),
    DLTAP_KIND(FUNCTION, Function, Function, Function, Function),
    DLTAP_KIND(MODULE, Module, Module, Module, Module),
    DLTAP_KIND(CUDA_EVENT, CudaEvent, CudaEvent, CudaEvent2, CudaEvent2),
    DLTAP_KIND(STREAM, Stream, Stream, Stream, Stream),
    DLTAP_KIND(SYNCHRONIZATION, Synchronization, Synchronization,
               Synchronization2, Synchronization2),
    DLTAP_KIND(EXTERNAL_CORRELATION, ExternalCorrelation, ExternalCorrelation,
               ExternalCorrelation, ExternalCorrelation),
    DLTAP_KIND(MEMORY, Memory, Memory, Memory, Memory),
    DLTAP_KIND(MEMORY2, Memory3, Memory3, Memory4, Memory4),
    DLTAP_KIND(MEMORY_POOL, MemoryPool2, MemoryPool2, MemoryPool2, MemoryPool3),
    DLTAP_KIND(GRAPH_TRACE, GraphTrace, GraphTrace2, GraphTrace2, GraphTrace2),
    DLTAP_KIND(JIT, Jit, Jit2, Jit2, Jit2),
};
#undef DLTAP_KIND

// How far cuptiActivityGetNextRecord() goes from one record to the next.
size_t LengthOf(CUpti_ActivityKind kind) {
  alignas(8) uint8_t buffer[4096] = {};
  std::memcpy(buffer, &kind, sizeof kind);
  auto* record = reinterpret_cast<CUpti_Activity*>(buffer);
  return cuptiActivityGetNextRecord(buffer, sizeof buffer, &record) ==
                 CUPTI_SUCCESS
             ? reinterpret_cast<uint8_t*>(record) - buffer
             : 0;
}

TEST_P(CuptiReleaseTest, EachKindHasTheStructureOfTheRelease) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    const auto* release = std::find_if(
        std::begin(kReleases), std::end(kReleases), [](const Release& r) {
          return r.api_version == GetParam().api_version;
        });
    for (const KindLayout& layout : kKinds) {
      EXPECT_EQ(LengthOf(layout.kind), layout.bytes[release - kReleases])
          << "kind " << layout.kind;
    }
  });
}

// Of the other kinds: their records come, and have that length.
TEST_P(CuptiReleaseTest, OverheadEventAndPoolRecordsAreCutToTheRelease) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    cuptiActivityRegisterCallbacks(Request, Complete);
    const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_CUDA_EVENT,
        CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY_POOL};
    for (const auto kind : kinds) {
      EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
    }
    CopyAndClear();
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventRecord(event, nullptr);
    cudaMemPool_t pool = nullptr;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolTrimTo(pool, 0);
    for (int i = 0; i < 2; ++i) cuptiActivityFlushAll(0);
    for (const auto kind : kinds) {
      EXPECT_EQ(BytesOfFirst(kind), LengthOf(kind)) << "kind " << kind;
    }
  });
}

// A release tells nothing that its header has no name for.
TEST_P(CuptiReleaseTest, OverheadIsOfTheKindsThatTheReleaseKnows) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    cuptiActivityRegisterCallbacks(Request, Complete);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD);
    CopyAndClear();
    for (int i = 0; i < 2; ++i) cuptiActivityFlushAll(0);
    bool has_request = false;
    for (const auto& bytes : g_records) {
      CUpti_ActivityOverhead record{};
      std::memcpy(&record, bytes.data(), sizeof record);
      if (record.kind != CUPTI_ACTIVITY_KIND_OVERHEAD) continue;
      has_request |= record.overheadKind ==
                     CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST;
    }
    constexpr uint32_t k12_8 = 26;
    EXPECT_EQ(has_request, GetParam().api_version >= k12_8);
  });
}

size_t AttributeOr(CUpti_ActivityAttribute id, size_t absent) {
  size_t value = 0;
  size_t bytes = sizeof value;
  return cuptiActivityGetAttribute(id, &bytes, &value) == CUPTI_SUCCESS
             ? value
             : absent;
}

TEST_P(CuptiReleaseTest, AttributesHaveTheDefaultsOfTheRelease) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    constexpr size_t kAbsent = 99;
    constexpr uint32_t k12_4 = 22;
    constexpr uint32_t k13 = 130000;
    const uint32_t version = GetParam().api_version;
    EXPECT_EQ(
        AttributeOr(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, kAbsent),
        version < k12_4 ? kAbsent
        : version < k13 ? 0
                        : 1);
    EXPECT_EQ(AttributeOr(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED,
                          kAbsent),
              version < k13 ? 1 : 0);
    EXPECT_EQ(AttributeOr(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS,
                          kAbsent),
              version < k13 ? kAbsent : 16777216);
    size_t value = 77;
    size_t bytes = sizeof value;
    EXPECT_EQ(cuptiActivitySetAttribute(
                  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value),
              CUPTI_SUCCESS);
    EXPECT_EQ(AttributeOr(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, 0), 77);
    bytes = 1;
    EXPECT_EQ(cuptiActivitySetAttribute(
                  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value),
              CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
  });
}

// Kinds of the profiler that CUDA 13 has no longer.
TEST_P(CuptiReleaseTest, SourceLevelKindsAreRefused) {
  InProcessWith("DLTAP_SIM_CUPTI_VERSION", GetParam().name, [] {
    constexpr uint32_t k13 = 130000;
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PC_SAMPLING),
              GetParam().api_version >= k13
                  ? CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED
                  : CUPTI_ERROR_INVALID_KIND);
  });
}

TEST(CuptiVersionTest, HardwareTimesAreForBlackwell) {
  for (const auto& [gpu, result] :
       {std::pair{"h100-sxm", CUPTI_ERROR_NOT_SUPPORTED},
        std::pair{"b200", CUPTI_SUCCESS}}) {
    InProcessWith("DLTAP_SIM_GPU", gpu, [result = result] {
      EXPECT_EQ(cuptiActivityEnableHWTrace(1), result);
    });
  }
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
