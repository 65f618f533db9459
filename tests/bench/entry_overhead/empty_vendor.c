// SPDX-License-Identifier: Apache-2.0
// Vendor functions of 1, 2, 3, 9 and 19 arguments with empty bodies, under the
// public names (which the tap wraps) and under names of their own.
#include <stddef.h>

#define EMPTY(name, ...)              \
  int name(__VA_ARGS__) { return 0; } \
  int bare_##name(__VA_ARGS__) { return 0; }

#ifdef CUDART
EMPTY(cudaMalloc, void** p, size_t n)
EMPTY(cudaGetDevice, int* device)
EMPTY(cudaMemset, void* p, int value, size_t n)
#elif defined(CUDNN)
EMPTY(cudnnBackendCreateDescriptor, int type, void** descriptor)
EMPTY(cudnnBackendSetAttribute, void* descriptor, int name, int type,
      long count, const void* elements)
EMPTY(cudnnBackendGetAttribute, void* descriptor, int name, int type,
      long requested, long* count, void* elements)
EMPTY(cudnnBackendDestroyDescriptor, void* descriptor)
EMPTY(cudnnBackendExecute, void* handle, void* plan, void* pack)
#else
EMPTY(cublasSetStream_v2, void* handle, void* stream)
EMPTY(cublasStrmv_v2, void* handle, int uplo, int trans, int diag, int n,
      const float* a, int lda, float* x, int incx)
EMPTY(cublasGemmEx, void* handle, int transa, int transb, int m, int n, int k,
      const void* alpha, const void* a, int atype, int lda, const void* b,
      int btype, int ldb, const void* beta, void* c, int ctype, int ldc,
      int compute, int algo)
#endif
