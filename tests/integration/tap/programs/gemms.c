// SPDX-License-Identifier: Apache-2.0
// gemms MILLISECONDS [fork]: GEMMs for so long, one each 100 us or so; with
// fork, a child makes the same. Prints nothing, since how many they are depends
// on time.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static long Milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void Run(long milliseconds) {
  void* handle = NULL;
  const float one = 1;
  cublasCreate_v2(&handle);
  const long end = Milliseconds() + milliseconds;
  while (Milliseconds() < end) {
    cublasSgemm_v2(handle, 0, 1, 128, 64, 32, &one, NULL, 128, NULL, 64, &one,
                   NULL, 128);
    usleep(50);
  }
}

int main(int argc, char** argv) {
  const long milliseconds = argc > 1 ? atol(argv[1]) : 100;
  Run(milliseconds);
  if (argc > 2 && strcmp(argv[2], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      Run(10);  // shorter than a window: never delayed
      return 5;
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  return 3;
}
