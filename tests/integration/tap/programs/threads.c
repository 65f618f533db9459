// SPDX-License-Identifier: Apache-2.0
// threads N K: N threads, 16 at a time, each launches K times and ends; every
// eighth one is cancelled inside a vendor call instead of returning.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static int g_launches;

static void WaitForCancel(void) {
  for (;;) pause();
}

static void* Work(void* argument) {
  for (int i = 0; i < g_launches; ++i) LaunchOne(&Work);
  if (argument != NULL) cudaStreamSynchronize(NULL);
  return NULL;
}

int main(int argc, char** argv) {
  (void)argc;
  const int count = atoi(argv[1]);
  g_launches = atoi(argv[2]);
  fakeCudaDuringSync(WaitForCancel);
  for (int begun = 0; begun < count; begun += 16) {
    pthread_t threads[16];
    for (int i = 0; i < 16; ++i) {
      pthread_create(&threads[i], NULL, Work, i % 8 == 7 ? &g_launches : NULL);
    }
    for (int i = 0; i < 16; ++i) {
      if (i % 8 == 7) {
        usleep(2000);
        pthread_cancel(threads[i]);
      }
      pthread_join(threads[i], NULL);
    }
  }
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
