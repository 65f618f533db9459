// SPDX-License-Identifier: Apache-2.0
// Calls one GEMM by three ways that meet in one function, so that its return
// address is always the same; by a function that has a frame of another size at
// each call; and by a recursion deeper than a path that is kept.
#include <alloca.h>
#include <errno.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int cudaMalloc(void** memory, unsigned long bytes);
int cudaDeviceSynchronize();
int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);
}

namespace {

void* g_handle;
float* g_memory;
int g_failed;

[[gnu::noinline]] void Multiply(int n) {
  const float one = 1;
  errno = 77;
  if (cublasSgemm_v2(g_handle, 0, 0, n, n, n, &one, g_memory, n, g_memory, n,
                     &one, g_memory, n) != 0 ||
      errno != 77) {
    ++g_failed;
  }
}

ucontext_t g_main, g_other;
alignas(16) char g_stack[256 << 10];

}  // namespace

// They do something after the call: none of them is left early.
[[gnu::noinline]] int ProjectQuery(int n) {
  Multiply(n);
  return g_failed;
}
[[gnu::noinline]] int ProjectKey(int n) {
  Multiply(n);
  return g_failed + 1;
}
[[gnu::noinline]] int ProjectValue(int n) {
  Multiply(n);
  return g_failed + 2;
}
[[gnu::noinline]] int Stretch(int n, unsigned bytes) {
  auto* room = static_cast<volatile char*>(alloca(bytes));
  room[0] = 1;
  room[bytes - 1] = 2;
  Multiply(n);
  return room[bytes - 1];
}
[[gnu::noinline]] int Descend(int n, int depth) {
  if (depth == 0) return ProjectKey(n);
  return Descend(n, depth - 1) + 1;
}

void OnOtherStack() { ProjectQuery(64); }

// On a stack that is no thread's.
void RunCoroutine() {
  getcontext(&g_other);
  g_other.uc_stack.ss_sp = g_stack;
  g_other.uc_stack.ss_size = sizeof(g_stack);
  g_other.uc_link = &g_main;
  makecontext(&g_other, OnOtherStack, 0);
  swapcontext(&g_main, &g_other);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 4;
  void* memory = nullptr;
  if (cudaMalloc(&memory, 64 << 20) != 0 || cublasCreate_v2(&g_handle) != 0) {
    return 1;
  }
  g_memory = static_cast<float*>(memory);
  for (int i = 0; i < times; ++i) {
    ProjectQuery(512);
    ProjectKey(1024);
    ProjectValue(2048);
    Stretch(256, 64 + 256 * static_cast<unsigned>(i % 4));
  }
  Descend(128, 200);
  if (argc > 2) RunCoroutine();
  cudaDeviceSynchronize();
  return g_failed == 0 ? 0 : 2;
}
