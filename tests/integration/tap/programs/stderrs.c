// SPDX-License-Identifier: Apache-2.0
// stderrs MODE: launches 10 times under a stderr, or a limit, that a line or a
// file too many would hurt. Prints what became of it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static void Launches(void) {
  for (int i = 0; i < 10; ++i) LaunchOne(&Launches);
}

// fd 2 is closed, and the next file that is opened gets its number.
static void UseDescriptorTwo(void) {
  char path[] = "/tmp/dltap_stderrs_XXXXXX";
  close(2);
  if (mkstemp(path) != 2) exit(99);
  unlink(path);
  Launches();
  printf("bytes in the file: %ld\n", (long)lseek(2, 0, SEEK_END));
}

static void RunAgain(char** argv, const char* mode, int descriptor) {
  dup2(descriptor, 2);
  execl("/proc/self/exe", argv[0], mode, NULL);
  exit(99);
}

static void* WorkCancelled(void* argument) {
  pthread_cancel(pthread_self());
  Launches();
  printf("not cancelled before its time\n");
  fflush(stdout);
  return argument;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  int ends[2];
  if (strcmp(mode, "broken") == 0 && pipe(ends) == 0) {
    close(ends[0]);
    RunAgain(argv, "", ends[1]);
  }
  if (strcmp(mode, "shown") == 0) RunAgain(argv, "", 1);
  if (strcmp(mode, "full") == 0 && pipe2(ends, O_NONBLOCK) == 0) {
    while (write(ends[1], "x", 1) == 1) {
    }
    fcntl(ends[1], F_SETFL, 0);
    RunAgain(argv, "", ends[1]);
  }
  if (strcmp(mode, "replaced") == 0) {
    UseDescriptorTwo();
  } else if (strcmp(mode, "cancelled") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, WorkCancelled, NULL);
    pthread_join(thread, NULL);
  } else {
    if (strcmp(mode, "limit") == 0) {
      const struct rlimit limit = {4096, 4096};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    Launches();
  }
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
