// SPDX-License-Identifier: Apache-2.0
// events MODE: programs that use the kernel's performance events themselves, or
// would see a moment of somebody else's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

enum { kThreads = 16 };

static int WorkAndSay(const char* moment) {
  WorkAWhile(15);
  SayState(moment);
  return 0;
}

// ---- Threads that work as long as they are let

static pthread_t g_threads[kThreads];
static volatile int g_end;
static void* WorkOn(void* ignored) {
  (void)ignored;
  while (!g_end) {
    Work(5);
    usleep(2000);
  }
  return NULL;
}
static void BeginThreads(void) {
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&g_threads[i], NULL, WorkOn, NULL);
  }
}
static void EndThreads(void) {
  g_end = 1;
  for (int i = 0; i < kThreads; ++i) pthread_join(g_threads[i], NULL);
}

// ---- Its own events

static struct perf_event_attr Wanted(unsigned long what) {
  struct perf_event_attr wanted;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = what;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  return wanted;
}
static int OpenEvent(struct perf_event_attr* wanted) {
  return (int)syscall(SYS_perf_event_open, wanted, 0, -1, -1,
                      PERF_FLAG_FD_CLOEXEC);
}

static volatile int g_signals;
static void CountSignal(int number) {
  (void)number;
  ++g_signals;
}
// As profilers that sample themselves: each overflow is a signal.
static int SamplesItself(void) {
  enum { kRingBytes = 9 * 4096 };
  struct perf_event_attr wanted = Wanted(PERF_COUNT_SW_TASK_CLOCK);
  wanted.sample_period = 1000000;
  wanted.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
  wanted.wakeup_events = 1;
  signal(SIGRTMIN, CountSignal);
  const int event = OpenEvent(&wanted);
  struct perf_event_mmap_page* ring =
      mmap(NULL, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  Say("event %d, ring %d\n", event >= 0, ring != MAP_FAILED);
  if (event < 0 || ring == MAP_FAILED) return 0;
  const struct f_owner_ex owner = {F_OWNER_TID, gettid()};
  fcntl(event, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC);
  fcntl(event, F_SETSIG, SIGRTMIN);
  fcntl(event, F_SETOWN_EX, &owner);
  BeginThreads();
  while (g_signals < 100) Work(20);
  prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
  const int before = g_signals;
  for (int i = 0; i < 20; ++i) Work(20);
  Say("signals while off %d\n", g_signals - before);
  prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
  while (g_signals < before + 20) Work(20);
  EndThreads();
  Say("recorded %d\n", ring->data_head > 0);
  ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
  munmap(ring, kRingBytes);
  close(event);
  return WorkAndSay("sampled");
}

// Counters of all threads to come, as a library of performance counters has.
static int CountsAll(void) {
  static const unsigned long kWhat[] = {
      PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
      PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS};
  int events[4];
  for (int i = 0; i < 4; ++i) {
    struct perf_event_attr wanted = Wanted(kWhat[i]);
    wanted.exclude_kernel = 0;
    wanted.inherit = 1;
    events[i] = OpenEvent(&wanted);
  }
  BeginThreads();
  WorkAWhile(40);
  EndThreads();
  for (int i = 0; i < 4; ++i) {
    unsigned long count = 0;
    const int was_read = read(events[i], &count, sizeof(count)) == 8;
    // A thread need not move to another processor.
    Say("counter %d: %d, %d\n", i, was_read, i == 2 || count > 0);
    close(events[i]);
  }
  return WorkAndSay("counted");
}

// ---- Forks while threads come to work

static int HasEvent(void) {
  for (int fd = 0; fd < 64; ++fd) {
    char path[64], link[64] = "";
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (readlink(path, link, sizeof(link) - 1) > 0 &&
        strstr(link, "perf_event") != NULL) {
      return 1;
    }
  }
  return 0;
}
static int ForksAtTheBegin(void) {
  int with_event = 0;
  Work(1);
  for (int round = 0; round < 12; ++round) {
    g_end = 0;
    BeginThreads();
    for (int i = 0; i < 40; ++i) {
      int status = 0;
      const pid_t child = fork();
      if (child == 0) _exit(HasEvent());
      waitpid(child, &status, 0);
      with_event += WEXITSTATUS(status) != 0;
    }
    EndThreads();
  }
  Say("children with an event %d\n", with_event);
  return WorkAndSay("forked");
}

// ---- Descriptors closed while threads come to work

static int ClosesAllBeyond(void) {
  int errors = 0;
  Work(1);
  BeginThreads();
  for (int i = 0; i < 4000; ++i) {
    syscall(SYS_close_range, 3, ~0u, 0);
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char byte;
    errors += read(file, &byte, 1) != 1;
    usleep(50);
  }
  EndThreads();
  Say("errors %d\n", errors);
  return 0;
}

// No other processor, and the threads take turns without end.
static int ManySwitches(void) {
  BeginThreads();
  int errors = 0;
  for (int i = 0; i < 20000; ++i) {
    const struct timespec shortly = {0, 1};
    nanosleep(&shortly, NULL);
    errors += Launch() != 0;
  }
  EndThreads();
  Say("errors %d\n", errors);
  return WorkAndSay("switched");
}

int main(int argc, char** argv) {
  const struct Mode modes[] = {
      {"samples_itself", SamplesItself},
      {"counts_all", CountsAll},
      {"forks_at_the_begin", ForksAtTheBegin},
      {"closes_all_beyond", ClosesAllBeyond},
      {"many_switches", ManySwitches},
  };
  return RUN_MODE(modes, argc, argv);
}
