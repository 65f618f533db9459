// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "tests/integration/hostile/programs/host_state.h"

#include <cuda_runtime_api.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int* g_numbers;

int Launch(void) { return LaunchKernel(g_numbers, NULL); }

int Work(int launches) {
  int numbers[32] = {0};
  int error = 0;
  if (g_numbers == NULL)
    error = cudaMalloc((void**)&g_numbers, sizeof(numbers));
  for (int i = 0; i < launches && error == 0; ++i) {
    error = Launch();
    if (error == 0) error = cudaMemsetAsync(g_numbers, i, 64, NULL);
  }
  if (error == 0) {
    error =
        cudaMemcpy(g_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  }
  const int synchronized = cudaDeviceSynchronize();
  return error != 0 ? error : synchronized;
}

int RunThread(void* (*run)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return 97;
  return pthread_join(thread, NULL);
}

void* LaunchOften(void* ignored) {
  (void)ignored;
  int failed = 0;
  for (int i = 0; i < 2000; ++i) failed += Launch() != 0;
  Say("launches that failed %d\n", failed);
  return NULL;
}

int FailingCall(void) {
  void* memory = NULL;
  return cudaMalloc(&memory, (size_t)1 << 60);
}

void Say(const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof(text)) length = sizeof(text) - 1;
  if (write(1, text, (size_t)length) < 0) return;
}

static const char* KindOf(const struct sigaction* action) {
  if (action->sa_handler == SIG_DFL) return "default";
  return action->sa_handler == SIG_IGN ? "ignored" : "handled";
}

static void SaySignals(void) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL && action.sa_flags == 0) continue;
    Say("  signal %d %s %x\n", number, KindOf(&action), action.sa_flags);
  }
  sigset_t blocked, pending;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  sigpending(&pending);
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&blocked, number)) Say("  blocked %d\n", number);
    if (sigismember(&pending, number)) Say("  pending %d\n", number);
  }
  stack_t stack;
  sigaltstack(NULL, &stack);
  Say("  alternate stack %d %zu\n", stack.ss_flags,
      stack.ss_flags == SS_DISABLE ? 0 : stack.ss_size);
}

// The tap's own, named after it; and what its thread has open for a moment to
// sample the process and its threads, to see which frameworks are loaded, or to
// look for other processes' rings.
static int IsOfTap(const char* link) {
  if (strstr(link, "dltap-") != NULL) return 1;
  if (strstr(link, ".dltap") != NULL) return 1;  // its folder is unmounted
  if (strncmp(link, "/dev/shm/#", 10) == 0) return 1;  // has no name
  if (strcmp(link, "/dev/shm") == 0) return 1;
  return strncmp(link, "/proc/", 6) == 0 &&
         (strstr(link, "/stat") != NULL || strstr(link, "/maps") != NULL);
}

static void SayDescriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  const int own = dirfd(folder);
  char links[1100][200];
  memset(links, 0, sizeof(links));
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    const int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd == own || fd >= 1100) continue;
    if (readlinkat(own, entry->d_name, links[fd], sizeof(links[fd]) - 1) < 0) {
      continue;
    }
  }
  closedir(folder);
  for (int fd = 0; fd < 1100; ++fd) {
    if (IsOfTap(links[fd])) continue;
    // Pipes and temporary folders have another number in each run.
    char* number = strpbrk(links[fd], "[");
    if (number != NULL) *number = '\0';
    if (strncmp(links[fd], "/tmp/", 5) == 0) links[fd][5] = '\0';
    if (links[fd][0] != '\0') Say("  fd %d %s\n", fd, links[fd]);
  }
}

// The tap's thread, and the one that the simulated CUPTI has as soon as
// anybody asks it for activities.
static int IsThreadOfTap(const char* name) {
  return strcmp(name, "dltap") == 0 || strcmp(name, "sim-cupti") == 0;
}

static int CountThreads(int say) {
  DIR* folder = opendir("/proc/self/task");
  if (folder == NULL) return -1;
  int others = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    char path[300], name[64] = "";
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "re");
    if (file == NULL) continue;
    if (fgets(name, sizeof(name), file) != NULL) {
      name[strcspn(name, "\n")] = '\0';
    }
    fclose(file);
    if (IsThreadOfTap(name)) continue;
    ++others;
    if (say) Say("  thread %s\n", name);
  }
  closedir(folder);
  return others;
}

// A joined thread may still have its entry for a moment, and a new one its
// creator's name: more than one must stay for a while to be believed.
static void SayThreads(void) {
  int before = -1;
  for (int same = 0, i = 0; same < 200 && i < 1000; ++i) {
    const int now = CountThreads(0);
    if (now == 1) break;
    same = now == before ? same + 1 : 0;
    before = now;
    usleep(1000);
  }
  CountThreads(1);
}

static void SayLimits(void) {
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)i, &limit) != 0) continue;
    Say("  limit %d %lx %lx\n", i, limit.rlim_cur, limit.rlim_max);
  }
  char folder[400] = "none";
  if (getcwd(folder, sizeof(folder)) == NULL) strcpy(folder, "none");
  if (strncmp(folder, "/tmp/", 5) == 0) folder[5] = '\0';
  const mode_t mask = umask(0);
  umask(mask);
  char name[32] = "";
  prctl(PR_GET_NAME, name, 0, 0, 0);
  unsigned control = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(control));
  int cancel_state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state);
  pthread_setcancelstate(cancel_state, NULL);
  Say("  folder %s umask %o user %u name %s rounding %d mxcsr %x cancel %d "
      "nice %d dumpable %d\n",
      folder, mask, geteuid(), name, fegetround(), control & 0xffc0,
      cancel_state, getpriority(PRIO_PROCESS, 0),
      prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  for (int which = 0; which < 3; ++which) {
    struct itimerval timer;
    getitimer((__itimer_which_t)which, &timer);
    Say("  timer %d every %ld\n", which, timer.it_interval.tv_usec);
  }
}

static void SayEnvironment(void) {
  int count = 0;
  for (char** entry = environ; *entry != NULL; ++entry) {
    count += strncmp(*entry, "DLTAP_", 6) != 0 &&
             strncmp(*entry, "LD_PRELOAD=", 11) != 0;
  }
  Say("  variables %d\n", count);
}

void SayState(const char* moment) {
  const int error = errno;
  const char* of_loader = dlerror();
  Say("%s: errno %d, dlerror %s, cuda %d\n", moment, error,
      of_loader != NULL ? of_loader : "none", cudaPeekAtLastError());
  SaySignals();
  SayDescriptors();
  SayThreads();
  SayLimits();
  SayEnvironment();
  errno = error;
}

void SayEnd(const char* who, int status) {
  if (WIFSIGNALED(status)) {
    Say("%s: signal %d\n", who, WTERMSIG(status));
  } else {
    Say("%s: exit %d\n", who, WEXITSTATUS(status));
  }
}

void WorkAWhile(int rounds) {
  int errors = 0;
  for (int i = 0; i < rounds; ++i) {
    errors += Work(500) != 0;
    usleep(10000);
  }
  Say("errors %d\n", errors);
}

const char* Folder(const char* below) {
  static char path[1000];
  snprintf(path, sizeof(path), "%s/%s", getenv("HOSTILE_FOLDER"), below);
  return path;
}

void SetLimit(int resource, unsigned long value) {
  struct rlimit limit;
  getrlimit((__rlimit_resource_t)resource, &limit);
  limit.rlim_cur = value;
  setrlimit((__rlimit_resource_t)resource, &limit);
}

int RunMode(const struct Mode* modes, int count, int argc, char** argv) {
  for (int i = 0; argc > 1 && i < count; ++i) {
    if (strcmp(modes[i].name, argv[1]) == 0) return modes[i].run();
  }
  return 98;
}
