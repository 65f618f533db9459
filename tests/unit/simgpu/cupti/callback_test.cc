// SPDX-License-Identifier: Apache-2.0
// What the callback API shows of a call.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/simgpu/kernels.h"

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
  // functionParams of the last call of a function, of those that have an entry.
  std::map<std::string, std::vector<std::byte>> params;
  std::vector<uint64_t> open;       // the word given to each call that is open
  std::vector<std::string> nested;  // calls that began inside another
};

void CUPTIAPI OnCall(void* user, CUpti_CallbackDomain domain,
                     CUpti_CallbackId cbid, const void* data) {
  Seen& seen = *static_cast<Seen*>(user);
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) {
    ++seen.enters;
    EXPECT_EQ(call.functionReturnValue, nullptr);
    if (!seen.open.empty()) seen.nested.emplace_back(call.functionName);
    *call.correlationData = static_cast<uint64_t>(seen.enters);
    seen.open.push_back(*call.correlationData);
    return;
  }
  ASSERT_FALSE(seen.open.empty());
  EXPECT_EQ(*call.correlationData, seen.open.back()) << call.functionName;
  seen.open.pop_back();
  seen.context = call.context;
  seen.context_id = call.contextUid;
  seen.result = *static_cast<const int*>(call.functionReturnValue);
  const auto kept = seen.params.find(call.functionName);
  if (kept != seen.params.end() && call.functionParams != nullptr) {
    std::memcpy(kept->second.data(), call.functionParams, kept->second.size());
  }
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

  // Runs `call` and gives what it showed; zeroes: nothing.
  template <typename Params, typename Call>
  Params Shown(const char* function, Call call) {
    std::vector<std::byte>& bytes = seen_.params[function];
    bytes.assign(sizeof(Params), std::byte{0});
    call();
    Params params{};
    std::memcpy(&params, bytes.data(), sizeof params);
    return params;
  }

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

// Generated for every function that has a structure, written by hand or not.
TEST_F(CuptiCallbackTest, StreamsAndEventsShowTheirArguments) {
  cudaStream_t stream = nullptr;
  const auto create = Shown<cudaStreamCreateWithPriority_v5050_params>(
      "cudaStreamCreateWithPriority", [&] {
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1);
      });
  EXPECT_EQ(create.pStream, &stream);
  EXPECT_EQ(create.flags, cudaStreamNonBlocking);
  EXPECT_EQ(create.priority, -1);
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  const auto record = Shown<cudaEventRecord_v3020_params>(
      "cudaEventRecord", [&] { cudaEventRecord(event, stream); });
  EXPECT_EQ(record.event, event);
  EXPECT_EQ(record.stream, stream);
  const auto wait = Shown<cuStreamWaitEvent_params>(
      "cuStreamWaitEvent", [&] { cuStreamWaitEvent(stream, event, 0); });
  EXPECT_EQ(wait.hStream, stream);
  EXPECT_EQ(wait.hEvent, event);
}

TEST_F(CuptiCallbackTest, GraphsShowTheirArguments) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphCreate(&graph, 0);
  const auto instantiate = Shown<cudaGraphInstantiate_v12000_params>(
      "cudaGraphInstantiate", [&] { cudaGraphInstantiate(&exec, graph, 0); });
  EXPECT_EQ(instantiate.graph, graph);
  EXPECT_EQ(instantiate.pGraphExec, &exec);
  const auto destroy = Shown<cudaGraphExecDestroy_v10000_params>(
      "cudaGraphExecDestroy", [&] { cudaGraphExecDestroy(exec); });
  EXPECT_EQ(destroy.graphExec, exec);
}

TEST_F(CuptiCallbackTest, ACallWithoutArgumentsShowsNone) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  const auto none = Shown<cudaMalloc_v3020_params>(
      "cudaDeviceSynchronize", [] { cudaDeviceSynchronize(); });
  EXPECT_EQ(none.devPtr, nullptr);
  EXPECT_EQ(none.size, 0);
}

TEST_F(CuptiCallbackTest, TheDriversCallIsInsideTheRuntimes) {
  LaunchScale(nullptr, 1, nullptr);
  EXPECT_EQ((std::vector<std::string>{"cuLaunchKernel"}), seen_.nested);
  EXPECT_TRUE(seen_.open.empty());
}

TEST_F(CuptiCallbackTest, ADriversLaunchWithAttributesShowsItsKernel) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  float* memory = nullptr;
  float factor = 1;
  void* arguments[] = {&memory, &factor};
  ASSERT_EQ(cuptiEnableDomain(0, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API),
            CUPTI_SUCCESS);
  ASSERT_EQ(cudaLaunchKernelExC(&config, ScaleStub(), arguments), cudaSuccess);
  EXPECT_NE(seen_.kernel.find("Scale"), std::string::npos) << seen_.kernel;
}

}  // namespace
