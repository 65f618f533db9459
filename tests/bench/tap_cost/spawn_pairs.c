// SPDX-License-Identifier: Apache-2.0
// spawn_pairs COUNT LIBRARY..: what each library that is preloaded adds to the
// life of /bin/true, in microseconds. COUNT rounds, in each of them one process
// without a library and one with each, in another order every time; medians of
// the differences within a round, by the clock and by processor time.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { kMostLibraries = 8 };

struct Life {
  double wall_us;
  double cpu_us;
};

static double Microseconds(struct timeval time) {
  return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// The environment is as long without a library.
static struct Life LiveOnce(const char* library) {
  static char variable[4096];
  char* arguments[] = {"true", NULL};
  char* environment[] = {variable, NULL};
  snprintf(variable, sizeof(variable), "%s=%s",
           library != NULL ? "LD_PRELOAD" : "NO_PRELOAD",
           library != NULL ? library : "/usr/lib/libnothing.so");
  struct rusage usage;
  pid_t child;
  const double begin = Now();
  if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment)) {
    exit(1);
  }
  wait4(child, NULL, 0, &usage);
  return (struct Life){Now() - begin, Microseconds(usage.ru_utime) +
                                          Microseconds(usage.ru_stime)};
}

static int Compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

static double Median(double* values, int count) {
  qsort(values, (size_t)count, sizeof(*values), Compare);
  return values[count / 2];
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  const int libraries = argc - 2;
  if (count <= 0 || libraries < 1 || libraries > kMostLibraries) return 2;
  double* wall[kMostLibraries];
  double* cpu[kMostLibraries];
  for (int i = 0; i < libraries; ++i) {
    wall[i] = calloc((size_t)count, sizeof(double));
    cpu[i] = calloc((size_t)count, sizeof(double));
  }
  for (int round = 0; round < count; ++round) {
    struct Life lives[kMostLibraries + 1];
    for (int i = 0; i <= libraries; ++i) {
      const int which = (round + i) % (libraries + 1);
      lives[which] = LiveOnce(which == 0 ? NULL : argv[1 + which]);
    }
    for (int i = 0; i < libraries; ++i) {
      wall[i][round] = lives[i + 1].wall_us - lives[0].wall_us;
      cpu[i][round] = lives[i + 1].cpu_us - lives[0].cpu_us;
    }
  }
  for (int i = 0; i < libraries; ++i) {
    printf("%.1f %.1f\n", Median(wall[i], count), Median(cpu[i], count));
  }
  return 0;
}
