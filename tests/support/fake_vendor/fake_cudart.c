// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcudart: the functions that tests of the tap call, with the
// public signatures, and a count of the calls that arrived.
#include <stdlib.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static unsigned long g_calls;
static void (*g_during_sync)(void);

unsigned long fakeCudaCalls(void) { return __atomic_load_n(&g_calls, 0); }

static void Count(void) { __atomic_fetch_add(&g_calls, 1, __ATOMIC_RELAXED); }

int cudaMalloc(void** out, size_t size) {
  Count();
  if (size == 0) return 2;  // cudaErrorMemoryAllocation
  *out = malloc(size);
  return *out != NULL ? 0 : 2;
}

int cudaFree(void* memory) {
  Count();
  free(memory);
  return 0;
}

int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** args,
                     size_t shared, void* stream) {
  Count();
  (void)function, (void)grid, (void)block, (void)args, (void)shared;
  (void)stream;
  return 0;
}

int cudaDeviceSynchronize(void) {
  Count();
  return 0;
}

int cudaGetDevice(int* device) {
  Count();
  *device = 0;
  return 0;
}

#ifndef FAKE_CUDA_VERSION
#define FAKE_CUDA_VERSION 13000
#endif

// Not counted: a profiler may ask, too.
int cudaRuntimeGetVersion(int* version) {
  *version = FAKE_CUDA_VERSION;
  return 0;
}

int cudaGetLastError(void) {
  Count();
  return 0;
}

void fakeCudaDuringSync(void (*callback)(void)) { g_during_sync = callback; }

int cudaStreamSynchronize(void* stream) {
  Count();
  (void)stream;
  if (g_during_sync != NULL) g_during_sync();
  return 0;
}

int cudaProfilerStart(void) {
  Count();
  return 0;
}

int cudaProfilerStop(void) {
  Count();
  return 0;
}

void __cudaRegisterFunction(void** handle, const char* host, char* device,
                            const char* name, int limit, void* tid, void* bid,
                            void* block, void* grid, int* size) {
  Count();
  (void)handle, (void)host, (void)device, (void)name, (void)limit, (void)tid;
  (void)bid, (void)block, (void)grid, (void)size;
}
