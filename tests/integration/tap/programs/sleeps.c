// SPDX-License-Identifier: Apache-2.0
// sleeps MODE: threads that sleep often, and launch meanwhile or not.
//   idle   launches, then up to 1,000 sleeps a second without a launch, then
//   launches burst  a second of sleeps as short as can be, then few
// Says how many context switches of its own the kernel counted in the middle
// (idle) or in the first second (burst).
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static long NowMs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long Switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void SleepFor(long ms, long each_ns, int launches) {
  static int mark;
  const struct timespec each = {0, each_ns};
  for (const long end = NowMs() + ms; NowMs() < end;) {
    if (launches) LaunchOne(&mark);
    nanosleep(&each, NULL);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  long before = Switches();
  if (strcmp(argv[1], "burst") == 0) {
    SleepFor(1000, 1, 1);
    printf("switches %ld\n", Switches() - before);
    SleepFor(4000, 5000000, 1);
    return 0;
  }
  SleepFor(300, 2000000, 1);
  before = Switches();
  SleepFor(2000, 1000000, 0);
  printf("switches %ld\n", Switches() - before);
  SleepFor(300, 2000000, 1);
  return 0;
}
