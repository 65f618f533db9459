// SPDX-License-Identifier: Apache-2.0
// threads MODE: many threads, short ones, small ones, cancelled ones.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static pthread_barrier_t g_barrier;
static pthread_key_t g_key;
static int g_errors;
static int g_destroyed;

static void NoteError(int error) {
  if (error != 0) __atomic_fetch_add(&g_errors, 1, __ATOMIC_RELAXED);
}

static void* LaunchAtBarrier(void* argument) {
  pthread_barrier_wait(&g_barrier);
  for (int i = 0; i < 3; ++i) NoteError(Launch());
  pthread_barrier_wait(&g_barrier);
  return argument;
}

static void* LaunchOnce(void* argument) {
  NoteError(Launch());
  return argument;
}

static int RunThreads(int count, int at_once, size_t stack_bytes,
                      void* (*body)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t* threads = calloc((size_t)at_once, sizeof(pthread_t));
  int refused = 0;
  for (int done = 0; done < count; done += at_once) {
    for (int i = 0; i < at_once; ++i) {
      refused += pthread_create(&threads[i], &attributes, body, NULL) != 0;
    }
    for (int i = 0; i < at_once && refused == 0; ++i) {
      pthread_join(threads[i], NULL);
    }
  }
  free(threads);
  pthread_attr_destroy(&attributes);
  Say("refused %d errors %d\n", refused, g_errors);
  return refused;
}

static int ManyAtOnce(void) {
  Say("work %d\n", Work(3));
  pthread_barrier_init(&g_barrier, NULL, 2000);
  RunThreads(2000, 2000, 64 << 10, LaunchAtBarrier);
  SayState("after 2000 threads");
  return 0;
}

static int ManyFirst(void) {
  pthread_barrier_init(&g_barrier, NULL, 500);
  RunThreads(500, 500, 64 << 10, LaunchAtBarrier);
  SayState("after 500 threads that were all the first");
  return 0;
}

static int ShortOnes(void) {
  Say("work %d\n", Work(3));
  RunThreads(5000, 8, 64 << 10, LaunchOnce);
  SayState("after 5000 threads");
  return 0;
}

static int SmallStacks(void) {
  RunThreads(64, 8, PTHREAD_STACK_MIN + 8192, LaunchOnce);
  SayState("after small stacks");
  return 0;
}

static int SmallStackAfterWork(void) {
  Say("work %d\n", Work(3));
  return SmallStacks();
}

static void WorkInDestructor(void* value) {
  (void)value;
  NoteError(Launch());
  __atomic_fetch_add(&g_destroyed, 1, __ATOMIC_RELAXED);
}

static void* SetsKey(void* argument) {
  pthread_setspecific(g_key, &g_key);
  return LaunchOnce(argument);
}

static int KeyDestructors(void) {
  pthread_key_create(&g_key, WorkInDestructor);
  RunThreads(100, 10, 64 << 10, SetsKey);
  Say("destroyed %d errors %d\n", g_destroyed, g_errors);
  SayState("after destructors");
  return 0;
}

// Cancelled before its first call; the call must not be where it ends.
static void* PendingCancel(void* argument) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  const int error = cudaFree(NULL);
  const int launched = Launch();
  __atomic_fetch_add(&g_destroyed, 1, __ATOMIC_RELAXED);
  NoteError(error | launched);
  pthread_testcancel();
  return argument;
}

static int CancelPending(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, PendingCancel, NULL);
  pthread_join(thread, &result);
  Say("cancelled %d, came through its calls %d, errors %d\n",
      result == PTHREAD_CANCELED, g_destroyed, g_errors);
  SayState("after cancellation");
  return 0;
}

static int CancelPendingAfterWork(void) {
  Say("work %d\n", Work(3));
  return CancelPending();
}

static void* LaunchForEver(void* argument) {
  int type;
  if (argument != NULL) pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  for (;;) {
    NoteError(Launch());
    pthread_testcancel();
  }
}

static int CancelDeferred(void) {
  Say("work %d\n", Work(3));
  int cancelled = 0;
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, LaunchForEver, &g_key);
    usleep(500);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  Say("cancelled %d errors %d work %d\n", cancelled, g_errors, Work(3));
  SayState("after cancellations");
  return 0;
}

static void* SaysAndExits(void* argument) {
  (void)argument;
  Say("thread %d\n", Work(10));
  return NULL;
}

static int Detached(void) {
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, LaunchOnce, NULL);
    pthread_detach(thread);
  }
  Say("work %d\n", Work(3));
  pthread_t thread;
  pthread_create(&thread, NULL, SaysAndExits, NULL);
  pthread_join(thread, NULL);
  return 0;
}

static int ErrorsStayPerThread(void) {
  Say("fails %d\n", FailingCall());
  pthread_t thread;
  pthread_create(&thread, NULL, SaysAndExits, NULL);
  pthread_join(thread, NULL);
  Say("peek %d get %d then %d\n", cudaPeekAtLastError(), cudaGetLastError(),
      cudaGetLastError());
  SayState("after an error");
  return 0;
}

static int ErrnoStays(void) {
  errno = 77;
  const int first = Work(1);
  const int after_first = errno;
  errno = 78;
  for (int i = 0; i < 5000; ++i) Launch();
  const int after_many = errno;
  errno = 79;
  const int failed = FailingCall();
  Say("%d errno %d, errno %d, %d errno %d\n", first, after_first, after_many,
      failed, errno);
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"many_at_once", ManyAtOnce},
      {"many_first", ManyFirst},
      {"short_ones", ShortOnes},
      {"small_stacks", SmallStacks},
      {"small_stacks_after_work", SmallStackAfterWork},
      {"key_destructors", KeyDestructors},
      {"cancel_pending", CancelPending},
      {"cancel_pending_after_work", CancelPendingAfterWork},
      {"cancel_deferred", CancelDeferred},
      {"detached", Detached},
      {"errors_per_thread", ErrorsStayPerThread},
      {"errno_stays", ErrnoStays},
  };
  return RUN_MODE(kModes, argc, argv);
}
