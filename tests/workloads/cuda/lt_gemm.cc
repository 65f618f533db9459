// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/lt_gemm.h"

#include <cstdio>
#include <cstdlib>

#include "tests/workloads/cuda/check.h"

namespace workloads {
namespace {

// cuBLAS thinks in columns: our [rows, columns] is its [columns, rows].
cublasLtMatrixLayout_t RowMajor(int rows, int columns, int batch) {
  cublasLtMatrixLayout_t layout;
  CHECK(
      cublasLtMatrixLayoutCreate(&layout, CUDA_R_16BF, columns, rows, columns));
  if (batch > 1) {
    const int64_t stride = int64_t{1} * rows * columns;
    CHECK(cublasLtMatrixLayoutSetAttribute(
        layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)));
    CHECK(cublasLtMatrixLayoutSetAttribute(
        layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
        sizeof(stride)));
  }
  return layout;
}

void SetTranspose(cublasLtMatmulDesc_t matmul,
                  cublasLtMatmulDescAttributes_t attribute, bool transpose) {
  const cublasOperation_t op = transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
  CHECK(cublasLtMatmulDescSetAttribute(matmul, attribute, &op, sizeof(op)));
}

}  // namespace

LtContext::LtContext(cudaStream_t stream_of_all) : stream(stream_of_all) {
  CHECK(cublasLtCreate(&handle));
  CHECK(cudaMalloc(&workspace, kWorkspaceBytes));
}

LtContext::~LtContext() {
  cudaFree(workspace);
  cublasLtDestroy(handle);
}

LtGemm::LtGemm(LtContext& context, Shape shape) : context_(context) {
  const auto [m, n, k, transpose_a, transpose_b, batch] = shape;
  a_ = transpose_a ? RowMajor(k, m, batch) : RowMajor(m, k, batch);
  b_ = transpose_b ? RowMajor(n, k, batch) : RowMajor(k, n, batch);
  c_ = RowMajor(m, n, batch);
  CHECK(cublasLtMatmulDescCreate(&matmul_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  // C^T = op(B)^T op(A)^T: B is the first matrix for cuBLAS.
  SetTranspose(matmul_, CUBLASLT_MATMUL_DESC_TRANSA, transpose_b);
  SetTranspose(matmul_, CUBLASLT_MATMUL_DESC_TRANSB, transpose_a);
  ChooseAlgorithm();
}

LtGemm::~LtGemm() {
  cublasLtMatmulDescDestroy(matmul_);
  for (auto layout : {a_, b_, c_}) cublasLtMatrixLayoutDestroy(layout);
}

void LtGemm::ChooseAlgorithm() {
  cublasLtMatmulPreference_t preference;
  const size_t bytes = LtContext::kWorkspaceBytes;
  CHECK(cublasLtMatmulPreferenceCreate(&preference));
  CHECK(cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
      sizeof(bytes)));
  cublasLtMatmulHeuristicResult_t best = {};
  int count = 0;
  CHECK(cublasLtMatmulAlgoGetHeuristic(context_.handle, matmul_, b_, a_, c_, c_,
                                       preference, 1, &best, &count));
  CHECK(cublasLtMatmulPreferenceDestroy(preference));
  if (count == 0) {
    std::fprintf(stderr, "cuBLASLt knows no algorithm for a product\n");
    std::exit(1);
  }
  algo_ = best.algo;
}

void LtGemm::Run(const __nv_bfloat16* a, const __nv_bfloat16* b,
                 __nv_bfloat16* c) {
  const float one = 1, zero = 0;
  CHECK(cublasLtMatmul(context_.handle, matmul_, &one, b, b_, a, a_, &zero, c,
                       c_, c, c_, &algo_, context_.workspace,
                       LtContext::kWorkspaceBytes, context_.stream));
}

}  // namespace workloads
