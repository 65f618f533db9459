// SPDX-License-Identifier: Apache-2.0
// jobs MODE: what befalls a program that runs for weeks: its log is rotated,
// its processors change, debuggers look in, its children die.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static volatile int g_stop;

static void* LaunchUntilStopped(void* argument) {
  long* errors = argument;
  while (!g_stop) {
    *errors += Launch() != 0;
    usleep(100);
  }
  return NULL;
}

static void SayHowItEnds(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
}

// ---- Logs

// As daemons do at SIGHUP: the old file gets another name, stderr a new file.
static int RotatedLog(void) {
  int bytes = 0;
  for (int i = 0; i < 5; ++i) {
    const int fd = open(Folder("log"), O_CREAT | O_RDWR | O_TRUNC, 0600);
    dup2(fd, 2);
    close(fd);
    fprintf(stderr, "line %d\n", i);
    WorkAWhile(15);
    struct stat status;
    fstat(2, &status);
    bytes += (int)status.st_size;
    char old[1000];
    snprintf(old, sizeof(old), "%s.%d", Folder("log"), i);
    rename(Folder("log"), old);
  }
  Say("logged %d bytes\n", bytes);
  SayState("rotated");
  return 0;
}

static int CleanedSharedMemory(void) {
  Say("work %d\n", Work(3));
  DIR* folder = opendir("/dev/shm");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    char own[40];
    snprintf(own, sizeof(own), "-%d-", getpid());
    if (strstr(entry->d_name, own) != NULL) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  closedir(folder);
  pthread_t threads[16];
  long errors[16] = {0};
  for (int i = 0; i < 16; ++i) {
    pthread_create(&threads[i], NULL, LaunchUntilStopped, &errors[i]);
  }
  WorkAWhile(15);
  g_stop = 1;
  for (int i = 0; i < 16; ++i) pthread_join(threads[i], NULL);
  SayState("cleaned");
  return 0;
}

// ---- Processors

static int MovingAffinity(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof(all), &all);
  int errors = 0;
  for (int i = 0; i < 40; ++i) {
    CPU_ZERO(&one);
    CPU_SET(i % CPU_COUNT(&all), &one);
    sched_setaffinity(0, sizeof(one), &one);
    errors += Work(50) != 0;
  }
  Say("errors %d processors %d\n", errors, sched_getaffinity(0, 128, &one) > 0);
  return 0;
}

// A thread of real-time priority has the one processor for itself.
static int RealTime(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof(one), &one);
  Say("work %d\n", Work(3));
  const struct sched_param priority = {.sched_priority = 1};
  const int scheduled = sched_setscheduler(0, SCHED_FIFO, &priority);
  int errors = 0;
  for (int i = 0; i < 20000; ++i) errors += Launch() != 0;
  Say("real time %d errors %d policy %d\n", scheduled, errors,
      sched_getscheduler(0));
  return 0;
}

// How many threads may keep others from their processor.
static int CountRealTime(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    count += sched_getscheduler(atoi(entry->d_name)) == SCHED_FIFO;
  }
  closedir(folder);
  return count;
}

static int RealTimeBefore(void) {
  const struct sched_param priority = {.sched_priority = 1};
  const int scheduled = sched_setscheduler(0, SCHED_FIFO, &priority);
  Say("real time %d\n", scheduled);
  WorkAWhile(15);
  Say("threads of that kind %d\n", CountRealTime());
  SayState("policy");
  return 0;
}

// Such a thread may start no other ones, nor processes.
struct DeadlineAttributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

static int Deadline(void) {
  struct DeadlineAttributes attributes = {.size = sizeof(attributes),
                                          .policy = 6,
                                          .runtime = 10000000,
                                          .deadline = 30000000,
                                          .period = 30000000};
  const long set = syscall(SYS_sched_setattr, 0, &attributes, 0);
  Say("deadline %ld\n", set);
  WorkAWhile(15);
  SayState("policy");
  return 0;
}

static int Idle(void) {
  const struct sched_param none = {0};
  Say("idle %d\n", sched_setscheduler(0, SCHED_IDLE, &none));
  WorkAWhile(15);
  Say("nice %d\n", nice(19));
  return 0;
}

// ---- Debuggers

// All threads of the parent are seized, stopped and let go, as gdb -p does.
static void SeizeAll(pid_t parent) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task", parent);
  pid_t threads[64];
  int count = 0;
  DIR* folder = opendir(path);
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] != '.' && count < 64) {
      threads[count++] = atoi(entry->d_name);
    }
  }
  closedir(folder);
  for (int i = 0; i < count; ++i) ptrace(PTRACE_SEIZE, threads[i], 0, 0);
  for (int i = 0; i < count; ++i) ptrace(PTRACE_INTERRUPT, threads[i], 0, 0);
  for (int i = 0; i < count; ++i) waitpid(threads[i], NULL, __WALL);
  usleep(20000);
  for (int i = 0; i < count; ++i) ptrace(PTRACE_DETACH, threads[i], 0, 0);
}

static int Debugged(void) {
  Say("work %d\n", Work(3));
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      SeizeAll(parent);
      usleep(10000);
    }
    _exit(0);
  }
  WorkAWhile(15);
  SayHowItEnds(child);
  SayState("let go");
  return 0;
}

static int NotDumpable(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  WorkAWhile(15);
  SayState("private");
  return 0;
}

// Names that could be taken for what stands behind them in /proc.
static void* NamedThread(void* argument) {
  prctl(PR_SET_NAME, argument, 0, 0, 0);
  for (int i = 0; i < 30; ++i) {
    Launch();
    usleep(5000);
  }
  return NULL;
}

static int StrangeNames(void) {
  static char* const kNames[] = {") Z 0 0 0 (",  "(((((",  "a\nb\tc", "",
                                 "\xff\xfe\x01", "%s%n%d", "dltap"};
  enum { kCount = sizeof(kNames) / sizeof(kNames[0]) };
  prctl(PR_SET_NAME, ") Z 1 2 3", 0, 0, 0);
  pthread_t threads[kCount];
  for (int i = 0; i < kCount; ++i) {
    pthread_create(&threads[i], NULL, NamedThread, kNames[i]);
  }
  for (int i = 0; i < kCount; ++i) pthread_join(threads[i], NULL);
  prctl(PR_SET_NAME, "jobs", 0, 0, 0);
  SayState("named");
  return 0;
}

// ---- Children

// Workers that were forked and never touch the GPU, killed at any moment.
static int KilledWorkers(void) {
  Say("work %d\n", Work(3));
  pthread_t thread;
  long errors = 0;
  pthread_create(&thread, NULL, LaunchUntilStopped, &errors);
  int killed = 0;
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        free(malloc(1000));
        getppid();
      }
    }
    usleep(3000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  g_stop = 1;
  pthread_join(thread, NULL);
  Say("killed %d errors %ld work %d\n", killed, errors, Work(3));
  SayState("without workers");
  return 0;
}

// The server forks each worker before it has used the GPU itself.
static int ForkServer(void) {
  int ends[2];
  if (pipe(ends) != 0) return 97;
  const pid_t server = fork();
  if (server == 0) {
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 8; ++i) {
      if (fork() == 0) {
        const int error = Work(20);
        dprintf(ends[1], "%d", error);
        exit(0);
      }
    }
    while (wait(NULL) > 0) {
    }
    _exit(0);
  }
  close(ends[1]);
  char text[64] = "";
  while (read(ends[0], text + strlen(text), 8) > 0) {
  }
  SayHowItEnds(server);
  Say("workers said %s, work %d\n", text, Work(3));
  return 0;
}

// A child that goes on for a saved state, as checkpoints by fork() do.
static int CheckpointByFork(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open(Folder("state"), O_CREAT | O_WRONLY | O_TRUNC, 0600);
      const ssize_t written = write(fd, "state", 5);
      fsync(fd);
      _exit(written == 5 ? 0 : 1);
    }
    Work(100);
    SayHowItEnds(child);
  }
  SayState("saved");
  return 0;
}

static int DiesWithItsParent(void) {
  const pid_t middle = fork();
  if (middle == 0) {
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
      Work(3);
      for (;;) Work(10);
    }
    usleep(200000);
    _exit(0);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  SayHowItEnds(middle);
  int status = 0;
  if (wait(&status) > 0) SayEnd("orphan", status);
  Say("others %d\n", (int)wait(NULL));
  return 0;
}

// Its own handlers at fork use the GPU.
static void AtFork(void) { Launch(); }
static void InChild(void) {
  int device = 0;
  cudaGetDevice(&device);
}
static int ForkHandlers(void) {
  pthread_atfork(AtFork, AtFork, InChild);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(5);
    SayHowItEnds(child);
  }
  SayState("after forks");
  return 0;
}

static int g_forked;
static void ForkHere(int number) {
  (void)number;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_forked += status == 0;
}

static int ForkInHandlers(void) {
  struct sigaction action = {.sa_handler = ForkHere, .sa_flags = SA_RESTART};
  Say("work %d\n", Work(3));
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 20; ++i) {
    raise(SIGUSR1);
    Launch();
  }
  Say("forked %d\n", g_forked);
  return 0;
}

static int ExecutesItself(void) {
  char* round = getenv("HOSTILE_ROUND");
  const int n = round == NULL ? 0 : atoi(round);
  Say("round %d work %d\n", n, Work(3));
  if (n == 6) return 0;
  char text[16];
  snprintf(text, sizeof(text), "%d", n + 1);
  setenv("HOSTILE_ROUND", text, 1);
  char* arguments[] = {"jobs", "executes_itself", NULL};
  execv("/proc/self/exe", arguments);
  return 97;
}

// ---- Clocks and timers

static volatile int g_ticks;
static void CountTick(union sigval value) {
  (void)value;
  g_ticks = 1;
  Launch();
}

static int TimerThreads(void) {
  struct sigevent event;
  memset(&event, 0, sizeof(event));
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = CountTick;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const struct itimerspec often = {{0, 5000000}, {0, 5000000}};
  timer_settime(timer, 0, &often, NULL);
  WorkAWhile(15);
  timer_delete(timer);
  Say("ticks %d\n", g_ticks);
  return 0;
}

static int ProcessorTimeLimit(void) {
  signal(SIGXCPU, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = 1;
  setrlimit(RLIMIT_CPU, &limit);
  WorkAWhile(15);
  SayState("limited");
  return 0;
}

// ---- Descriptors of one thread

static void* OwnTable(void* argument) {
  unshare(CLONE_FILES);
  close_range(3, ~0u, 0);
  *(int*)argument = Work(200);
  usleep(150000);
  *(int*)argument += Work(200);
  return NULL;
}

static int ThreadWithoutDescriptors(void) {
  Say("work %d\n", Work(3));
  int error = -1;
  pthread_t thread;
  pthread_create(&thread, NULL, OwnTable, &error);
  pthread_join(thread, NULL);
  Say("thread %d\n", error);
  WorkAWhile(15);
  SayState("with all");
  return 0;
}

static void* FirstInOwnTable(void* argument) {
  unshare(CLONE_FILES);
  close_range(3, ~0u, 0);
  *(int*)argument = Work(20);
  return NULL;
}

static int FirstWithOwnDescriptors(void) {
  int error = -1;
  pthread_t thread;
  pthread_create(&thread, NULL, FirstInOwnTable, &error);
  pthread_join(thread, NULL);
  Say("thread %d work %d\n", error, Work(3));
  WorkAWhile(15);
  SayState("after");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"rotated_log", RotatedLog},
      {"cleaned_shared_memory", CleanedSharedMemory},
      {"moving_affinity", MovingAffinity},
      {"real_time", RealTime},
      {"real_time_before", RealTimeBefore},
      {"deadline", Deadline},
      {"idle", Idle},
      {"debugged", Debugged},
      {"not_dumpable", NotDumpable},
      {"strange_names", StrangeNames},
      {"killed_workers", KilledWorkers},
      {"fork_server", ForkServer},
      {"checkpoint_by_fork", CheckpointByFork},
      {"dies_with_its_parent", DiesWithItsParent},
      {"fork_handlers", ForkHandlers},
      {"fork_in_handlers", ForkInHandlers},
      {"executes_itself", ExecutesItself},
      {"timer_threads", TimerThreads},
      {"processor_time_limit", ProcessorTimeLimit},
      {"thread_without_descriptors", ThreadWithoutDescriptors},
      {"first_with_own_descriptors", FirstWithOwnDescriptors},
  };
  return RUN_MODE(kModes, argc, argv);
}
