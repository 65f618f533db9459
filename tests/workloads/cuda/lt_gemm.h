// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_LT_GEMM_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_LT_GEMM_H_

#include <cublasLt.h>
#include <cuda_bf16.h>

namespace workloads {

// What matrix products of one stream share.
class LtContext {
 public:
  explicit LtContext(cudaStream_t stream);
  ~LtContext();
  LtContext(const LtContext&) = delete;
  LtContext& operator=(const LtContext&) = delete;

  static constexpr size_t kWorkspaceBytes = 32 << 20;
  cublasLtHandle_t handle = nullptr;
  cudaStream_t stream;
  void* workspace = nullptr;
};

// C [m, n] = op(A) [m, k] op(B) [k, n], each of `batch` products apart;
// row-major bfloat16, sums in float. Descriptors and algorithm are made once.
class LtGemm {
 public:
  struct Shape {
    int m, n, k;
    bool transpose_a = false;
    bool transpose_b = false;
    int batch = 1;
  };

  LtGemm(LtContext& context, Shape shape);
  ~LtGemm();
  LtGemm(const LtGemm&) = delete;
  LtGemm& operator=(const LtGemm&) = delete;

  void Run(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c);

 private:
  void ChooseAlgorithm();

  LtContext& context_;
  cublasLtMatmulDesc_t matmul_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  cublasLtMatmulAlgo_t algo_ = {};
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_LT_GEMM_H_
