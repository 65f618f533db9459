// SPDX-License-Identifier: Apache-2.0
// definers WHAT N: defines something new N times and launches each time: WHAT is
// texts (NVTX messages), kernels (functions with new names), threads, or
// launches, which define nothing.
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static void NameOf(char* name, size_t size, const char* prefix, int i) {
  snprintf(name, size, "%s_%d_%0100d", prefix, i, i);
}

static void DefineText(int i) {
  char text[160];
  NameOf(text, sizeof(text), "message", i);
  nvtxRangePushA(text);
  LaunchOne(&NameOf);
  nvtxRangePop();
}

// The tap copies names when they are first launched: they may lie in one place.
static void DefineKernel(int i) {
  static char names[1 << 12][160];
  static char stubs[1 << 12];
  const int place = i & 0xFFF;
  NameOf(names[place], sizeof(names[place]), "kernel", i);
  __cudaRegisterFunction(NULL, &stubs[place], NULL, names[place], -1, NULL,
                         NULL, NULL, NULL, NULL);
  LaunchOne(&stubs[place]);
}

static void* Work(void* argument) {
  LaunchOne(argument);
  return NULL;
}

static void DefineThreads(int i) {
  if (i % 16 != 0) return;
  pthread_t threads[16];
  for (int t = 0; t < 16; ++t) {
    pthread_create(&threads[t], NULL, Work, (void*)&Work);
  }
  for (int t = 0; t < 16; ++t) pthread_join(threads[t], NULL);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[2]);
  for (int i = 0; i < count; ++i) {
    // A pause now and then lets the rings be drained, as a GPU's pace does.
    if (i % 2048 == 2047) usleep(1000);
    switch (argv[1][0]) {
      case 't': argv[1][1] == 'e' ? DefineText(i) : DefineThreads(i); break;
      case 'k': DefineKernel(i); break;
      default: LaunchOne(&NameOf);
    }
  }
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
