// SPDX-License-Identifier: Apache-2.0
// The simulated cuBLASLt as a program meets it.
#include <cublasLt.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/kernel_log.h"

namespace dltap::simgpu {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class CublasLtTest : public ::testing::Test {
 protected:
  CublasLtTest() {
    KernelLog::Get();
    EXPECT_EQ(cublasLtCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulDescCreate(&desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&a_, CUDA_R_16BF, kM, kK, kM);
    cublasLtMatrixLayoutCreate(&b_, CUDA_R_16BF, kK, kN, kK);
    cublasLtMatrixLayoutCreate(&d_, CUDA_R_16BF, kM, kN, kM);
    cublasLtMatmulPreferenceCreate(&preference_);
    KernelLog::Get().Take();
  }
  ~CublasLtTest() override {
    cublasLtMatmulPreferenceDestroy(preference_);
    for (auto layout : {a_, b_, d_}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(desc_);
    cublasLtDestroy(handle_);
  }

  std::vector<cublasLtMatmulHeuristicResult_t> Heuristics(uint64_t workspace) {
    cublasLtMatmulPreferenceSetAttribute(
        preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
        sizeof workspace);
    std::vector<cublasLtMatmulHeuristicResult_t> results(16);
    int found = 0;
    EXPECT_EQ(
        cublasLtMatmulAlgoGetHeuristic(handle_, desc_, a_, b_, d_, d_,
                                       preference_, 16, results.data(), &found),
        CUBLAS_STATUS_SUCCESS);
    results.resize(static_cast<size_t>(found));
    return results;
  }

  std::vector<LoggedKernel> Matmul(const cublasLtMatmulAlgo_t* algorithm) {
    const float one = 1;
    EXPECT_EQ(cublasLtMatmul(handle_, desc_, &one, nullptr, a_, nullptr, b_,
                             &one, nullptr, d_, nullptr, d_, algorithm, nullptr,
                             0, nullptr),
              CUBLAS_STATUS_SUCCESS);
    return KernelLog::Get().Take();
  }

  static constexpr int kM = 512;
  static constexpr int kN = 256;
  static constexpr int kK = 4096;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
};

TEST_F(CublasLtTest, HeuristicOffersAlgorithmsOfDifferentTimeAndWorkspace) {
  const auto results = Heuristics(64 << 20);
  ASSERT_GE(results.size(), 3u);
  const int64_t first = SumOfNs(Matmul(&results.front().algo));
  const int64_t last = SumOfNs(Matmul(&results.back().algo));
  EXPECT_LT(first, last);
}

TEST_F(CublasLtTest, WorkspaceLimitExcludesSplitProducts) {
  for (const auto& result : Heuristics(0)) {
    EXPECT_EQ(result.workspaceSize, 0u);
    int32_t split = 0;
    size_t written = 0;
    EXPECT_EQ(cublasLtMatmulAlgoConfigGetAttribute(
                  &result.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &split,
                  sizeof split, &written),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(split, 1);
  }
}

TEST_F(CublasLtTest, BiasGradientNeedsAKernelOfItsOwn) {
  const auto without = Matmul(nullptr);
  const auto epilogue = CUBLASLT_EPILOGUE_BGRADB;
  cublasLtMatmulDescSetAttribute(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                 &epilogue, sizeof epilogue);
  const auto with = Matmul(nullptr);
  ASSERT_THAT(with, SizeIs(without.size() + 1));
  EXPECT_THAT(with.back().name, HasSubstr("epilogue::impl::globalKernel"));
}

TEST_F(CublasLtTest, AttributesReadBackAsSet) {
  const int32_t batch = 5;
  cublasLtMatrixLayoutSetAttribute(d_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                   &batch, sizeof batch);
  int32_t read = 0;
  size_t written = 0;
  EXPECT_EQ(
      cublasLtMatrixLayoutGetAttribute(d_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                       &read, sizeof read, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(read, 5);
  EXPECT_EQ(written, sizeof read);
  EXPECT_EQ(cublasLtMatrixLayoutGetAttribute(d_, CUBLASLT_MATRIX_LAYOUT_ROWS,
                                             &read, sizeof read, &written),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtTest, ShapesThatDoNotFitAreRefused) {
  const float one = 1;
  EXPECT_EQ(
      cublasLtMatmul(handle_, desc_, &one, nullptr, a_, nullptr, a_, &one,
                     nullptr, d_, nullptr, d_, nullptr, nullptr, 0, nullptr),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_THAT(KernelLog::Get().Take(), SizeIs(0));
}

}  // namespace
}  // namespace dltap::simgpu
