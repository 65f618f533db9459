// SPDX-License-Identifier: Apache-2.0
// A library whose one step is named by the build, and lies where every other
// such library has its own.
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

__attribute__((noinline)) int STEP(void* handle, float* memory) {
  const float one = 1;
  return cublasSgemm_v2(handle, 0, 0, 64, 64, 64, &one, memory, 64, memory, 64,
                        &one, memory, 64) +
         1;
}

int Run(void* handle, float* memory) { return STEP(handle, memory) + 1; }
