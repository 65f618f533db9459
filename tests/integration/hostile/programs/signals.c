// SPDX-License-Identifier: Apache-2.0
// signals MODE: handlers that call CUDA, that jump out of calls, storms;
// system calls and arithmetic that trap.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

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

// ---- Signals

static volatile sig_atomic_t g_forks = 0;
static void ForkInHandler(int number) {
  (void)number;
  const int saved_errno = errno;
  const pid_t child = _Fork();
  if (child == 0) _exit(0);
  if (child > 0) ++g_forks;
  errno = saved_errno;
}
static int ForksInHandlers(void) {
  struct sigaction action = {.sa_handler = ForkInHandler,
                             .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  Say("work %d\n", Work(3));
  const struct itimerval every = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &every, NULL);
  int failed = 0;
  while (g_forks < 30) failed += Launch() != 0;
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  int lost = 0;
  for (int left = g_forks; left > 0; --left) {
    int status = -1;
    if (wait(&status) < 0 || status != 0) ++lost;
  }
  Say("failed %d, lost %d\n", failed, lost);
  SayState("forked in handlers");
  return 0;
}

static volatile sig_atomic_t g_ticks = 0;
static void Tick(int number) {
  (void)number;
  ++g_ticks;
}
static void* TimedThread(void* ignored) {
  (void)ignored;
  static char stack[64 << 10];
  const stack_t own = {.ss_sp = stack,
                       .ss_size = sizeof(stack),
                       .ss_flags = (int)(1u << 31)};  // SS_AUTODISARM
  sigaltstack(&own, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = SIGRTMIN + 3};
  event._sigev_un._tid = gettid();
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return NULL;
  const struct itimerspec every = {{0, 200000}, {0, 200000}};
  timer_settime(timer, 0, &every, NULL);
  int failed = 0;
  while (g_ticks < 500) failed += Launch() != 0;
  timer_delete(timer);
  Say("failed %d\n", failed);
  return NULL;
}
static int TimersOfThreads(void) {
  struct sigaction action = {.sa_handler = Tick,
                             .sa_flags = SA_RESTART | SA_ONSTACK};
  sigaction(SIGRTMIN + 3, &action, NULL);
  const int error = RunThread(TimedThread);
  SayState("ticked");
  return error;
}

static void* WaitForSignals(void* set) {
  int number = 0, count = 0;
  while (sigwait(set, &number) == 0 && number != SIGTERM) ++count;
  Say("signals %d, last %d\n", count > 0, number);
  return NULL;
}
static int ThreadTakesSignals(void) {
  static sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, WaitForSignals, &all) != 0) return 97;
  for (int i = 0; i < 200; ++i) {
    Launch();
    kill(getpid(), SIGUSR1 + 2 * (i % 2));
  }
  WorkAWhile(5);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);
  SayState("signals taken");
  return 0;
}

// A program that emulates system calls: each one of the thread that launches
// comes to a handler, which makes it.
static volatile char g_selector = 0;
static void MakeCall(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  g_selector = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW
  greg_t* r = ((ucontext_t*)context)->uc_mcontext.gregs;
  const int saved_errno = errno;
  const long result = syscall(r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX],
                              r[REG_R10], r[REG_R8], r[REG_R9]);
  r[REG_RAX] = result < 0 ? -errno : result;
  errno = saved_errno;
}
static int DispatchedCalls(void) {
  struct sigaction action = {.sa_sigaction = MakeCall, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  if (prctl(59, 1, 0, 0, &g_selector) != 0) return 0;  // an old kernel
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    g_selector = 1;
    failed += Launch() != 0;
    g_selector = 0;
  }
  prctl(59, 0, 0, 0, 0);
  Say("failed %d\n", failed);
  WorkAWhile(5);
  return 0;
}

// ---- Arithmetic

static int RoundsUpAndTraps(void) {
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
  Say("work %d\n", Work(20));
  const int raised = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
  Say("round %d, raised %d, csr %x\n", fegetround(), fetestexcept(raised),
      _mm_getcsr() & ~0x3Fu);
  WorkAWhile(10);
  SayState("rounds up");
  return 0;
}

// A clock of its own for CUPTI's records, which is no multiple of any other.
static uint64_t OwnClock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)((double)now.tv_sec * 7e8 + (double)now.tv_nsec * 0.7);
}

static int GivesCuptiItsClock(void) {
  char path[1000];
  snprintf(path, sizeof(path), "%s", getenv("HOSTILE_CUDART"));
  strcpy(strstr(path, "libcudart"), "libcupti.so.13");
  void* cupti = dlopen(path, RTLD_NOW);
  if (cupti == NULL) return 96;
  int (*give)(uint64_t (*)(void)) = (int (*)(uint64_t (*)(void)))dlsym(
      cupti, "cuptiActivityRegisterTimestampCallback");
  return give(OwnClock);
}

// Every inexact result traps, on a thread that computes nothing then: whoever
// it starts meanwhile begins so.
static int TrapsAtTheFirstCall(void) {
  void* memory = NULL;
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_ALL_EXCEPT);
  const int error = cudaMalloc(&memory, 4096);
  const int enabled = fegetexcept();
  fedisableexcept(FE_ALL_EXCEPT);
  Say("first call %d, enabled %x\n", error, enabled);
  WorkAWhile(10);
  Say("own clock %d\n", GivesCuptiItsClock());
  WorkAWhile(60);
  SayState("trapped nothing");
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
      {"forks_in_handlers", ForksInHandlers},
      {"timers_of_threads", TimersOfThreads},
      {"thread_takes_signals", ThreadTakesSignals},
      {"dispatched_calls", DispatchedCalls},
      {"rounds_up_and_traps", RoundsUpAndTraps},
      {"traps_at_the_first_call", TrapsAtTheFirstCall},
  };
  return RUN_MODE(kModes, argc, argv);
}
