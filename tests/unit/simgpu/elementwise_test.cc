// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/elementwise.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::simgpu {
namespace {

constexpr int kElements = 1'000'000;

double Bytes(const std::string& tail) {
  int elements = kElements;
  void* arguments[] = {&elements};
  return ElementwiseBytes(("_ZN2at6native" + tail).c_str(), arguments);
}

TEST(ElementwiseTest, CountsOperandsAndTheSizeOfAnElement) {
  EXPECT_EQ(Bytes("29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
                  "St5arrayIPcLm1EEEEviT0_T1_"),
            4.0 * kElements);
  EXPECT_EQ(Bytes("29vectorized_elementwise_kernelILi4ENS0_"
                  "15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_"),
            12.0 * kElements);
  EXPECT_EQ(Bytes("29vectorized_elementwise_kernelILi8ENS0_"
                  "22CUDAFunctorOnSelf_addIN3c108BFloat16EEE"
                  "St5arrayIPcLm2EEEEviT0_T1_"),
            4.0 * kElements);
  EXPECT_EQ(Bytes("27unrolled_elementwise_kernelIZZNS0_16sqrt_kernel_cuda"
                  "ERNS_18TensorIteratorBaseEENKUlvE_clEvEUldE_"
                  "St5arrayIPcLm2EELi4EEviT_T0_"),
            16.0 * kElements);
}

TEST(ElementwiseTest, OtherKernelsAreUnknown) {
  EXPECT_EQ(Bytes("18elementwise_kernelILi128ELi4EEEviT1_"), 0);
  EXPECT_EQ(Bytes("29vectorized_elementwise_kernelILi4EEEviT0_T1_"), 0);
}

TEST(ElementwiseTest, ArgumentsInOneBufferAreUnknown) {
  EXPECT_EQ(ElementwiseBytes("29vectorized_elementwise_kernelILi4ENS0_"
                             "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
                             nullptr),
            0);
}

}  // namespace
}  // namespace dltap::simgpu
