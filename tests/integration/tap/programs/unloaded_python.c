// SPDX-License-Identifier: Apache-2.0
// unloaded_python LIBRARY: works beside a library that looks like an
// interpreter, then unloads it and works on, in new threads, too.
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

int cudaMalloc(void** pointer, size_t bytes);
int cudaMemset(void* pointer, int value, size_t bytes);

static void* Work(void* unused) {
  (void)unused;
  void* memory = NULL;
  if (cudaMalloc(&memory, 64) != 0) return "no memory";
  for (int i = 0; i < 30; ++i) {
    if (cudaMemset(memory, 0, 64) != 0) return "no work";
    usleep(20000);
  }
  return NULL;
}

static int WorkInThreads(void) {
  pthread_t threads[4];
  int failed = 0;
  for (int i = 0; i < 4; ++i) {
    failed |= pthread_create(&threads[i], NULL, Work, NULL);
  }
  for (int i = 0; i < 4; ++i) {
    void* result = NULL;
    failed |= pthread_join(threads[i], &result) != 0 || result != NULL;
  }
  return failed;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* python = dlopen(argv[1], RTLD_NOW);
  if (python == NULL || WorkInThreads() != 0) return 1;
  if (dlclose(python) != 0 || dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)) return 1;
  if (WorkInThreads() != 0) return 1;
  puts("done");
  return 0;
}
