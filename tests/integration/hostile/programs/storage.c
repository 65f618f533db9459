// SPDX-License-Identifier: Apache-2.0
// storage MODE: a program with more thread-local storage than a usual stack
// holds. It lies on each thread's stack.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "tests/integration/hostile/programs/host_state.h"

static __thread char g_storage[6 << 20];

static void* Fill(void* ignored) {
  memset(g_storage, 1, sizeof(g_storage));
  return LaunchOften(ignored);
}

static int FirstWork(void) {
  WorkAWhile(15);
  SayState("worked");
  return 0;
}

static int Threads(void) {
  Say("work %d\n", Work(3));
  pthread_t threads[8];
  int made = 0;
  for (int i = 0; i < 8; ++i) {
    made += pthread_create(&threads[i], NULL, Fill, NULL) == 0;
  }
  for (int i = 0; i < made; ++i) pthread_join(threads[i], NULL);
  Say("made %d\n", made);
  return FirstWork();
}

int main(int argc, char** argv) {
  const struct Mode modes[] = {{"first_work", FirstWork}, {"threads", Threads}};
  return RUN_MODE(modes, argc, argv);
}
