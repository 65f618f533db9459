// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcublas. cublasSgemm_v2 calls back into the runtime library
// it is linked to, as a real one may: a nested call for the tap.
#include "tests/support/fake_vendor/fake_cuda.h"

int cublasCreate_v2(void** handle) {
  static int object;
  *handle = &object;
  return 0;
}

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc) {
  (void)transa, (void)transb, (void)k, (void)alpha, (void)a, (void)lda;
  (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;
  if (handle == NULL) return 1;  // CUBLAS_STATUS_NOT_INITIALIZED
  dim3 grid = {(unsigned)m / 128 + 1, (unsigned)n / 128 + 1, 1};
  dim3 block = {256, 1, 1};
  return cudaLaunchKernel((void*)&cublasSgemm_v2, grid, block, NULL, 0, NULL);
}
