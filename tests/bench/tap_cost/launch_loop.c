// SPDX-License-Identifier: Apache-2.0
// launch_loop N: CPU time of the launching thread for a launch, in ns, over N
// launches, a synchronization after each 256.
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/integration/hostile/programs/host_state.h"

static double ThreadNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 100000;
  if (Work(256) != 0) return 1;
  double ns = 0;
  for (long done = 0; done < count; done += 256) {
    const double begin = ThreadNs();
    for (int i = 0; i < 256; ++i) Launch();
    ns += ThreadNs() - begin;
    cudaDeviceSynchronize();
  }
  printf("%.1f\n", ns / (double)((count + 255) / 256 * 256));
  return 0;
}
