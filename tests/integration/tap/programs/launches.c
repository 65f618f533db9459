// SPDX-License-Identifier: Apache-2.0
// launches N [FILE]: N launches and one GEMM (with a launch in it) from the main
// thread. Exits with 3, so that a wrong exit code shows. FILE, of 8 bytes, holds
// at any moment how many launches have returned; then it rests now and then, as
// a program with a GPU does.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static unsigned long g_no_file;

static volatile unsigned long* MapCount(const char* path) {
  const int fd = open(path, O_RDWR);
  void* count =
      mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return count == MAP_FAILED ? &g_no_file : count;
}

int main(int argc, char** argv) {
  void* memory = NULL;
  void* handle = NULL;
  int device = 0;
  cudaGetDevice(&device);
  cudaMalloc(&memory, 0);  // fails: starts nothing
  cublasCreate_v2(&handle);
  cudaMalloc(&memory, 256);
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  volatile unsigned long* done = argc > 2 ? MapCount(argv[2]) : &g_no_file;
  for (int i = 0; i < count; ++i) {
    LaunchOne((const void*)&main);
    ++*done;
    cudaGetDevice(&device);
    if (argc > 2 && i % 256 == 255) usleep(50);
  }
  const float one = 1;
  cublasSgemm_v2(handle, 0, 1, 128, 64, 32, &one, NULL, 128, NULL, 64, &one,
                 NULL, 128);
  cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, &one, NULL, 1, NULL, 1, &one, NULL, 1);
  cudaFree(memory);
  printf("calls %lu\n", fakeCudaCalls());
  return 3;
}
