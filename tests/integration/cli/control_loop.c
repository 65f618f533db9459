// SPDX-License-Identifier: Apache-2.0
// Launches until stdin ends. Lines of stdin: "range N" makes N launches in the
// NVTX range "measured", "fork" makes a child that rests until this process
// ends and prints its number, any other prints how many launches were made, and
// "rest" waits for the next line then.
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static long g_launches;

static void LaunchSome(int count) {
  for (int i = 0; i < count; ++i) g_launches += Launch() == 0;
}

static void Obey(const char* line) {
  if (strncmp(line, "range ", 6) == 0) {
    nvtxRangePushA("other");
    nvtxRangePushA("measured");
    nvtxRangePushA("measured");
    LaunchSome(atoi(line + 6));
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePop();
  }
  if (strncmp(line, "fork", 4) == 0) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      for (;;) pause();
    }
    printf("%d\n", child);
  } else {
    printf("%ld\n", g_launches);
  }
  fflush(stdout);
  struct pollfd input = {0, POLLIN, 0};
  if (strncmp(line, "rest", 4) == 0) poll(&input, 1, -1);
}

int main(void) {
  LaunchSome(1);
  cudaDeviceSynchronize();
  printf("%d\n", getpid());
  fflush(stdout);
  char line[100];
  struct pollfd input = {0, POLLIN, 0};
  for (;;) {
    LaunchSome(20);
    cudaDeviceSynchronize();
    if (poll(&input, 1, 1) <= 0) continue;
    if (fgets(line, sizeof(line), stdin) == NULL) return 0;
    Obey(line);
  }
}
