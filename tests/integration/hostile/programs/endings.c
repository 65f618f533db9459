// SPDX-License-Identifier: Apache-2.0
// endings MODE: every way to end a process that has used the GPU, also
// inside exit handlers and callbacks of the vendor's.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static void FirstHandler(void) { Say("first handler %d\n", Work(3)); }
static void LastHandler(void) { Say("last handler %d\n", Launch()); }
static void OnExit(int status, void* argument) {
  Say("on_exit %d %d %d\n", status, argument == NULL, Launch());
}
static void ExitAgain(void) { exit(9); }

__attribute__((destructor)) static void Destructor(void) {
  Say("destructor %d\n", Launch());
}

static void RegisterHandlers(void) {
  atexit(FirstHandler);
  on_exit(OnExit, NULL);
  Say("work %d\n", Work(10));
  atexit(LastHandler);
}

static int Return(void) {
  RegisterHandlers();
  return 7;
}

static int ExitInHandler(void) {
  RegisterHandlers();
  atexit(ExitAgain);
  exit(3);
}

static int UnderscoreExit(void) {
  RegisterHandlers();
  _exit(7);
}

static int GroupExit(void) {
  Say("work %d\n", Work(10));
  syscall(SYS_exit_group, 11);
  return 1;
}

static int QuickExit(void) {
  RegisterHandlers();
  at_quick_exit(LastHandler);
  quick_exit(8);
}

static int Abort(void) {
  RegisterHandlers();
  abort();
}

static void OnAbort(int number) {
  Say("abort handler %d %d\n", number, Launch());
}

static int AbortHandled(void) {
  RegisterHandlers();
  signal(SIGABRT, OnAbort);
  abort();
}

static void ExitFromSignal(int number) {
  (void)number;
  exit(12);
}

static int ExitInSignalHandler(void) {
  RegisterHandlers();
  signal(SIGUSR1, ExitFromSignal);
  raise(SIGUSR1);
  return 1;
}

static void* ExitHere(void* argument) {
  Say("thread %d\n", Work(3));
  exit(13);
  return argument;
}

static int ExitInThread(void) {
  RegisterHandlers();
  pthread_t thread;
  pthread_create(&thread, NULL, ExitHere, NULL);
  for (;;) pause();
}

static void* WorkThenReturn(void* argument) {
  usleep(30000);
  Say("last thread %d\n", Work(3));
  return argument;
}

// The process ends when the last thread does, with status 0.
static int ThreadExitOfMain(void) {
  RegisterHandlers();
  pthread_t thread;
  pthread_create(&thread, NULL, WorkThenReturn, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}

static int ThreadExitOfMainAlone(void) {
  Say("work %d\n", Work(10));
  pthread_exit(NULL);
}

static int ThreadExitBeforeWork(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, WorkThenReturn, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}

static void* TermLater(void* argument) {
  usleep(30000);
  kill(getpid(), SIGTERM);
  usleep(30000);
  return argument;
}

static int ThreadExitThenTerm(void) {
  Say("work %d\n", Work(10));
  pthread_t thread;
  pthread_create(&thread, NULL, TermLater, NULL);
  pthread_exit(NULL);
}

static void* LaunchForEver(void* argument) {
  for (;;) Launch();
  return argument;
}

static int ExitWhileThreadsLaunch(void) {
  RegisterHandlers();
  pthread_t thread;
  for (int i = 0; i < 8; ++i)
    pthread_create(&thread, NULL, LaunchForEver, NULL);
  usleep(20000);
  exit(14);
}

static int ResetThenReturn(void) {
  Say("work %d\n", Work(10));
  Say("reset %d\n", cudaDeviceReset());
  Say("last error %d\n", cudaGetLastError());
  return 15;
}

static int KillSelf(void) {
  Say("work %d\n", Work(10));
  kill(getpid(), SIGKILL);
  return 1;
}

static int BuffersAreWritten(void) {
  printf("in a buffer of stdio");
  fprintf(stderr, "and on stderr\n");
  Work(3);
  return 0;
}

static int ClosedStdout(void) {
  Work(3);
  fclose(stdout);
  close(1);
  return 16;
}

// ---- Endings

static void ExitAtOnce(void) {
  Say("work %d\n", Work(3));
  _exit(41);
}
static int ExitInExitHandler(void) {
  atexit(ExitAtOnce);
  WorkAWhile(5);
  return 1;
}
static void LaunchAtEnd(void) { Say("at the end %d\n", Launch()); }
static int QuickExitHandlers(void) {
  at_quick_exit(LaunchAtEnd);
  Say("work %d\n", Work(3));
  quick_exit(42);
}
static void AbortAtEnd(void) { abort(); }
static int AbortInExitHandler(void) {
  atexit(AbortAtEnd);
  Say("work %d\n", Work(3));
  return 1;
}
static void EndAtOnce(int status, void* ignored) {
  (void)ignored;
  Say("status %d\n", status);
  Launch();
  kill(getpid(), SIGTERM);
}
static int KilledInExitHandler(void) {
  on_exit(EndAtOnce, NULL);
  Say("work %d\n", Work(3));
  return 7;
}
static void Register(void) { atexit(LaunchAtEnd); }
static int HandlersRegisterHandlers(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 40; ++i) atexit(Register);
  return 3;
}

// ---- Endings inside the vendor's callbacks

static int WithCallback(cudaHostFn_t callback) {
  Say("work %d\n", Work(3));
  Say("call %d\n", cudaLaunchHostFunc(NULL, callback, NULL));
  Say("wait %d\n", cudaDeviceSynchronize());
  return 0;
}
static void CallbackExits(void* ignored) {
  (void)ignored;
  _exit(43);
}
static void CallbackAborts(void* ignored) {
  (void)ignored;
  abort();
}
static void CallbackForks(void* ignored) {
  (void)ignored;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(9);
  waitpid(child, &status, 0);
  SayEnd("child of a callback", status);
}
static void CallbackRaises(void* ignored) {
  (void)ignored;
  raise(SIGTERM);
}
static int ExitInCallback(void) { return WithCallback(CallbackExits); }
static int AbortInCallback(void) { return WithCallback(CallbackAborts); }
static int ForkInCallback(void) { return WithCallback(CallbackForks); }
static int SignalInCallback(void) { return WithCallback(CallbackRaises); }

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"return", Return},
      {"exit_in_handler", ExitInHandler},
      {"_exit", UnderscoreExit},
      {"exit_group", GroupExit},
      {"quick_exit", QuickExit},
      {"abort", Abort},
      {"abort_handled", AbortHandled},
      {"exit_in_signal_handler", ExitInSignalHandler},
      {"exit_in_thread", ExitInThread},
      {"pthread_exit_in_main", ThreadExitOfMain},
      {"pthread_exit_alone", ThreadExitOfMainAlone},
      {"pthread_exit_before_work", ThreadExitBeforeWork},
      {"pthread_exit_then_term", ThreadExitThenTerm},
      {"exit_while_threads_launch", ExitWhileThreadsLaunch},
      {"reset_then_return", ResetThenReturn},
      {"kill", KillSelf},
      {"buffers_are_written", BuffersAreWritten},
      {"closed_stdout", ClosedStdout},
      {"exit_in_exit_handler", ExitInExitHandler},
      {"quick_exit_handlers", QuickExitHandlers},
      {"abort_in_exit_handler", AbortInExitHandler},
      {"killed_in_exit_handler", KilledInExitHandler},
      {"handlers_register_handlers", HandlersRegisterHandlers},
      {"exit_in_callback", ExitInCallback},
      {"abort_in_callback", AbortInCallback},
      {"fork_in_callback", ForkInCallback},
      {"signal_in_callback", SignalInCallback},
  };
  return RUN_MODE(kModes, argc, argv);
}
