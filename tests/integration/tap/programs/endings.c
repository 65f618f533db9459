// SPDX-License-Identifier: Apache-2.0
// endings MODE: does 100 launches, then ends in an unusual way.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static jmp_buf g_back;

static void JumpOut(void) { longjmp(g_back, 1); }
static void Launch(void) { LaunchOne(&g_back); }
// Calls from a deeper frame than main's.
__attribute__((noinline)) static void LaunchesBelow(int count) {
  volatile char frame[512];
  for (unsigned i = 0; i < sizeof(frame); ++i) frame[i] = (char)i;
  for (int i = 0; i < count; ++i) LaunchOne(&g_back);
}

static void OnSignal(int signal_number) {
  (void)signal_number;
  LaunchOne(&g_back);
}
static void LaunchAtExit(void) { LaunchOne(&g_back); }

static void SayGoodbye(void) { printf("exit handler\n"); }

static void* OutliveMain(void* main_thread) {
  pthread_join(*(pthread_t*)main_thread, NULL);
  LaunchOne(&g_back);
  printf("main is gone\n");
  return NULL;
}

// The process ends when its last thread does.
static void LeaveMainFirst(void) {
  static pthread_t main_thread;
  pthread_t thread;
  main_thread = pthread_self();
  atexit(SayGoodbye);
  pthread_create(&thread, NULL, OutliveMain, &main_thread);
  pthread_exit(NULL);
}

// A longer file is a signal from now on.
static void ForbidFiles(void) {
  const struct rlimit limit = {1, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void* LaunchForEver(void* unused) {
  for (;;) LaunchOne(&g_back);
  return unused;
}

static void* ExitElsewhere(void* unused) {
  exit(9);
  return unused;
}

static void StartThread(void* (*work)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
}

static void ExitAgain(void) { _exit(11); }
static void ExitWithin(void) { exit(12); }

static void Launches(int count) {
  for (int i = 0; i < count; ++i) LaunchOne(&g_back);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "return";
  Launches(100);
  if (strcmp(mode, "_exit") == 0) _exit(7);
  if (strcmp(mode, "abort") == 0) abort();
  if (strcmp(mode, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(mode, "exec_elsewhere") == 0) {
    setenv("DLTAP_OUTPUT", getenv("SECOND"), 1);
    execl(argv[0], argv[0], "kill", NULL);
  }
  if (strcmp(mode, "exec") == 0) execl(argv[0], argv[0], "return", NULL);
  if (strcmp(mode, "atexit") == 0) atexit(LaunchAtExit);
  if (strcmp(mode, "quick_exit") == 0) quick_exit(8);
  if (strcmp(mode, "pthread_exit") == 0) LeaveMainFirst();
  if (strcmp(mode, "alone") == 0) {
    atexit(LaunchAtExit);
    pthread_exit(NULL);
  }
  if (strcmp(mode, "alone_without_files") == 0) {
    ForbidFiles();
    pthread_exit(NULL);
  }
  if (strcmp(mode, "busy") == 0) StartThread(LaunchForEver);
  if (strcmp(mode, "elsewhere") == 0) {
    StartThread(LaunchForEver);
    StartThread(ExitElsewhere);
    for (;;) pause();
  }
  if (strcmp(mode, "exit_exit") == 0) atexit(ExitWithin);
  if (strcmp(mode, "exit__exit") == 0) atexit(ExitAgain);
  if (strcmp(mode, "terminate") == 0) {
    kill(getpid(), SIGTERM);
    for (;;) pause();
  }
  if (strcmp(mode, "nested") == 0) {
    fakeCudaDuringSync(Launch);
    cudaStreamSynchronize(NULL);
  }
  if (strcmp(mode, "longjmp") == 0) {
    fakeCudaDuringSync(JumpOut);
    for (int i = 0; i < 10; ++i) {
      if (setjmp(g_back) == 0) cudaStreamSynchronize(NULL);
    }
    fakeCudaDuringSync(NULL);
    cudaStreamSynchronize(NULL);  // from the frame that made the lost calls
    Launches(1);
  }
  if (strcmp(mode, "longjmp_deeper") == 0) {
    fakeCudaDuringSync(JumpOut);
    if (setjmp(g_back) == 0) cudaStreamSynchronize(NULL);
    LaunchesBelow(1000);
  }
  if (strcmp(mode, "signals") == 0) {
    signal(SIGALRM, OnSignal);
    for (int i = 0; i < 2000; ++i) {
      if (i % 20 == 0) raise(SIGALRM);
      Launches(1);
    }
  }
  if (strcmp(mode, "window") == 0) {
    cudaProfilerStart();
    Launches(10);
    cudaProfilerStop();
    Launches(100);
  }
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
