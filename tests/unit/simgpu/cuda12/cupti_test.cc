// SPDX-License-Identifier: Apache-2.0
#include <cupti.h>
#include <gtest/gtest.h>

#include "cuda12/added_cudart.h"
#include "cuda12/versions.h"
#include "tests/unit/simgpu/cupti/client.h"

namespace {

using dltap::simgpu_test::Delivered;

TEST(Cuda12CuptiTest, VersionIsThatOfCuda12) {
  uint32_t version = 0;
  EXPECT_EQ(CUPTI_SUCCESS, cuptiGetVersion(&version));
  EXPECT_EQ(DLTAP_CUDA12_CUPTI_API_VERSION, version);
}

// A tool of CUDA 12 knows the call by this number.
TEST(Cuda12CuptiTest, RecordsCarryTheCallbackIdsOfCuda12) {
  ASSERT_EQ(CUPTI_SUCCESS,
            cuptiActivityRegisterCallbacks(dltap::simgpu_test::Request,
                                           dltap::simgpu_test::Complete));
  ASSERT_EQ(CUPTI_SUCCESS, cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
  alignas(8) char properties[2048];
  cudaGetDeviceProperties_v2(
      reinterpret_cast<struct cudaDeviceProp*>(properties), 0);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  ASSERT_EQ(1u, calls.size());
  // CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceProperties_v2_v12000
  EXPECT_EQ(440u, calls[0].cbid);
}

}  // namespace
