// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/lt_route.h"

#include <algorithm>

#include "simgpu/base/api_scope.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/cublas/gemm_operation.h"
#include "simgpu/cublas/lt_descriptors.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {
namespace {

using opmodel::DType;

// The vendor's kernels for half-precision products of sm_90 and later
// (nvjet_*) are cuBLASLt's; what no row names is done by cuBLAS itself.
struct Row {
  int min_compute;  // 10 * major + minor
  DType storage;
  cudaDataType type;
};
constexpr Row kThroughLt[] = {
    {90, DType::kF16, CUDA_R_16F},
    {90, DType::kBf16, CUDA_R_16BF},
};

const Row* RowOf(DType storage, const opmodel::GpuSpec& gpu) {
  const int compute = 10 * gpu.compute_major + gpu.compute_minor;
  const auto* row = std::find_if(
      std::begin(kThroughLt), std::end(kThroughLt), [&](const Row& candidate) {
        return candidate.storage == storage && compute >= candidate.min_compute;
      });
  return row == std::end(kThroughLt) ? nullptr : row;
}

struct Matrix {
  cudaDataType type;
  int64_t rows;
  int64_t cols;
  int64_t ld;
  int64_t stride;
};

cublasLtMatrixLayoutOpaque_t LayoutOf(const Matrix& matrix, int64_t batch) {
  cublasLtMatrixLayoutOpaque_t layout{};
  StateOf<LtLayout>(&layout) = {.type = matrix.type,
                                .order = CUBLASLT_ORDER_COL,
                                .rows = static_cast<uint64_t>(matrix.rows),
                                .cols = static_cast<uint64_t>(matrix.cols),
                                .ld = matrix.ld,
                                .batch_count = static_cast<int32_t>(batch),
                                .batch_mode = 0,
                                .batch_stride = matrix.stride,
                                .plane_offset = 0};
  return layout;
}

cublasLtMatmulDescOpaque_t ProductOf(const cublasContext& handle,
                                     const BlasArguments& arguments) {
  const bool in_half = arguments.compute_type < 0 ||
                       arguments.compute_type == CUBLAS_COMPUTE_16F ||
                       arguments.compute_type == CUBLAS_COMPUTE_16F_PEDANTIC;
  cublasLtMatmulDescOpaque_t product{};
  auto& state = StateOf<LtMatmulDesc>(&product);
  state.compute_type =
      arguments.compute_type >= 0 ? arguments.compute_type : CUBLAS_COMPUTE_16F;
  state.scale_type = in_half ? CUDA_R_16F : CUDA_R_32F;
  state.pointer_mode = handle.pointer_mode;
  state.trans_a = arguments.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  state.trans_b = arguments.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  state.fill_mode = CUBLAS_FILL_MODE_FULL;
  state.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  state.aux_type = -1;
  state.bias_type = -1;
  state.sm_count_target = handle.sm_count_target;
  return product;
}

}  // namespace

bool GoesThroughLt(const cublasContext& handle,
                   const BlasArguments& arguments) {
  if (arguments.ldc == 0 || arguments.m == 0 || arguments.n == 0 ||
      arguments.k == 0 || arguments.batch == 0) {
    return false;
  }
  const DType storage = GemmOperation(handle, arguments).storage;
  return RowOf(storage, GpuOfStream(handle.stream)) != nullptr;
}

int MultiplyThroughLt(cublasContext& handle, const BlasArguments& arguments) {
  const BlasArguments& x = arguments;
  const cudaDataType type =
      RowOf(GemmOperation(handle, x).storage, GpuOfStream(handle.stream))->type;
  auto product = ProductOf(handle, x);
  auto a = LayoutOf(
      {type, x.trans_a ? x.k : x.m, x.trans_a ? x.m : x.k, x.lda, x.stride_a},
      x.batch);
  auto b = LayoutOf(
      {type, x.trans_b ? x.n : x.k, x.trans_b ? x.k : x.n, x.ldb, x.stride_b},
      x.batch);
  auto c = LayoutOf({x.c_type < 0 ? type : static_cast<cudaDataType>(x.c_type),
                     x.m, x.n, x.ldc, x.stride_c},
                    x.batch);
  const NestedCalls nested;
  // A cublasHandle_t serves as a cublasLtHandle_t (cuBLAS
  // documentation, 3.1.1).
  return cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(&handle), &product,
                        x.alpha, x.a, &a, x.b, &b, x.beta, x.c, &c, x.c, &c,
                        nullptr, handle.workspace, handle.workspace_bytes,
                        handle.stream);
}

}  // namespace dltap::simgpu
