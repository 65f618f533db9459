// SPDX-License-Identifier: Apache-2.0
// forks WAY HANDLERS THREADS: works, makes a child in that way (fork, vfork,
// _Fork, clone, spawn, exec), with signal and fork handlers that call CUDA
// ("handler") or without ("none"), with so many other threads that launch all
// the time. WAY first_*: the same before any GPU work.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

extern char** environ;

static char* g_self;
static volatile int g_stop;
static volatile int g_prepared, g_in_parent, g_in_child;

static void Query(void) {
  int device = 0;
  cudaGetDevice(&device);
  cudaGetLastError();
}
static void Prepare(void) { Query(), ++g_prepared; }
static void InParent(void) { Query(), ++g_in_parent; }
static void InChild(void) { Query(), ++g_in_child; }
static void OnChild(int number) {
  (void)number;
  Query();
}

static void SetHandlers(void) {
  pthread_atfork(Prepare, InParent, InChild);
  struct sigaction action = {0};
  action.sa_handler = OnChild;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &action, NULL);
}

static void* LaunchUntilStopped(void* argument) {
  while (!g_stop) {
    Launch();
    usleep(200);
  }
  return argument;
}

static void Child(const char* way) {
  int device = 0;
  Say("child: device %d fork handlers %d\n", cudaGetDevice(&device),
      g_in_child);
  if (strcmp(way, "fork") == 0) {
    Say("child: launch %d, memory %d\n", Launch(), FailingCall());
    SayState("child");
  }
  if (strcmp(way, "exec") == 0) execl(g_self, g_self, "again", NULL);
  _exit(5);
}

static pid_t MakeChild(const char* way) {
  if (strcmp(way, "vfork") == 0) {
    const pid_t child = vfork();
    if (child == 0) {
      execl(g_self, g_self, "again", NULL);
      _exit(5);
    }
    return child;
  }
  if (strcmp(way, "spawn") == 0) {
    pid_t child = -1;
    char* arguments[] = {g_self, "again", NULL};
    posix_spawn(&child, g_self, NULL, NULL, arguments, environ);
    return child;
  }
  if (strcmp(way, "clone") == 0) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  }
  return strcmp(way, "_Fork") == 0 ? _Fork() : fork();
}

static void Ways(const char* way, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int status = -1;
    const pid_t child = MakeChild(way);
    if (child == 0) Child(way);
    waitpid(child, &status, 0);
    SayEnd(way, status);
  }
}

int main(int argc, char** argv) {
  g_self = argv[0];
  if (argc < 4) {
    Say("again: work %d\n", Work(3));
    SayState("again");
    return 6;
  }
  const char* way = argv[1];
  const int first = strncmp(way, "first_", 6) == 0;
  if (first) way += 6;
  const int count = atoi(argv[3]) - 1;
  if (strcmp(argv[2], "handler") == 0) SetHandlers();
  if (!first) Say("work %d\n", Work(5));
  pthread_t* threads = calloc((size_t)count + 1, sizeof(pthread_t));
  for (int i = 0; i < count; ++i) {
    pthread_create(&threads[i], NULL, LaunchUntilStopped, NULL);
  }
  Ways(way, 4);
  g_stop = 1;
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  Say("handlers %d %d work %d\n", g_prepared, g_in_parent, Work(5));
  SayState("parent");
  return 0;
}
