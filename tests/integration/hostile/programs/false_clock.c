// SPDX-License-Identifier: Apache-2.0
// Shows the program another time than the kernel's, as libfaketime does: one
// that jumps back and forth.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int calls;
  const long result = syscall(SYS_clock_gettime, clock, time);
  ++calls;
  if (calls % 3 == 0) time->tv_sec -= 100000;
  if (calls % 7 == 0) time->tv_sec += 1000000;
  return (int)result;
}
