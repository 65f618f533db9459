// SPDX-License-Identifier: Apache-2.0
// Somebody else's LD_PRELOAD library: counts calls and passes them on.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int g_memsets, g_copies;

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes,
                            cudaStream_t stream) {
  static cudaError_t (*real)(void*, int, size_t, cudaStream_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "cudaMemsetAsync");
  ++g_memsets;
  return real(memory, value, bytes, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       enum cudaMemcpyKind kind) {
  static cudaError_t (*real)(void*, const void*, size_t, enum cudaMemcpyKind);
  if (real == NULL) real = dlsym(RTLD_NEXT, "cudaMemcpy");
  ++g_copies;
  return real(to, from, bytes, kind);
}

__attribute__((destructor)) static void Tell(void) {
  char text[100];
  const int length = snprintf(text, sizeof(text), "memsets %d copies %d\n",
                              g_memsets, g_copies);
  if (write(1, text, (size_t)length) < 0) return;
}
