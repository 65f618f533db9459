// SPDX-License-Identifier: Apache-2.0
// The test's environment holds DLTAP_SIM_COUNTS.
#include "simgpu/base/address_routes.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include "simgpu/base/counters.h"
#include "tests/unit/simgpu/support.h"

namespace {

using dltap::simgpu::CallsByAddress;
using dltap::simgpu::CountsAsText;

template <typename Function>
Function AddressOf(const char* base) {
  void* address = nullptr;
  EXPECT_EQ(CUDA_SUCCESS,
            cuGetProcAddress(base, &address, CUDA_VERSION,
                             CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  return reinterpret_cast<Function>(address);
}

TEST(AddressRoutesTest, CallsByAddressAreToldFromTheOthers) {
  const auto by_address =
      AddressOf<CUresult (*)(CUdevice*, int)>("cuDeviceGet");
  ASSERT_NE(nullptr, by_address);
  CUdevice device = -1;
  ASSERT_EQ(CUDA_SUCCESS, cuInit(0));
  EXPECT_EQ(CUDA_SUCCESS, by_address(&device, 0));
  EXPECT_EQ(0, device);
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, by_address(&device, 7));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGet(&device, 0));
  EXPECT_EQ(2u, CallsByAddress("cuDeviceGet"));
  EXPECT_NE(std::string::npos,
            CountsAsText().find("cuda cuDeviceGet real 3 by_address 2\n"));
}

TEST(AddressRoutesTest, TheSymbolThatWasGivenIsTheOneCounted) {
  AddressOf<CUresult (*)(size_t*, CUdevice)>("cuDeviceTotalMem");
  EXPECT_EQ(0u, CallsByAddress("cuDeviceTotalMem_v2"));
  size_t bytes = 0;
  AddressOf<CUresult (*)(size_t*, CUdevice)>("cuDeviceTotalMem")(&bytes, 0);
  EXPECT_EQ(1u, CallsByAddress("cuDeviceTotalMem_v2"));
  EXPECT_EQ(0u, CallsByAddress("cuDeviceTotalMem"));
}

TEST(AddressRoutesTest, TheRuntimesOwnLookupsAreInnerCalls) {
  const uint64_t before = CallsByAddress("cuGetProcAddress_v2");
  void* address = nullptr;
  EXPECT_OK(cudaGetDriverEntryPointByVersion("cuMemMap", &address, 12000,
                                             cudaEnableDefault, nullptr));
  EXPECT_EQ(before + 1, CallsByAddress("cuGetProcAddress_v2"));
}

TEST(AddressRoutesTest, TheRuntimeCallsTheDriverByAddress) {
  cudaEvent_t event = nullptr;
  EXPECT_OK(cudaEventCreate(&event));
  EXPECT_OK(cudaEventRecord(event, nullptr));
  EXPECT_OK(cudaEventRecord(event, cudaStreamPerThread));
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_EQ(1u, CallsByAddress("cuEventCreate"));
  EXPECT_EQ(2u, CallsByAddress("cuEventRecord"));
  EXPECT_EQ(1u, CallsByAddress("cuEventDestroy_v2"));
}

// What a call of the runtime may put on the device, and the driver's function
// that does it.
struct RuntimeCall {
  const char* driver_function;
  cudaError_t (*call)(void* device, void* host, cudaStream_t stream);
};

constexpr RuntimeCall kCalls[] = {
    {"cuMemcpyHtoD_v2",
     [](void* device, void* host, cudaStream_t) {
       return cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
     }},
    {"cuMemcpyDtoHAsync_v2",
     [](void* device, void* host, cudaStream_t stream) {
       return cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost, stream);
     }},
    {"cuMemcpyDtoD_v2",
     [](void* device, void*, cudaStream_t) {
       return cudaMemcpy(static_cast<char*>(device) + 64, device, 64,
                         cudaMemcpyDeviceToDevice);
     }},
    {"cuMemcpyAsync",
     [](void* device, void* host, cudaStream_t stream) {
       return cudaMemcpyAsync(device, host, 64, cudaMemcpyDefault, stream);
     }},
    {"cuMemcpy2DUnaligned_v2",
     [](void* device, void* host, cudaStream_t) {
       return cudaMemcpy2D(device, 16, host, 8, 8, 4, cudaMemcpyHostToDevice);
     }},
    {"cuMemcpy3DAsync_v2",
     [](void* device, void* host, cudaStream_t stream) {
       cudaMemcpy3DParms box{};
       box.srcPtr = {host, 8, 8, 2};
       box.dstPtr = {device, 16, 16, 2};
       box.extent = {8, 2, 2};
       box.kind = cudaMemcpyHostToDevice;
       return cudaMemcpy3DAsync(&box, stream);
     }},
    {"cuMemcpyPeerAsync",
     [](void* device, void*, cudaStream_t stream) {
       return cudaMemcpyPeerAsync(static_cast<char*>(device) + 64, 0, device, 0,
                                  64, stream);
     }},
    {"cuMemsetD8_v2", [](void* device, void*,
                         cudaStream_t) { return cudaMemset(device, 7, 64); }},
    {"cuMemsetD2D8Async",
     [](void* device, void*, cudaStream_t stream) {
       return cudaMemset2DAsync(device, 16, 7, 8, 4, stream);
     }},
    {"cuMemAllocAsync",
     [](void*, void*, cudaStream_t stream) {
       void* block = nullptr;
       return cudaMallocAsync(&block, 64, stream);
     }},
    {"cuArray3DCreate_v2",
     [](void*, void*, cudaStream_t) {
       const cudaChannelFormatDesc texel{8, 0, 0, 0,
                                         cudaChannelFormatKindUnsigned};
       cudaArray_t array = nullptr;
       return cudaMallocArray(&array, &texel, 16, 16);
     }},
    {"cuMemPrefetchAsync_v2",
     [](void*, void*, cudaStream_t stream) {
       void* managed = nullptr;
       cudaMallocManaged(&managed, 4096);
       return cudaMemPrefetchAsync(managed, 4096,
                                   {cudaMemLocationTypeDevice, 0}, 0, stream);
     }},
    {"cuMemHostAlloc",
     [](void*, void*, cudaStream_t) {
       void* block = nullptr;
       return cudaMallocHost(&block, 64);
     }},
    {"cuMemFree_v2",
     [](void*, void*, cudaStream_t) {
       void* block = nullptr;
       cudaMalloc(&block, 64);
       return cudaFree(block);
     }},
    {"cuLaunchHostFunc",
     [](void*, void*, cudaStream_t stream) {
       return cudaLaunchHostFunc(
           stream, [](void*) {}, nullptr);
     }},
    {"cuStreamSynchronize",
     [](void*, void*, cudaStream_t stream) {
       return cudaStreamSynchronize(stream);
     }},
};

TEST(AddressRoutesTest, WhatReachesTheDeviceGoesThroughTheDriver) {
  void* device = nullptr;
  char host[256] = {};
  cudaStream_t stream = nullptr;
  ASSERT_OK(cudaMalloc(&device, 256));
  ASSERT_OK(cudaStreamCreate(&stream));
  for (const RuntimeCall& row : kCalls) {
    const uint64_t before = CallsByAddress(row.driver_function);
    EXPECT_OK(row.call(device, host, stream)) << row.driver_function;
    EXPECT_EQ(before + 1, CallsByAddress(row.driver_function))
        << row.driver_function;
  }
  EXPECT_OK(cudaDeviceSynchronize());
}

}  // namespace
