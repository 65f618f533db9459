// SPDX-License-Identifier: Apache-2.0
// One pair of LTTng tracepoints, as entry and exit, with the payload of a
// launch: ns for the pair. Compiled by tap_cost.py, where LTTng is installed.
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include <stdio.h>
#include <time.h>

#include "lttng_points.inc"

static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  const int count = 300000;
  const double begin = Now();
  for (int i = 0; i < count; ++i) {
    lttng_ust_tracepoint(dltap_bench, call, i, 2, 3, 4, 5);
    lttng_ust_tracepoint(dltap_bench, call, i, 0, 0, 0, 0);
  }
  printf("%.1f\n", (Now() - begin) / count);
  return 0;
}
