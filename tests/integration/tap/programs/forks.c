// SPDX-License-Identifier: Apache-2.0
// forks MODE: launches 10 times, makes a child in some way, launches 10 times
// more. Exit code: the child's, or 99 when something went wrong. Modes inside_*
// make the child inside a vendor call, out of which it returns when its parent
// has gone on; `storm` does so in 64 threads at once. `taken`: the child closes
// everything and gives the numbers to a file of its own; `generations`:
// children of children work, and the last one tells how many descriptors it has
// more than the second. `pool`: 120 children, one after the
// other, that work and end by _exit, as those of a process pool do.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

extern char** environ;

static int Launches(int count) {
  int errors = 0;
  for (int i = 0; i < count; ++i) errors += LaunchOne(&Launches) != 0;
  return errors;
}

static pid_t MakeChild(const char* mode) {
  char* const command[] = {"/bin/sh", "-c", "exit 5", NULL};
  if (strcmp(mode, "vfork") == 0) {
    const pid_t child = vfork();
    if (child == 0) _exit(5);
    return child;
  }
  if (strcmp(mode, "spawn") == 0) {
    pid_t child = -1;
    posix_spawn(&child, command[0], NULL, NULL, command, environ);
    return child;
  }
  if (strcmp(mode, "clone") == 0) {
    return (pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0);
  }
  if (strcmp(mode, "_Fork") == 0) return _Fork();
  return fork();
}

static const char* g_way;
static pid_t g_child;
static int g_parent_is_on[2];

static void MakeChildInside(void) {
  g_child = MakeChild(g_way);
  char byte;
  if (g_child == 0 && read(g_parent_is_on[0], &byte, 1) != 1) _exit(98);
}

static void OnSignal(int signal_number) {
  (void)signal_number;
  MakeChildInside();
}

static void RaiseInside(void) { raise(SIGUSR1); }

static pid_t ForkInsideCall(const char* mode) {
  if (pipe(g_parent_is_on) != 0) return -1;
  const int in_handler = strcmp(mode, "inside_handler") == 0;
  g_way = in_handler ? "fork" : mode + strlen("inside_");
  signal(SIGUSR1, OnSignal);
  fakeCudaDuringSync(in_handler ? RaiseInside : MakeChildInside);
  cudaStreamSynchronize(NULL);
  fakeCudaDuringSync(NULL);
  if (g_child > 0 && (Launches(10) != 0 || write(g_parent_is_on[1], "", 1) < 0))
    return -1;
  return g_child;
}

static void ForkAndWait(void) {
  const pid_t child = fork();
  if (child > 0) waitpid(child, NULL, 0);
}

static void* Storm(void* unused) {
  const pid_t pid = getpid();
  for (int i = 0; i < 2; ++i) {
    cudaStreamSynchronize(NULL);
    Launches(5);
    if (getpid() != pid) _exit(0);
  }
  return unused;
}

static int StormOf(int count) {
  pthread_t threads[64];
  fakeCudaDuringSync(ForkAndWait);
  for (int i = 0; i < count; ++i)
    pthread_create(&threads[i], NULL, Storm, NULL);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return 0;
}

enum { kFirstHigh = 800, kLastHigh = 832 };

// How many of the numbers are not that file any more.
static int OthersThan(const struct stat* own) {
  int others = 0;
  for (int fd = kFirstHigh; fd < kLastHigh; ++fd) {
    struct stat status;
    others += fstat(fd, &status) != 0 || status.st_ino != own->st_ino;
  }
  return others;
}

static int WorkWithTakenDescriptors(void) {
  struct stat own;
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  const int file = open("/dev/null", O_WRONLY);
  fstat(file, &own);
  for (int fd = kFirstHigh; fd < kLastHigh; ++fd) dup2(file, fd);
  const int errors = Launches(20);
  return errors + OthersThan(&own);
}

static int OpenDescriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

// Exits with the difference.
static void WorkInGenerations(void) {
  int second = 0;
  for (int generation = 1; generation < 8; ++generation) {
    const pid_t child = fork();
    if (child > 0) {
      int status = 0;
      waitpid(child, &status, 0);
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    }
    if (Launches(10) != 0) _exit(99);
    if (generation == 2) second = OpenDescriptors();
  }
  _exit(OpenDescriptors() - second);
}

static int Pool(int count) {
  int errors = 0;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(Launches(3));
    int status = 0;
    waitpid(child, &status, 0);
    errors += status != 0;
  }
  return errors;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "fork";
  if (strcmp(mode, "pool") == 0) return Pool(120);
  if (Launches(10) != 0) return 99;
  if (strcmp(mode, "storm") == 0) return StormOf(64);
  const pid_t child =
      strncmp(mode, "inside_", 7) == 0 ? ForkInsideCall(mode) : MakeChild(mode);
  if (child < 0) return 99;
  if (child == 0) {
    if (strcmp(mode, "exec") == 0) execl(argv[0], argv[0], "child", NULL);
    if (strcmp(mode, "idle") == 0) _exit(5);
    if (strcmp(mode, "taken") == 0) _exit(WorkWithTakenDescriptors());
    if (strcmp(mode, "generations") == 0) WorkInGenerations();
    Launches(20);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (Launches(10) != 0) return 99;
  printf("parent is done\n");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
