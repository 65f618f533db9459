// SPDX-License-Identifier: Apache-2.0
// forks MODE: launches 10 times, makes a child in some way, launches 10 times
// more. Exit code: the child's, or 99 when something went wrong.
#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
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

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "fork";
  if (Launches(10) != 0) return 99;
  const pid_t child = MakeChild(mode);
  if (child < 0) return 99;
  if (child == 0) {
    if (strcmp(mode, "exec") == 0) execl(argv[0], argv[0], "child", NULL);
    if (strcmp(mode, "idle") == 0) _exit(5);
    Launches(20);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (Launches(10) != 0) return 99;
  printf("parent is done\n");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
