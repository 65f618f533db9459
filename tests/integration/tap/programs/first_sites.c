// SPDX-License-Identifier: Apache-2.0
// Threads that all make their first calls at once.
#include <pthread.h>

int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

enum { kThreads = 32, kCalls = 3 };

static pthread_barrier_t g_barrier;
static void* g_handle;

static void* Run(void* unused) {
  const float one = 1;
  pthread_barrier_wait(&g_barrier);
  for (int i = 0; i < kCalls; ++i) {
    cublasSgemm_v2(g_handle, 0, 0, 64, 64, 64, &one, 0, 64, 0, 64, &one, 0, 64);
  }
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  if (cublasCreate_v2(&g_handle) != 0) return 1;
  pthread_barrier_init(&g_barrier, 0, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], 0, Run, 0) != 0) return 2;
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  return 0;
}
