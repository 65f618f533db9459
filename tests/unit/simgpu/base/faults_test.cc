// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/faults.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

using dltap::simgpu::FaultAction;
using dltap::simgpu::FaultRule;
using dltap::simgpu::ParseFaults;

std::vector<FaultRule> Parsed(const char* text) {
  std::string why;
  const auto faults = ParseFaults(text, &why);
  EXPECT_TRUE(faults.has_value()) << why;
  return faults ? faults->rules : std::vector<FaultRule>{};
}

TEST(FaultsTest, RulesAreParsed) {
  EXPECT_EQ(
      Parsed("cudaMalloc:2:2,cuInit:*:999,record:2.5%:drop,"
             "cudaFree:*:slow=200us,launch:7:719,memory:3:full,"
             "external:*:unseen,record:9:stolen,teardown:1:abort"),
      (std::vector<FaultRule>{{"cudaMalloc", 2, 1, FaultAction::kReturn, 2},
                              {"cuInit", 0, 1, FaultAction::kReturn, 999},
                              {"record", 0, 0.025, FaultAction::kDrop, 0},
                              {"cudaFree", 0, 1, FaultAction::kSlow, 200'000},
                              {"launch", 7, 1, FaultAction::kReturn, 719},
                              {"memory", 3, 1, FaultAction::kFull, 0},
                              {"external", 0, 1, FaultAction::kUnseen, 0},
                              {"record", 9, 1, FaultAction::kStolen, 0},
                              {"teardown", 1, 1, FaultAction::kAbort, 0}}));
  EXPECT_TRUE(Parsed("").empty());
}

TEST(FaultsTest, ANameStandsForRules) {
  const auto rules = Parsed("cuInit:1:3,cupti_no_permission");
  ASSERT_GT(rules.size(), 2);
  for (const FaultRule& rule : rules) {
    EXPECT_EQ(rule.value, rule.subject == "cuInit" ? 3 : 35) << rule.subject;
  }
}

TEST(FaultsTest, MalformedRulesAreNamed) {
  for (const char* text : {"cudaMalloc",
                           "cudaMalloc:2",
                           "cudaMalloc:0:2",
                           "cudaMalloc:x:2",
                           ":1:2",
                           "cudaMalloc:1:two",
                           "cudaMalloc:1:0",
                           "cudaMalloc:1:drop",
                           "record:1:5",
                           "record:1:slow=1us",
                           "record:101%:drop",
                           "record:0%:drop",
                           "memory:1:2",
                           "launch:1:drop",
                           "external:1:drop",
                           "teardown:1:drop",
                           "cudaFree:1:slow",
                           "cudaFree:1:hang=1s",
                           "cudaFree:1:slow=5",
                           "cudaFree:1:slow=-1us",
                           "cupti_lazy"}) {
    std::string why;
    EXPECT_FALSE(
        ParseFaults(std::string("cuInit:1:3,") + text, &why).has_value())
        << text;
    EXPECT_NE(why.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

TEST(FaultsTest, ARatioIsSpreadEvenly) {
  const FaultRule quarter = Parsed("record:25%:drop")[0];
  std::string due;
  for (uint64_t turn = 1; turn <= 8; ++turn) {
    due += quarter.IsDue(turn) ? 'x' : '.';
  }
  EXPECT_EQ(due, "...x...x");
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

// And cuMemHostRegister_v2:1:2.
TEST(FaultsTest, AFailedCallOfTheDriverFailsTheRuntimes) {
  std::vector<char> page(4096);
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaHostRegister(page.data(), page.size(), 0));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT_EQ(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(page.data()));
  EXPECT_OK(cudaHostRegister(page.data(), page.size(), 0));
  EXPECT_OK(cudaHostUnregister(page.data()));
}

// And cudaMemGetInfo:2:slow=3ms, cudaMemGetInfo:3:2.
TEST(FaultsTest, ACallTakesLongerOnTheClock) {
  size_t free = 0;
  size_t total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  cudaEvent_t before;
  cudaEvent_t after;
  float milliseconds = 0;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  cudaEventRecord(before);
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  cudaEventRecord(after);
  cudaEventSynchronize(after);
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, before, after));
  EXPECT_GE(milliseconds, 3);
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMemGetInfo(&free, &total));
}

// And memory:2:full.
TEST(FaultsTest, TheNthAllocationFindsNoMemory) {
  void* first = nullptr;
  void* second = nullptr;
  EXPECT_OK(cudaMalloc(&first, 1));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&second, 1));
  EXPECT_EQ(nullptr, second);
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT_OK(cudaMalloc(&second, 1));
  EXPECT_OK(cudaFree(first));
  EXPECT_OK(cudaFree(second));
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

// And launch:2:700.
TEST(FaultsTest, AFailedKernelShowsAtTheNextSynchronisation) {
  void* block = nullptr;
  ASSERT_OK(cudaMalloc(&block, 4096));
  auto* data = static_cast<float*>(block);
  LaunchScale(data, 1, nullptr);
  EXPECT_OK(cudaDeviceSynchronize());
  LaunchScale(data, 1'000'000, nullptr);
  EXPECT_OK(cudaGetLastError());  // still running
  EXPECT_EQ(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT_EQ(cudaErrorIllegalAddress, cudaStreamQuery(nullptr));
  EXPECT_EQ(cudaErrorIllegalAddress, cudaFree(block));
  LaunchScale(data, 1, nullptr);
  EXPECT_EQ(cudaErrorIllegalAddress, cudaGetLastError());
}

TEST(FaultsTest, ABlockingCopyReportsTheKernelBeforeIt) {
  ASSERT_OK(cudaDeviceReset());
  void* block = nullptr;
  int host = 0;
  ASSERT_OK(cudaMalloc(&block, 4096));
  LaunchScale(static_cast<float*>(block), 1, nullptr);  // launch:3:719
  EXPECT_EQ(cudaErrorLaunchFailure,
            cudaMemcpy(&host, block, sizeof host, cudaMemcpyDeviceToHost));
}

}  // namespace
