// SPDX-License-Identifier: Apache-2.0
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <cusparseLt.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/unit/simgpu/kernel_log.h"

namespace dltap::simgpu {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

auto Named(const char* part) {
  return Field(&LoggedKernel::name, HasSubstr(part));
}

class RestTest : public testing::Test {
 protected:
  RestTest() { KernelLog::Get(); }
};

TEST_F(RestTest, PlanOfManyTransformsRunsOneKernel) {
  int plan = 0;
  ASSERT_EQ(cufftCreate(&plan), 0);
  long long sizes[] = {64, 32};
  size_t work_bytes = 1;
  ASSERT_EQ(cufftMakePlanMany64(plan, 2, sizes, nullptr, 1, 2048, nullptr, 1,
                                2048, CUFFT_R2C, 8, &work_bytes),
            0);
  EXPECT_EQ(work_bytes, 0u);
  KernelLog::Get().Take();
  EXPECT_EQ(cufftExecR2C(plan, nullptr, nullptr), 0);
  EXPECT_THAT(KernelLog::Get().Take(),
              testing::ElementsAre(testing::Field(
                  &LoggedKernel::name, testing::HasSubstr("vector_fft"))));
  EXPECT_EQ(cufftDestroy(plan), 0);
  EXPECT_EQ(cufftExecR2C(plan, nullptr, nullptr), CUFFT_INVALID_PLAN);
}

TEST_F(RestTest, PlanNeedsSizes) {
  int plan = 0;
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  ASSERT_EQ(cufftPlan1d(&plan, 256, CUFFT_C2C, 4), 0);
  EXPECT_EQ(cufftExecC2C(plan, nullptr, nullptr, -1), 0);
  EXPECT_EQ(cufftDestroy(plan), 0);
}

TEST_F(RestTest, VersionsAreThoseOfTheHeaders) {
  int value = 0;
  EXPECT_EQ(cufftGetVersion(&value), 0);
  EXPECT_EQ(value, 12000);
  EXPECT_EQ(curandGetVersion(&value), 0);
  EXPECT_EQ(value, 10400);
  const auto check = [&value](auto* property) {
    EXPECT_EQ(property(MAJOR_VERSION, &value), 0);
    EXPECT_EQ(value, 12);
    EXPECT_NE(property(static_cast<libraryPropertyType>(3), &value), 0);
    EXPECT_NE(property(MAJOR_VERSION, nullptr), 0);
  };
  check(&cufftGetProperty);
  check(&cusolverGetProperty);
  check(&cusparseGetProperty);
}

TEST_F(RestTest, SparseMatrixRemembersItsSize) {
  cusparseSpMatDescr_t matrix = nullptr;
  ASSERT_EQ(cusparseCreateCsc(&matrix, 3, 5, 7, nullptr, nullptr, nullptr,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            0);
  int64_t rows = 0, columns = 0, nonzeros = 0;
  EXPECT_EQ(cusparseSpMatGetSize(matrix, &rows, &columns, &nonzeros), 0);
  EXPECT_THAT((std::array{rows, columns, nonzeros}),
              testing::ElementsAre(3, 5, 7));
  EXPECT_EQ(cusparseDestroySpMat(matrix), 0);
}

// Its format has a default body; what knows matrices must not trip over it.
TEST_F(RestTest, MatrixOfAnotherFormatHasNoElements) {
  cusparseSpMatDescr_t matrix = nullptr;
  ASSERT_EQ(cusparseCreateBlockedEll(&matrix, 4, 4, 2, 2, nullptr, nullptr,
                                     CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            0);
  int64_t rows = 1, columns = 1, nonzeros = 1;
  EXPECT_EQ(cusparseSpMatGetSize(matrix, &rows, &columns, &nonzeros), 0);
  EXPECT_EQ(nonzeros, 0);
  EXPECT_EQ(cusparseDestroySpMat(matrix), 0);
}

// Panels of 64 columns, and a product behind each but the last.
TEST_F(RestTest, FactorizationGoesOverTheMatrixInPanels) {
  cusolverDnHandle_t handle = nullptr;
  ASSERT_EQ(cusolverDnCreate(&handle), 0);
  KernelLog::Get().Take();
  EXPECT_EQ(cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, 192, nullptr, 192,
                             nullptr, 0, nullptr),
            0);
  EXPECT_THAT(KernelLog::Get().Take(),
              ElementsAre(Named("potrf"), Named("gemm"), Named("potrf"),
                          Named("gemm"), Named("potrf")));
  EXPECT_EQ(cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, 16, nullptr,
                                    16, nullptr, 100),
            0);
  EXPECT_THAT(KernelLog::Get().Take(), ElementsAre(Named("double")));
  EXPECT_EQ(cusolverDnDestroy(handle), 0);
}

TEST_F(RestTest, LargerMatricesTakeLonger) {
  cusolverDnHandle_t handle = nullptr;
  ASSERT_EQ(cusolverDnCreate(&handle), 0);
  int64_t last_ns = 0;
  for (const int n : {512, 2048, 8192}) {
    KernelLog::Get().Take();
    ASSERT_EQ(
        cusolverDnSgetrf(handle, n, n, nullptr, n, nullptr, nullptr, nullptr),
        0);
    const int64_t ns = SumOfNs(KernelLog::Get().Take());
    EXPECT_GT(ns, 2 * last_ns);
    last_ns = ns;
  }
  EXPECT_EQ(cusolverDnDestroy(handle), 0);
}

TEST_F(RestTest, NothingToSolveRunsNothing) {
  cusolverDnHandle_t handle = nullptr;
  ASSERT_EQ(cusolverDnCreate(&handle), 0);
  KernelLog::Get().Take();
  EXPECT_EQ(
      cusolverDnSgeqrf(handle, 0, 0, nullptr, 1, nullptr, nullptr, 0, nullptr),
      0);
  EXPECT_EQ(
      cusolverDnSgeqrf(handle, 4, -1, nullptr, 1, nullptr, nullptr, 0, nullptr),
      CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(
      cusolverDnSgeqrf(nullptr, 4, 4, nullptr, 4, nullptr, nullptr, 0, nullptr),
      CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_THAT(KernelLog::Get().Take(), IsEmpty());
  EXPECT_EQ(cusolverDnDestroy(handle), 0);
}

// Its outputs lie in device memory: nothing may be written from here.
TEST_F(RestTest, AQuestionWritesTheAnswerAlone) {
  cusolverDnHandle_t handle = nullptr;
  ASSERT_EQ(cusolverDnCreate(&handle), 0);
  float matrix = 7;
  int bytes = 7;
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle, 1, 1, &matrix, 1, &bytes), 0);
  EXPECT_EQ(matrix, 7);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(cusolverDnDestroy(handle), 0);
}

TEST_F(RestTest, SparseProductTakesAsLongAsItsElements) {
  cusparseHandle_t handle = nullptr;
  ASSERT_EQ(cusparseCreate(&handle), 0);
  cusparseDnMatDescr_t dense = nullptr;
  ASSERT_EQ(cusparseCreateDnMat(&dense, 4096, 64, 4096, nullptr, CUDA_R_32F,
                                CUSPARSE_ORDER_COL),
            0);
  int64_t last_ns = 0;
  const float one = 1;
  for (const int64_t nonzeros : {1 << 16, 1 << 22}) {
    cusparseSpMatDescr_t sparse = nullptr;
    ASSERT_EQ(cusparseCreateCsr(&sparse, 4096, 4096, nonzeros, nullptr, nullptr,
                                nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
              0);
    KernelLog::Get().Take();
    EXPECT_EQ(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                           CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse,
                           dense, &one, dense, CUDA_R_32F,
                           CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
              0);
    const std::vector<LoggedKernel> kernels = KernelLog::Get().Take();
    ASSERT_THAT(kernels, ElementsAre(Named("csrmm")));
    EXPECT_GT(kernels[0].ns, last_ns);
    last_ns = kernels[0].ns;
    EXPECT_EQ(cusparseDestroySpMat(sparse), 0);
  }
  EXPECT_EQ(cusparseDestroyDnMat(dense), 0);
  EXPECT_EQ(cusparseDestroy(handle), 0);
}

// PyTorch tells a compressed matrix's rows by its size: 9/16 of the elements.
TEST_F(RestTest, StructuredMatrixIsCompressedAndMultiplied) {
  cusparseLtHandle_t handle;
  ASSERT_EQ(cusparseLtInit(&handle), 0);
  cusparseLtMatDescriptor_t sparse, dense;
  ASSERT_EQ(cusparseLtStructuredDescriptorInit(
                &handle, &sparse, 1024, 512, 512, 16, CUDA_R_16F,
                CUSPARSE_ORDER_ROW, CUSPARSELT_SPARSITY_50_PERCENT),
            0);
  ASSERT_EQ(cusparseLtDenseDescriptorInit(&handle, &dense, 512, 256, 256, 16,
                                          CUDA_R_16F, CUSPARSE_ORDER_ROW),
            0);
  size_t compressed = 0, buffer = 7;
  EXPECT_EQ(
      cusparseLtSpMMACompressedSize2(&handle, &sparse, &compressed, &buffer),
      0);
  EXPECT_EQ(compressed, 2u * 1024 * 512 * 9 / 16);
  EXPECT_EQ(buffer, 0u);
  cusparseLtMatmulDescriptor_t product;
  ASSERT_EQ(cusparseLtMatmulDescriptorInit(
                &handle, &product, CUSPARSE_OPERATION_NON_TRANSPOSE,
                CUSPARSE_OPERATION_NON_TRANSPOSE, &sparse, &dense, &dense,
                &dense, CUSPARSE_COMPUTE_32F),
            0);
  cusparseLtMatmulPlan_t plan;
  ASSERT_EQ(cusparseLtMatmulPlanInit(&handle, &plan, &product, nullptr), 0);
  KernelLog::Get().Take();
  EXPECT_EQ(cusparseLtMatmul(&handle, &plan, nullptr, nullptr, nullptr, nullptr,
                             nullptr, nullptr, nullptr, nullptr, 0),
            0);
  EXPECT_THAT(KernelLog::Get().Take(), ElementsAre(Named("sparse_gemm")));
}

TEST_F(RestTest, NumbersAreDrawnOnTheDeviceOrOnTheHost) {
  curandGenerator_t device = nullptr;
  curandGenerator_t host = nullptr;
  ASSERT_EQ(curandCreateGenerator(&device, CURAND_RNG_PSEUDO_DEFAULT), 0);
  ASSERT_EQ(curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_DEFAULT), 0);
  KernelLog::Get().Take();
  EXPECT_EQ(curandGenerateUniform(device, nullptr, 1 << 20), 0);
  EXPECT_EQ(curandGenerateUniform(host, nullptr, 1 << 20), 0);
  EXPECT_THAT(KernelLog::Get().Take(), ElementsAre(Named("gen_sequenced")));
  EXPECT_EQ(curandDestroyGenerator(device), 0);
  EXPECT_EQ(curandDestroyGenerator(host), 0);
}

}  // namespace
}  // namespace dltap::simgpu
