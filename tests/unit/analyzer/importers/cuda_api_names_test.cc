// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/cuda_api_names.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(FindApiTest, ToolVersionsAreLeftOut) {
  ASSERT_NE(FindApi("cudaLaunchKernel"), nullptr);
  EXPECT_EQ(FindApi("cudaLaunchKernel_v7000"), FindApi("cudaLaunchKernel"));
  EXPECT_EQ(FindApi("cudaMemcpyAsync_v3020"), FindApi("cudaMemcpyAsync"));
}

TEST(FindApiTest, HipNamesMeanTheirCudaCounterparts) {
  ASSERT_NE(FindApi("cuLaunchKernel"), nullptr);
  EXPECT_EQ(FindApi("hipLaunchKernel"), FindApi("cudaLaunchKernel"));
  EXPECT_EQ(FindApi("hipMemcpyWithStream"), FindApi("cudaMemcpy"));
  EXPECT_EQ(FindApi("hipModuleLaunchKernel"), FindApi("cuLaunchKernel"));
  EXPECT_EQ(FindApi("hipExtModuleLaunchKernel"), FindApi("cuLaunchKernel"));
}

TEST(FindApiTest, OtherNamesAreUnknown) {
  for (const char* name : {"", "hip", "_v7000", "cudaLaunchKernel_v",
                           "cudaLaunchKernel_v70x0", "noSuchCall"}) {
    EXPECT_EQ(FindApi(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace dltap::analyzer
