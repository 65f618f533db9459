// SPDX-License-Identifier: Apache-2.0
// crowd N K: N threads, all alive at once; each asks for the device, launches K
// times, and asks again.
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static int g_launches;
static pthread_barrier_t g_barrier;

static void* Work(void* argument) {
  int device = 0;
  pthread_barrier_wait(&g_barrier);
  cudaGetDevice(&device);
  for (int i = 0; i < g_launches; ++i) LaunchOne(&Work);
  cudaGetDevice(&device);
  pthread_barrier_wait(&g_barrier);
  return argument;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[1]);
  g_launches = atoi(argv[2]);
  LaunchOne(&main);
  pthread_t* threads = calloc((size_t)count, sizeof(pthread_t));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + (32 << 10));
  pthread_barrier_init(&g_barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], &small, Work, NULL) != 0) return 3;
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
