// SPDX-License-Identifier: Apache-2.0
// first_moments MODE ...: how a program's first calls may come.
//   together N K   N threads begin at once, each launches K times
//   constructor F  the constructor of library F, loaded now, launches
//   refused        the system refuses the first thread that anybody wants
//   slow_files MS PAUSE  the first file of another thread takes MS; a pause
//                  amid the launches; stderr is stdout
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static pthread_barrier_t g_start;
static int g_launches;
static atomic_int g_refuse;
static atomic_int g_threads_wanted;
static atomic_int g_slow_ms;

// Instead of the C library's, also for libraries.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*work)(void*), void* argument) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*),
               void*))dlsym(RTLD_NEXT, "pthread_create");
  atomic_fetch_add(&g_threads_wanted, 1);
  if (atomic_fetch_sub(&g_refuse, 1) > 0) return EAGAIN;
  return create(thread, attributes, work, argument);
}

// As a file system does that is far away.
int openat(int folder, const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  if ((flags & O_CREAT) != 0 && gettid() != getpid()) {
    usleep((useconds_t)atomic_exchange(&g_slow_ms, 0) * 1000);
  }
  return (int)syscall(SYS_openat, folder, name, flags, mode);
}

static void* Work(void* argument) {
  (void)argument;
  pthread_barrier_wait(&g_start);
  for (int i = 0; i < g_launches; ++i) LaunchOne(&Work);
  pthread_barrier_wait(&g_start);
  return NULL;
}

static void Together(int threads) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_barrier_init(&g_start, NULL, (unsigned)threads);
  pthread_t* all = calloc((size_t)threads, sizeof(*all));
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&all[i], &attributes, Work, NULL) != 0) exit(99);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "together") == 0) {
    g_launches = atoi(argv[3]);
    Together(atoi(argv[2]));
  } else if (strcmp(mode, "constructor") == 0) {
    if (dlopen(argv[2], RTLD_NOW) == NULL) return 99;
  } else if (strcmp(mode, "refused") == 0) {
    g_refuse = 1;
    errno = 77;
    LaunchOne(&g_start);
    if (errno != 77) return 98;
    // Until a second thread is wanted; without a tap nobody wants any.
    const int patience = getenv("DLTAP_OUTPUT") != NULL ? 1 << 30 : 10;
    for (int i = 0; i < patience && g_threads_wanted < 2; ++i) {
      LaunchOne(&g_start);
      usleep(1000);
    }
    for (int i = 0; i < 10; ++i) LaunchOne(&g_start);
  } else if (strcmp(mode, "slow_files") == 0) {
    dup2(1, 2);
    execl("/proc/self/exe", argv[0], "slow", argv[2], argv[3], NULL);
    return 99;
  } else if (strcmp(mode, "slow") == 0) {
    g_slow_ms = atoi(argv[2]);
    for (int i = 0; i < 5; ++i) LaunchOne(&g_start);
    usleep((useconds_t)atoi(argv[3]) * 1000);
    for (int i = 0; i < 5; ++i) LaunchOne(&g_start);
  }
  printf("calls %lu\n", fakeCudaCalls());
  return 0;
}
