// SPDX-License-Identifier: Apache-2.0
// Libraries whose headers are not at hand: prototypes as documented.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/unit/simgpu/kernel_log.h"

extern "C" {
int cufftCreate(int* plan);
int cufftDestroy(int plan);
int cufftPlan1d(int* plan, int nx, int type, int batch);
int cufftMakePlanMany64(int plan, int rank, long long* n, long long* inembed,
                        long long istride, long long idist, long long* onembed,
                        long long ostride, long long odist, int type,
                        long long batch, size_t* work_bytes);
int cufftExecC2C(int plan, void* in, void* out, int direction);
int cufftExecR2C(int plan, void* in, void* out);
int cufftGetVersion(int* version);
int cufftGetProperty(int type, int* value);
int cusolverGetProperty(int type, int* value);
int cusparseGetProperty(int type, int* value);
int cusparseCreateCsc(void** matrix, int64_t rows, int64_t columns,
                      int64_t nonzeros, void* offsets, void* indices,
                      void* values, int, int, int, int);
int cusparseCreateBlockedEll(void** matrix, int64_t rows, int64_t columns,
                             int64_t block, int64_t ell_columns, void*, void*,
                             int, int, int);
int cusparseSpMatGetSize(void* matrix, int64_t* rows, int64_t* columns,
                         int64_t* nonzeros);
int cusparseDestroySpMat(void* matrix);
int curandGetVersion(int* version);
}

namespace dltap::simgpu {
namespace {

constexpr int kC2C = 0x29;
constexpr int kR2C = 0x2a;
constexpr int kInvalidPlan = 1;
constexpr int kInvalidValue = 4;

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
                                2048, kR2C, 8, &work_bytes),
            0);
  EXPECT_EQ(work_bytes, 0u);
  KernelLog::Get().Take();
  EXPECT_EQ(cufftExecR2C(plan, nullptr, nullptr), 0);
  EXPECT_THAT(KernelLog::Get().Take(),
              testing::ElementsAre(testing::Field(
                  &LoggedKernel::name, testing::HasSubstr("vector_fft"))));
  EXPECT_EQ(cufftDestroy(plan), 0);
  EXPECT_EQ(cufftExecR2C(plan, nullptr, nullptr), kInvalidPlan);
}

TEST_F(RestTest, PlanNeedsSizes) {
  int plan = 0;
  EXPECT_EQ(cufftPlan1d(&plan, 0, kC2C, 1), kInvalidValue);
  ASSERT_EQ(cufftPlan1d(&plan, 256, kC2C, 4), 0);
  EXPECT_EQ(cufftExecC2C(plan, nullptr, nullptr, -1), 0);
  EXPECT_EQ(cufftDestroy(plan), 0);
}

TEST_F(RestTest, VersionsAreThoseOfTheHeaders) {
  int value = 0;
  EXPECT_EQ(cufftGetVersion(&value), 0);
  EXPECT_EQ(value, 12000);
  EXPECT_EQ(curandGetVersion(&value), 0);
  EXPECT_EQ(value, 10400);
  for (auto* property :
       {&cufftGetProperty, &cusolverGetProperty, &cusparseGetProperty}) {
    EXPECT_EQ(property(0, &value), 0);
    EXPECT_EQ(value, 12);
    EXPECT_NE(property(3, &value), 0);
    EXPECT_NE(property(0, nullptr), 0);
  }
}

TEST_F(RestTest, SparseMatrixRemembersItsSize) {
  void* matrix = nullptr;
  ASSERT_EQ(cusparseCreateCsc(&matrix, 3, 5, 7, nullptr, nullptr, nullptr, 0, 0,
                              0, 0),
            0);
  int64_t rows = 0, columns = 0, nonzeros = 0;
  EXPECT_EQ(cusparseSpMatGetSize(matrix, &rows, &columns, &nonzeros), 0);
  EXPECT_THAT((std::array{rows, columns, nonzeros}),
              testing::ElementsAre(3, 5, 7));
  EXPECT_EQ(cusparseDestroySpMat(matrix), 0);
}

// Its format has a default body; what knows matrices must not trip over it.
TEST_F(RestTest, MatrixOfAnotherFormatHasNoElements) {
  void* matrix = nullptr;
  ASSERT_EQ(
      cusparseCreateBlockedEll(&matrix, 4, 4, 2, 2, nullptr, nullptr, 0, 0, 0),
      0);
  int64_t rows = 1, columns = 1, nonzeros = 1;
  EXPECT_EQ(cusparseSpMatGetSize(matrix, &rows, &columns, &nonzeros), 0);
  EXPECT_EQ(nonzeros, 0);
  EXPECT_EQ(cusparseDestroySpMat(matrix), 0);
}

}  // namespace
}  // namespace dltap::simgpu
