// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_NAMED_KERNELS_H_
#define DLTAP_TESTS_UNIT_SIMGPU_NAMED_KERNELS_H_

#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

// A module of kernels by name, which is all that the simulated GPU knows them
// by, and some device memory for them. Mangled names are those of the
// frameworks, arguments are laid out as these lay them out.
class NamedKernelTest : public testing::Test {
 protected:
  // void f<4, FillFunctor<float>, array<char*, 1>>(int, FillFunctor<float>,
  // array<char*, 1>) of PyTorch
  static constexpr char kFill[] =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
      "St5arrayIPcLm1EEEEviT0_T1_";
  static constexpr char kUnknown[] = "unknown";

  explicit NamedKernelTest(std::vector<const char*> names = {})
      : names_(std::move(names)) {
    names_.push_back(kFill);
    names_.push_back(kUnknown);
  }

  void SetUp() override {
    ASSERT_EQ(CUDA_SUCCESS, cuInit(0));
    ASSERT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context_, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
    std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (const char* name : names_) {
      ptx += std::string(".visible .entry ") + name + "()\n{\n ret;\n}\n";
    }
    ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadData(&module_, ptx.c_str()));
    ASSERT_EQ(CUDA_SUCCESS, cuMemAlloc(&data_, kBytes));
  }
  void TearDown() override {
    cuMemFree(data_);
    cuModuleUnload(module_);
    cuDevicePrimaryCtxRelease(0);
  }

  void Launch(const char* name, void** arguments, CUstream stream = nullptr) {
    CUfunction function = nullptr;
    ASSERT_EQ(CUDA_SUCCESS, cuModuleGetFunction(&function, module_, name));
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0,
                                           stream, arguments, nullptr));
  }
  void LaunchUnknown(CUstream stream = nullptr) {
    Launch(kUnknown, nullptr, stream);
  }
  void Fill(CUdeviceptr to, int count, float value, CUstream stream = nullptr,
            const char* kernel = kFill) {
    void* arguments[] = {&count, &value, &to};
    Launch(kernel, arguments, stream);
  }
  float ReadScalar(CUdeviceptr from) {
    float value = -1;
    EXPECT_EQ(CUDA_SUCCESS, cuMemcpyDtoH(&value, from, sizeof(value)));
    return value;
  }

  static constexpr size_t kBytes = 8 << 20;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUdeviceptr data_ = 0;

 private:
  std::vector<const char*> names_;
};

#endif  // DLTAP_TESTS_UNIT_SIMGPU_NAMED_KERNELS_H_
