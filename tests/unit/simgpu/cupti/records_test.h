// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_CUPTI_RECORDS_TEST_H_
#define DLTAP_TESTS_UNIT_SIMGPU_CUPTI_RECORDS_TEST_H_

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/simgpu/cupti/client.h"

namespace dltap::simgpu_test {

// Enables kinds for one test and looks at what comes.
class RecordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    g_records.clear();
    g_buffers.clear();
    ASSERT_EQ(cuptiActivityRegisterCallbacks(Request, Complete), CUPTI_SUCCESS);
  }
  void TearDown() override {
    for (const CUpti_ActivityKind kind : enabled_) cuptiActivityDisable(kind);
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  void Enable(CUpti_ActivityKind kind) {
    ASSERT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
    enabled_.push_back(kind);
  }
  void EnableAndDump(CUpti_ActivityKind kind) {
    ASSERT_EQ(cuptiActivityEnableAndDump(kind), CUPTI_SUCCESS);
    enabled_.push_back(kind);
  }
  static void Flush() {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    cuptiActivityFlushAll(0);
  }

 private:
  std::vector<CUpti_ActivityKind> enabled_;
};

}  // namespace dltap::simgpu_test

#endif  // DLTAP_TESTS_UNIT_SIMGPU_CUPTI_RECORDS_TEST_H_
