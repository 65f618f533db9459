// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/faults.h"

#include <gtest/gtest.h>

#include "tests/unit/simgpu/core/support.h"

namespace {

using dltap::simgpu::FaultRule;
using dltap::simgpu::ParseFaults;

TEST(FaultsTest, RulesAreParsed) {
  const auto rules = ParseFaults("cudaMalloc:2:2,cuInit:*:999");
  ASSERT_TRUE(rules.has_value());
  EXPECT_EQ((std::vector<FaultRule>{{"cudaMalloc", 2, 2}, {"cuInit", 0, 999}}),
            *rules);
  EXPECT_TRUE(ParseFaults("")->empty());
}

TEST(FaultsTest, MalformedRulesAreRefused) {
  for (const char* text : {"cudaMalloc", "cudaMalloc:2", "cudaMalloc:0:2",
                           "cudaMalloc:x:2", ":1:2", "cudaMalloc:1:two"}) {
    EXPECT_FALSE(ParseFaults(text).has_value()) << text;
  }
}

// The test's environment holds cudaEventCreate:2:46.
TEST(FaultsTest, TheNthCallFailsAndDoesNothing) {
  cudaEvent_t first = nullptr;
  cudaEvent_t second = nullptr;
  EXPECT_OK(cudaEventCreate(&first));
  EXPECT_EQ(cudaErrorDevicesUnavailable, cudaEventCreate(&second));
  EXPECT_EQ(nullptr, second);
  EXPECT_EQ(cudaErrorDevicesUnavailable, cudaGetLastError());
  EXPECT_OK(cudaEventCreate(&second));
  EXPECT_OK(cudaEventDestroy(first));
  EXPECT_OK(cudaEventDestroy(second));
}

// And cudaStreamQuery:1:719.
TEST(FaultsTest, LaunchFailureSticksToTheDevice) {
  EXPECT_EQ(cudaErrorLaunchFailure, cudaStreamQuery(nullptr));
  void* block = nullptr;
  EXPECT_EQ(cudaErrorLaunchFailure, cudaMalloc(&block, 1));
  EXPECT_EQ(cudaErrorLaunchFailure, cudaGetLastError());
  EXPECT_EQ(cudaErrorLaunchFailure, cudaGetLastError());
  EXPECT_OK(cudaDeviceReset());
  EXPECT_OK(cudaMalloc(&block, 1));
  EXPECT_OK(cudaFree(block));
}

}  // namespace
