// SPDX-License-Identifier: Apache-2.0
// The test's environment holds DLTAP_SIM_COUNTS.
#include "shim/simgpu/device/address_routes.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include "shim/simgpu/device/counters.h"
#include "tests/unit/simgpu/core/support.h"

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

}  // namespace
