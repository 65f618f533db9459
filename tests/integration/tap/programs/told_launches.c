// SPDX-License-Identifier: Apache-2.0
// told_launches N [late]: N launches of a kernel whose arguments tell what it
// computes, and no other GPU work; `late`: but some that began long before.
// Says how often munlock() was called meanwhile: by a tap that makes a table.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

// Of PyTorch's memory-efficient attention, f32.
static const char kName[] =
    "_Z39fmha_cutlassF_f32_aligned_64x64_rf_sm80N22PyTorchMemEffAttention"
    "15AttentionKernelIfN7cutlass4arch4Sm80ELb1ELi64ELi64ELi64ELb1ELb1EE6"
    "ParamsE";
static char g_stub;

static int g_unlocks;

int munlock(const void* memory, size_t bytes) {
  __atomic_fetch_add(&g_unlocks, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_munlock, memory, bytes);
}

int main(int argc, char** argv) {
  static int parameters[128];
  parameters[24] = parameters[25] = 64;   // head size of queries and values
  parameters[26] = parameters[27] = 300;  // lengths of queries and keys
  parameters[48] = 4;                     // heads
  parameters[49] = 8;                     // sequences
  void* arguments[] = {parameters};
  const dim3 grid = {5, 4, 8};
  const dim3 block = {128, 1, 1};
  __cudaRegisterFunction(NULL, &g_stub, NULL, kName, -1, NULL, NULL, NULL, NULL,
                         NULL);
  if (argc > 2) {
    void* memory;
    cudaMalloc(&memory, 1);  // starts the session
    usleep(300000);
  }
  const int before = __atomic_load_n(&g_unlocks, __ATOMIC_RELAXED);
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < count; ++i) {
    cudaLaunchKernel(&g_stub, grid, block, arguments, 0, NULL);
  }
  printf("calls %lu, tables %d\n", fakeCudaCalls(),
         __atomic_load_n(&g_unlocks, __ATOMIC_RELAXED) - before);
  return 0;
}
