// SPDX-License-Identifier: Apache-2.0
// signals MODE: handlers that call CUDA, that jump out of calls, storms.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static sigjmp_buf g_back;
static volatile int g_handled, g_jump, g_errors;

static void Handle(int number, int flags, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void Every(int microseconds) {
  const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void QueryInHandler(int number) {
  (void)number;
  int device = 0;
  ++g_handled;
  cudaGetDevice(&device);
}

static void LaunchInHandler(int number) {
  (void)number;
  ++g_handled;
  if (Launch() != 0) ++g_errors;
}

static int HandlerIsFirst(void) {
  Handle(SIGUSR1, 0, LaunchInHandler);
  raise(SIGUSR1);
  Say("handled %d errors %d work %d\n", g_handled, g_errors, Work(3));
  SayState("after the first work in a handler");
  return 0;
}

static int RaisedLaunches(void) {
  Say("work %d\n", Work(3));
  Handle(SIGUSR1, 0, LaunchInHandler);
  for (int i = 0; i < 2000; ++i) {
    if (i % 7 == 0) raise(SIGUSR1);
    if (Launch() != 0) ++g_errors;
  }
  Say("handled %d errors %d\n", g_handled, g_errors);
  SayState("after raised launches");
  return 0;
}

static int Storm(int flags) {
  Handle(SIGALRM, flags, QueryInHandler);
  Every(300);
  Say("work %d\n", Work(2));
  for (int i = 0; i < 200000; ++i) {
    if (Launch() != 0) ++g_errors;
  }
  Every(0);
  Say("came %d errors %d work %d\n", g_handled > 0, g_errors, Work(3));
  SayState("after a storm");
  return 0;
}
static int StormRestart(void) { return Storm(SA_RESTART); }
static int StormNoRestart(void) { return Storm(0); }

static void JumpOut(int number) {
  (void)number;
  if (g_jump) {
    g_jump = 0;
    siglongjmp(g_back, 1);
  }
}

// Out of queries, which hold no lock of the vendor's.
static int JumpStorm(void) {
  Say("work %d\n", Work(3));
  Handle(SIGALRM, 0, JumpOut);
  int device = 0;
  volatile int jumps = 0;
  Every(200);
  while (jumps < 300) {
    if (sigsetjmp(g_back, 1) != 0) ++jumps;
    g_jump = 1;
    for (int i = 0; i < 100000; ++i) cudaGetDevice(&device);
    g_jump = 0;
  }
  Every(0);
  Say("jumps %d work %d\n", jumps, Work(100));
  SayState("after jumps");
  return 0;
}

static int DefaultTerm(void) {
  Say("work %d\n", Work(100));
  kill(getpid(), SIGTERM);
  pause();
  return 1;
}

static void* LaunchForEver(void* argument) {
  for (;;) Launch();
  return argument;
}

static int TermWhileThreadsLaunch(void) {
  Say("work %d\n", Work(3));
  pthread_t thread;
  for (int i = 0; i < 4; ++i)
    pthread_create(&thread, NULL, LaunchForEver, NULL);
  usleep(20000);
  kill(getpid(), SIGTERM);
  pause();
  return 1;
}

static int Segfault(void) {
  Say("work %d\n", Work(100));
  *(volatile int*)8 = 1;
  return 1;
}

static void Recover(int number) {
  (void)number;
  siglongjmp(g_back, 1);
}

static int SegfaultCaught(void) {
  Handle(SIGSEGV, 0, Recover);
  Handle(SIGFPE, 0, Recover);
  for (int i = 0; i < 5; ++i) {
    Say("work %d\n", Work(3));
    if (sigsetjmp(g_back, 1) == 0) *(volatile int*)8 = 1;
  }
  SayState("after caught faults");
  return 0;
}

static int AlternateStack(void) {
  static char memory[65536];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  sigaltstack(&stack, NULL);
  Handle(SIGUSR2, SA_ONSTACK, LaunchInHandler);
  raise(SIGUSR2);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 500; ++i) {
    raise(SIGUSR2);
    Launch();
  }
  Say("handled %d errors %d\n", g_handled, g_errors);
  SayState("after the alternate stack");
  return 0;
}

static int BlockedAndPending(void) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR2);
  kill(getpid(), SIGTERM);
  Say("work %d\n", Work(20));
  SayState("all blocked, three pending");
  int number = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigwait(&set, &number);
  Say("waited for %d\n", number);
  return 0;
}

// Process-directed signals must reach the program's own reader.
static int SignalDescriptor(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  const int fd = signalfd(-1, &set, 0);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 50; ++i) {
    kill(getpid(), SIGUSR1);
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof(info)) != sizeof(info)) Say("nothing read\n");
    Launch();
  }
  SayState("after the descriptor");
  return 0;
}

static int IgnoredChild(void) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  Say("work %d\n", Work(3));
  SayState("ignoring");
  const int status = system("exit 3");
  Say("system %d errno %d\n", status, errno);
  return 0;
}

static int ProfilerTimer(void) {
  Handle(SIGPROF, SA_RESTART, QueryInHandler);
  const struct itimerval timer = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &timer, NULL);
  for (int i = 0; i < 100000; ++i) Launch();
  const struct itimerval none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &none, NULL);
  Say("came %d work %d\n", g_handled > 0, Work(3));
  SayState("after the profiler");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"handler_is_first", HandlerIsFirst},
      {"raised_launches", RaisedLaunches},
      {"storm_restart", StormRestart},
      {"storm_no_restart", StormNoRestart},
      {"jump_storm", JumpStorm},
      {"default_term", DefaultTerm},
      {"term_while_threads_launch", TermWhileThreadsLaunch},
      {"segfault", Segfault},
      {"segfault_caught", SegfaultCaught},
      {"alternate_stack", AlternateStack},
      {"blocked_and_pending", BlockedAndPending},
      {"signal_descriptor", SignalDescriptor},
      {"ignored_child", IgnoredChild},
      {"profiler_timer", ProfilerTimer},
  };
  return RUN_MODE(kModes, argc, argv);
}
