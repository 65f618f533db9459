// SPDX-License-Identifier: Apache-2.0
// Two ways to one call with the same stack pointer at it. On the second, what
// the first has left on the stack lies in room that nobody has written to.
#include <alloca.h>

int cudaMalloc(void** memory, unsigned long bytes);
int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

enum { kSmall = 16, kLarge = 2048, kRoom = 64 };

static void* g_handle;
static float* g_memory;

__attribute__((noinline)) static int Multiply(void) {
  const float one = 1;
  return cublasSgemm_v2(g_handle, 0, 0, 64, 64, 64, &one, g_memory, 64,
                        g_memory, 64, &one, g_memory, 64) == 0;
}
__attribute__((noinline)) static int Stretch(unsigned bytes) {
  volatile char* room = alloca(bytes);
  room[0] = 1;
  return Multiply() + room[0];
}
__attribute__((noinline)) int FromLargeFrame(void) {
  volatile char own[kLarge];
  own[0] = 1;
  return Stretch(kRoom) + own[0];
}
__attribute__((noinline)) int FromSmallFrame(void) {
  volatile char own[kSmall];
  own[0] = 1;
  return Stretch(kRoom + kLarge - kSmall) + own[0];
}

int main(void) {
  int (*const ways[])(void) = {FromLargeFrame, FromSmallFrame};
  void* memory = 0;
  if (cudaMalloc(&memory, 1 << 20) != 0 || cublasCreate_v2(&g_handle) != 0) {
    return 1;
  }
  g_memory = memory;
  int sum = 0;
  for (int i = 0; i < 6; ++i) sum += ways[i % 2]();
  return sum == 18 ? 0 : 2;
}
