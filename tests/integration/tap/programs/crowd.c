// SPDX-License-Identifier: Apache-2.0
// crowd N K [MEGABYTES [WAY]]: N threads, all alive at once; each asks for the
// device, launches K times, and asks again. No file may become larger than that
// (0: no limit). WAY in_turn: each launches once before the next one begins.
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static int g_launches, g_in_turn;
static pthread_barrier_t g_barrier;
static sem_t g_begun;

static void* Work(void* argument) {
  int device = 0;
  int launches = g_launches;
  if (g_in_turn) {
    LaunchOne(&Work);
    --launches;
    sem_post(&g_begun);
  }
  pthread_barrier_wait(&g_barrier);
  cudaGetDevice(&device);
  for (int i = 0; i < launches; ++i) LaunchOne(&Work);
  cudaGetDevice(&device);
  pthread_barrier_wait(&g_barrier);
  return argument;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[1]);
  g_launches = atoi(argv[2]);
  g_in_turn = argc > 4 && strcmp(argv[4], "in_turn") == 0;
  if (argc > 3 && atoi(argv[3]) != 0) {
    const rlim_t bytes = (rlim_t)atoi(argv[3]) << 20;
    const struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 4;
  }
  LaunchOne(&main);
  pthread_t* threads = calloc((size_t)count, sizeof(pthread_t));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + (32 << 10));
  pthread_barrier_init(&g_barrier, NULL, (unsigned)count);
  sem_init(&g_begun, 0, 0);
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], &small, Work, NULL) != 0) return 3;
    if (g_in_turn) sem_wait(&g_begun);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
