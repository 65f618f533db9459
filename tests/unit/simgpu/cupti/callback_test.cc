// SPDX-License-Identifier: Apache-2.0
// What the callback API shows of a call.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/simgpu/core/kernels.h"

namespace {

// The last call of each kind that was seen, at exit unless it says so.
struct Seen {
  cudaMalloc_v3020_params malloc{};
  cuMemsetD8Async_params memset{};
  std::string kernel;
  uint32_t context_id = 0;
  CUcontext context = nullptr;
  int enters = 0;
  int result = -1;
};

void CUPTIAPI OnCall(void* user, CUpti_CallbackDomain domain,
                     CUpti_CallbackId cbid, const void* data) {
  Seen& seen = *static_cast<Seen*>(user);
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) {
    ++seen.enters;
    EXPECT_EQ(call.functionReturnValue, nullptr);
    return;
  }
  seen.context = call.context;
  seen.context_id = call.contextUid;
  seen.result = *static_cast<const int*>(call.functionReturnValue);
  if (call.symbolName != nullptr) seen.kernel = call.symbolName;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
      cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020) {
    seen.malloc =
        *static_cast<const cudaMalloc_v3020_params*>(call.functionParams);
  }
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      cbid == CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async) {
    seen.memset =
        *static_cast<const cuMemsetD8Async_params*>(call.functionParams);
  }
}

class CuptiCallbackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    ASSERT_EQ(cuptiSubscribe(&subscriber_, OnCall, &seen_), CUPTI_SUCCESS);
    for (const auto domain :
         {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API}) {
      ASSERT_EQ(cuptiEnableDomain(1, subscriber_, domain), CUPTI_SUCCESS);
    }
  }
  void TearDown() override { cuptiUnsubscribe(subscriber_); }

  Seen seen_;
  CUpti_SubscriberHandle subscriber_{};
};

TEST_F(CuptiCallbackTest, ParametersHaveTheirTypes) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 640), cudaSuccess);
  EXPECT_EQ(seen_.malloc.devPtr, &memory);
  EXPECT_EQ(seen_.malloc.size, 640);
  EXPECT_EQ(*seen_.malloc.devPtr, memory);
  EXPECT_EQ(seen_.result, cudaSuccess);
  const auto address = reinterpret_cast<CUdeviceptr>(memory);
  ASSERT_EQ(cuMemsetD8Async(address, 9, 64, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(seen_.memset.dstDevice, address);
  EXPECT_EQ(seen_.memset.uc, 9);
  EXPECT_EQ(seen_.memset.N, 64);
  EXPECT_NE(cuMemsetD8Async(1, 9, 64, nullptr), CUDA_SUCCESS);
  EXPECT_NE(seen_.result, CUDA_SUCCESS);
}

TEST_F(CuptiCallbackTest, ALaunchShowsItsKernelAndContext) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4096), cudaSuccess);
  LaunchScale(static_cast<float*>(memory), 1, nullptr);
  EXPECT_NE(seen_.kernel.find("Scale"), std::string::npos) << seen_.kernel;
  uint32_t id = 0;
  ASSERT_EQ(cuptiGetContextId(seen_.context, &id), CUPTI_SUCCESS);
  EXPECT_EQ(seen_.context_id, id);
  EXPECT_NE(id, 0);
}

}  // namespace
