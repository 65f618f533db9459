// SPDX-License-Identifier: Apache-2.0
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nvml.h>

#include <string>

namespace {

class NvmlTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(NVML_SUCCESS, nvmlInit_v2());
    ASSERT_EQ(NVML_SUCCESS, nvmlDeviceGetHandleByIndex_v2(1, &device_));
  }
  void TearDown() override { nvmlShutdown(); }

  nvmlDevice_t device_ = nullptr;
};

TEST_F(NvmlTest, BusIdIsTheRuntimesAndFindsTheDevice) {
  nvmlPciInfo_t pci;
  ASSERT_EQ(NVML_SUCCESS, nvmlDeviceGetPciInfo_v3(device_, &pci));
  char bus_id[32] = "";
  ASSERT_EQ(cudaSuccess, cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 1));
  EXPECT_STREQ(bus_id, pci.busIdLegacy);
  EXPECT_EQ("0000" + std::string(bus_id), pci.busId);
  EXPECT_EQ(0x10de, pci.pciDeviceId & 0xffff);
  nvmlDevice_t found = nullptr;
  ASSERT_EQ(NVML_SUCCESS, nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &found));
  EXPECT_EQ(device_, found);
}

TEST_F(NvmlTest, ClocksAndLimitsAreTheGpusOwn) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&properties, 1));
  int sm_khz = 0;
  int memory_khz = 0;
  cudaDeviceGetAttribute(&sm_khz, cudaDevAttrClockRate, 1);
  cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 1);
  unsigned mhz = 0;
  for (const auto get : {nvmlDeviceGetClockInfo, nvmlDeviceGetMaxClockInfo}) {
    EXPECT_EQ(NVML_SUCCESS, get(device_, NVML_CLOCK_SM, &mhz));
    EXPECT_EQ(sm_khz / 1000, mhz);
    EXPECT_EQ(NVML_SUCCESS, get(device_, NVML_CLOCK_MEM, &mhz));
    EXPECT_EQ(memory_khz / 1000, mhz);
    EXPECT_EQ(NVML_ERROR_INVALID_ARGUMENT,
              get(device_, NVML_CLOCK_COUNT, &mhz));
  }
  unsigned milliwatts = 0;
  for (const auto get :
       {nvmlDeviceGetPowerManagementLimit, nvmlDeviceGetEnforcedPowerLimit,
        nvmlDeviceGetPowerManagementDefaultLimit}) {
    milliwatts = 0;
    EXPECT_EQ(NVML_SUCCESS, get(device_, &milliwatts));
    EXPECT_EQ(700'000, milliwatts);  // H100 SXM's datasheet
  }
  unsigned cores = 0;
  EXPECT_EQ(NVML_SUCCESS, nvmlDeviceGetNumGpuCores(device_, &cores));
  EXPECT_EQ(properties.multiProcessorCount * 128, cores);
  nvmlDeviceArchitecture_t architecture = 0;
  EXPECT_EQ(NVML_SUCCESS, nvmlDeviceGetArchitecture(device_, &architecture));
  EXPECT_EQ(NVML_DEVICE_ARCH_HOPPER, architecture);
}

TEST_F(NvmlTest, ArgumentsAreChecked) {
  EXPECT_EQ(NVML_ERROR_INVALID_ARGUMENT,
            nvmlDeviceGetPciInfo_v3(device_, nullptr));
  unsigned value = 0;
  EXPECT_EQ(NVML_ERROR_INVALID_ARGUMENT,
            nvmlDeviceGetNumGpuCores(nullptr, &value));
}

}  // namespace
