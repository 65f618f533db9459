// SPDX-License-Identifier: Apache-2.0
// A function that uftrace traces: ns for a call. Compiled with -pg.
#include <stdio.h>
#include <time.h>

static volatile long g_sum;

__attribute__((noinline)) void Called(long a, long b, long c) {
  g_sum += a + b + c;
}

int main(void) {
  const int count = 300000;
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (int i = 0; i < count; ++i) Called(i, 2, 3);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  fprintf(stderr, "%.1f\n",
          ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
           (double)(end.tv_nsec - begin.tv_nsec)) /
              count);
  return 0;
}
