// SPDX-License-Identifier: Apache-2.0
// The parameters of kernels in cubins of NVIDIA's compiler: what it was given
// says what they are. And what follows for memory when such a kernel runs.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/launch/cubin_parameters.h"
#include "tests/unit/simgpu/support.h"

namespace {

using dltap::simgpu::ReadCubinParameters;

constexpr const char* kFolder = DLTAP_CUBIN_FOLDER;
constexpr const char* kArchitectures[] = {"75", "80", "89", "90", "100", "120"};
constexpr const char* kKernels[] = {"mixed", "pointers", "many", "none"};

using Layout = std::vector<std::pair<size_t, size_t>>;

class CubinTest : public RuntimeTest {
 protected:
  static std::string PathOf(const std::string& name) {
    return std::string(kFolder) + "/" + name;
  }
  void Load(const std::string& name) {
    ASSERT_EQ(0, cuModuleLoad(&module_, PathOf(name).c_str())) << name;
  }
  CUfunction Function(const char* kernel) {
    CUfunction function = nullptr;
    EXPECT_EQ(0, cuModuleGetFunction(&function, module_, kernel));
    return function;
  }
  // The code that ends the list is returned too.
  std::pair<Layout, CUresult> LayoutOf(const char* kernel) {
    Layout layout;
    size_t offset = 0;
    size_t bytes = 0;
    CUresult result = CUDA_SUCCESS;
    for (;;) {
      result =
          cuFuncGetParamInfo(Function(kernel), layout.size(), &offset, &bytes);
      if (result != CUDA_SUCCESS) return {layout, result};
      layout.emplace_back(offset, bytes);
    }
  }

  CUmodule module_ = nullptr;
};

TEST_F(CubinTest, TellsTheParametersThatItsPtxTells) {
  for (const char* kernel : kKernels) {
    Load("parameters.ptx");
    const auto expected = LayoutOf(kernel);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, expected.second);
    for (const std::string architecture : kArchitectures) {
      Load("sm_" + architecture + ".cubin");
      EXPECT_EQ(expected, LayoutOf(kernel)) << kernel << architecture;
    }
  }
}

// Of two pointers to memory that the host has filled.
TEST_F(CubinTest, KernelSpoilsWhatItIsGivenAndNothingElse) {
  Load("sm_90.cubin");
  CUdeviceptr memory = 0;
  ASSERT_EQ(0, cuMemAlloc(&memory, 4096));
  const uint32_t value = 42;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(0, cuMemcpyHtoD(memory + 512 * i, &value, sizeof(value)));
  }
  CUdeviceptr from = memory;
  CUdeviceptr to = memory + 512;
  unsigned count = 1;
  void* arguments[] = {&from, &to, &count};
  ASSERT_EQ(0, cuLaunchKernel(Function("pointers"), 1, 1, 1, 32, 1, 1, 0,
                              nullptr, arguments, nullptr));
  const uint32_t expected[] = {0, 0, value};
  for (int i = 0; i < 3; ++i) {
    uint32_t got = 7;
    ASSERT_EQ(0, cuMemcpyDtoH(&got, memory + 512 * i, sizeof(got)));
    EXPECT_EQ(expected[i], got) << i;
  }
  cuMemFree(memory);
}

// A descriptor may hold addresses: any memory may be behind it.
TEST_F(CubinTest, KernelWithAnObjectMaySpoilAnything) {
  Load("sm_90.cubin");
  CUdeviceptr memory = 0;
  ASSERT_EQ(0, cuMemAlloc(&memory, 4096));
  const uint32_t value = 42;
  ASSERT_EQ(0, cuMemcpyHtoD(memory, &value, sizeof(value)));
  CUdeviceptr null = 0;
  char object[128] = {};
  void* arguments[] = {&null, object, object, object, object, object};
  ASSERT_EQ(0, cuLaunchKernel(Function("mixed"), 1, 1, 1, 32, 1, 1, 0, nullptr,
                              arguments, nullptr));
  uint32_t got = 7;
  ASSERT_EQ(0, cuMemcpyDtoH(&got, memory, sizeof(got)));
  EXPECT_EQ(0u, got);
  cuMemFree(memory);
}

// Format 4, attribute 0x17: index, ordinal, offset, bytes << 18.
std::string Parameter(char ordinal, char offset, char bytes) {
  return std::string("\x04\x17\x0c\0\0\0\0\0", 8) + ordinal + '\0' + offset +
         '\0' + std::string(2, '\0') + static_cast<char>(bytes << 2) + '\0';
}
std::string BytesOfAll(char bytes) {
  return std::string("\x03\x19") + bytes + '\0';
}

TEST(CubinParametersTest, AreUnknownWhereTheSectionContradictsItself) {
  const std::string whole =
      Parameter(1, 8, 4) + BytesOfAll(12) + Parameter(0, 0, 8);
  const auto parameters = ReadCubinParameters(whole);
  ASSERT_TRUE(parameters.has_value());
  ASSERT_EQ(2u, parameters->size());
  EXPECT_EQ(8u, parameters->back().offset);
  for (const std::string& wrong :
       {Parameter(0, 0, 8), Parameter(0, 0, 8) + BytesOfAll(12),
        Parameter(1, 0, 8) + BytesOfAll(8),
        Parameter(0, 0, 8) + Parameter(0, 0, 8) + BytesOfAll(8),
        Parameter(0, 0, 8) + Parameter(1, 4, 4) + BytesOfAll(8),
        Parameter(0, 0, 0) + BytesOfAll(0), std::string("\x05\x17\0\0", 4),
        std::string("\x04\x17\x08\0\0\0\0\0\0\0\0\0", 12) + BytesOfAll(0)}) {
    EXPECT_FALSE(ReadCubinParameters(wrong).has_value());
  }
  for (size_t n = 1; n < whole.size(); ++n) {  // cut short
    EXPECT_FALSE(ReadCubinParameters(whole.substr(0, n)).has_value()) << n;
  }
}

}  // namespace
