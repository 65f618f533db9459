// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_BLAS_ARGUMENTS_H_
#define DLTAP_SIMGPU_CUBLAS_BLAS_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "opmodel/operation.h"

namespace dltap::simgpu {

// The arguments of any BLAS or LAPACK-like function that the work depends on,
// by their names in the header; simgpu/cublas/gen_blas_entry_points.py fills
// them in.
struct BlasArguments {
  std::string_view routine;  // "gemm", "axpy", "getrfBatched": the family
  opmodel::DType dtype = opmodel::DType::kUnknown;  // by the type letter
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t right_sides = 0;  // nrhs
  int64_t batch = 1;
  bool trans_a = false;
  bool trans_b = false;
  bool right_side = false;  // CUBLAS_SIDE_RIGHT
  int a_type = -1;          // cudaDataType of the Ex functions
  int compute_type = -1;    // cublasComputeType_t

  // The matrices of a general product; ldc is 0 for all others.
  const void* alpha = nullptr;
  const void* a = nullptr;
  int64_t lda = 0;
  int64_t stride_a = 0;
  const void* b = nullptr;
  int64_t ldb = 0;
  int64_t stride_b = 0;
  const void* beta = nullptr;
  void* c = nullptr;
  int c_type = -1;  // cudaDataType of the Ex functions
  int64_t ldc = 0;
  int64_t stride_c = 0;

  void* y = nullptr;       // a vector that is written
  void* result = nullptr;  // of dot, nrm2, asum, amax, amin
  size_t result_bytes = 0;
  int* info = nullptr;  // host memory

  // Grouped batches: arrays of `group_count`; 8-byte elements in _64 variants.
  int64_t group_count = 0;
  const void* m_array = nullptr;
  const void* n_array = nullptr;
  const void* k_array = nullptr;
  const void* group_sizes = nullptr;
  const void* trans_a_array = nullptr;  // of cublasOperation_t
  const void* trans_b_array = nullptr;
  bool wide_indices = false;
};

// Of cublasOperation_t, cublasSideMode_t, and of the letters of cublas.h.
constexpr bool IsTransposed(int operation) {
  return operation != 0 && operation != 'N' && operation != 'n';
}
constexpr bool IsRight(int side) {
  return side == 1 || side == 'R' || side == 'r';
}

// Bytes of a scalar result.
template <typename T>
constexpr size_t ResultBytes(const T*) {
  return sizeof(T);
}
constexpr size_t ResultBytes(const void*) { return 2; }  // _Float16 at least

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_BLAS_ARGUMENTS_H_
