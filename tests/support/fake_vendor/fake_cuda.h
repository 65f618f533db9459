// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_FAKE_VENDOR_FAKE_CUDA_H_
#define DLTAP_TESTS_SUPPORT_FAKE_VENDOR_FAKE_CUDA_H_

// What test programs call: a few functions of the CUDA runtime and cuBLAS with
// their public signatures, and the fakes' own.
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned x, y, z;
} dim3;

int cudaMalloc(void** out, size_t size);
int cudaFree(void* memory);
int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** args,
                     size_t shared, void* stream);
int cudaDeviceSynchronize(void);
int cudaGetDevice(int* device);
int cudaRuntimeGetVersion(int* version);
int cudaGetLastError(void);
int cudaStreamSynchronize(void* stream);
int cudaProfilerStart(void);
int cudaProfilerStop(void);
void __cudaRegisterFunction(void** handle, const char* host, char* device,
                            const char* name, int limit, void* tid, void* bid,
                            void* block, void* grid, int* size);

int cudnnBackendCreateDescriptor(int type, void** descriptor);
int cudnnBackendSetAttribute(void* descriptor, int name, int type, long count,
                             const void* elements);
int cudnnBackendDestroyDescriptor(void* descriptor);
int cudnnBackendExecute(void* handle, void* plan, void* pack);

int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

// Calls that reached the fake runtime library.
unsigned long fakeCudaCalls(void);
// The next cudaStreamSynchronize() calls this before it returns.
void fakeCudaDuringSync(void (*callback)(void));

static inline int LaunchOne(const void* function) {
  const dim3 one = {1, 1, 1};
  return cudaLaunchKernel(function, one, one, NULL, 0, NULL);
}

#ifdef __cplusplus
}
#endif

#endif  // DLTAP_TESTS_SUPPORT_FAKE_VENDOR_FAKE_CUDA_H_
