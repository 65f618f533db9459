// SPDX-License-Identifier: Apache-2.0
// The simulated cuBLAS as a program meets it.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/kernel_log.h"

namespace dltap::simgpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CublasTest : public ::testing::Test {
 protected:
  CublasTest() {
    KernelLog::Get();
    EXPECT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    KernelLog::Get().Take();
  }
  ~CublasTest() override { cublasDestroy(handle_); }

  // A square product of FP32 numbers.
  std::vector<LoggedKernel> Sgemm(int size) {
    const float one = 1;
    EXPECT_EQ(
        cublasSgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, size, size, size, &one,
                    nullptr, size, nullptr, size, &one, nullptr, size),
        CUBLAS_STATUS_SUCCESS);
    return KernelLog::Get().Take();
  }

  cublasHandle_t handle_ = nullptr;
};

TEST_F(CublasTest, ProductTakesModelledTime) {
  const auto kernels = Sgemm(8192);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_THAT(kernels[0].name, HasSubstr("ampere_sgemm_"));
  EXPECT_THAT(kernels[0].name, HasSubstr("_tn"));
  // 1.1 PFLOP at no more than the peak of 67 TFLOP/s.
  EXPECT_GT(kernels[0].ns, 2 * 8192LL * 8192 * 8192 / 67'000);
}

TEST_F(CublasTest, MathModeChoosesTensorCores) {
  const auto plain = Sgemm(4096);
  cublasSetMathMode(handle_, CUBLAS_TF32_TENSOR_OP_MATH);
  const auto tensor = Sgemm(4096);
  ASSERT_THAT(tensor, SizeIs(1));
  EXPECT_THAT(tensor[0].name, HasSubstr("sm90_xmma_gemm_f32f32_tf32f32"));
  EXPECT_LT(tensor[0].ns * 2, plain[0].ns);
}

TEST_F(CublasTest, LongInnerDimensionIsSplitAndReduced) {
  const float one = 1;
  cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, 64, 64, 1 << 20, &one, nullptr,
              64, nullptr, 64, &one, nullptr, 64);
  const auto kernels = KernelLog::Get().Take();
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(kernels[1].name, HasSubstr("splitKreduce_kernel"));
}

TEST_F(CublasTest, HalfPrecisionBatchIsOneKernel) {
  const float one = 1;
  EXPECT_EQ(cublasGemmStridedBatchedEx(
                handle_, CUBLAS_OP_N, CUBLAS_OP_N, 256, 256, 64, &one, nullptr,
                CUDA_R_16BF, 256, 256 * 64, nullptr, CUDA_R_16BF, 64, 64 * 256,
                &one, nullptr, CUDA_R_16BF, 256, 256 * 256, 12,
                CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  const auto kernels = KernelLog::Get().Take();
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_THAT(kernels[0].name, HasSubstr("bf16bf16_bf16f32_f32_nn"));
  EXPECT_EQ(kernels[0].blocks % 12, 0);
}

TEST_F(CublasTest, EachGroupIsAProductOfItsOwn) {
  const cublasOperation_t none[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int sizes[] = {128, 256};
  const int counts[] = {2, 3};
  const float ones[] = {1, 1};
  EXPECT_EQ(cublasSgemmGroupedBatched(handle_, none, none, sizes, sizes, sizes,
                                      ones, nullptr, sizes, nullptr, sizes,
                                      ones, nullptr, sizes, 2, counts),
            CUBLAS_STATUS_SUCCESS);
  int products = 0;
  for (const LoggedKernel& kernel : KernelLog::Get().Take()) {
    products += kernel.name.find("sgemm") != std::string::npos;
  }
  EXPECT_EQ(products, 2);
}

TEST_F(CublasTest, HostResultIsWrittenBeforeTheCallReturns) {
  float result = 7;
  EXPECT_EQ(cublasSdot(handle_, 1 << 20, nullptr, 1, nullptr, 1, &result),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, 0);
  const auto kernels = KernelLog::Get().Take();
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(kernels[0].name, HasSubstr("dot_kernel<float"));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

TEST_F(CublasTest, DeviceResultIsLeftToTheDevice) {
  float result = 7;
  cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(cublasSnrm2(handle_, 64, nullptr, 1, &result),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, 7);
}

TEST_F(CublasTest, WideIndicesReachTheModel) {
  const float one = 1;
  cublasSaxpy_64(handle_, int64_t{1} << 33, &one, nullptr, 1, nullptr, 1);
  const auto kernels = KernelLog::Get().Take();
  ASSERT_THAT(kernels, SizeIs(1));
  // 3 x 32 GiB at no more than 3.4 TB/s.
  EXPECT_GT(kernels[0].ns, (3LL << 35) / 3'400);
}

TEST_F(CublasTest, BadArgumentsLaunchNothing) {
  const float one = 1;
  EXPECT_EQ(cublasSscal(nullptr, 4, &one, nullptr, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSscal(handle_, -4, &one, nullptr, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSscal(handle_, 0, &one, nullptr, 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(KernelLog::Get().Take(), IsEmpty());
}

TEST_F(CublasTest, MatricesAreCopiedByColumns) {
  const float source[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};  // columns of 3 rows
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  EXPECT_EQ(cublasSetMatrix(2, 3, sizeof(float), source, 3, device, 2),
            CUBLAS_STATUS_SUCCESS);
  float back[6] = {};
  EXPECT_EQ(cublasGetVector(6, sizeof(float), device, 1, back, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(back, ElementsAre(1, 2, 4, 5, 7, 8));
  cudaFree(device);
}

}  // namespace
}  // namespace dltap::simgpu
