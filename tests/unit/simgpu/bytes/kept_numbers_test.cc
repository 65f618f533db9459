// SPDX-License-Identifier: Apache-2.0
// With DLTAP_SIM_KEEP_NUMBERS=1: a number that the host wrote is the host's.
#include <cstdint>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr int64_t kNumber = 0x1234567890;

class KeptNumbersTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaMemcpy(data_, &kNumber, sizeof(kNumber), cudaMemcpyDefault));
  }

  int64_t Read() const {
    int64_t result = -1;
    EXPECT_OK(cudaMemcpy(&result, data_, sizeof(result), cudaMemcpyDefault));
    return result;
  }
};

TEST_F(KeptNumbersTest, StaysThroughKernelsThatDoNotGetIt) {
  LaunchScale(data_ + 256, 1, nullptr);
  EXPECT_EQ(kNumber, Read());
}

TEST_F(KeptNumbersTest, IsStaleAfterAKernelThatGetsIt) {
  LaunchScale(data_, 1, nullptr);
  EXPECT_EQ(0, Read());
}

TEST_F(KeptNumbersTest, IsStaleAfterACopyOfWhatAKernelWrote) {
  LaunchScale(data_ + 256, 1, nullptr);
  ASSERT_OK(cudaMemcpy(data_, data_ + 256, 4, cudaMemcpyDefault));
  EXPECT_EQ(0, Read());
}

}  // namespace
