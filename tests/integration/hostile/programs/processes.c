// SPDX-License-Identifier: Apache-2.0
// processes MODE: births, stops, sandboxes, names, images and ends of processes
// that few programs know.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

extern char** environ;
static char** g_arguments;

extern char** environ;

static volatile int g_stop;

static void* LaunchUntilStopped(void* argument) {
  long* errors = argument;
  while (!g_stop) *errors += Launch() != 0;
  return NULL;
}

static void SayHowItEnds(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
}

// ---- Births

static int VforkStorm(void) {
  Say("work %d\n", Work(3));
  pthread_t threads[2];
  long errors[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL, LaunchUntilStopped, &errors[i]);
  }
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/bin/true", "true", (char*)NULL);
      _exit(97);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ended += status == 0;
  }
  g_stop = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  Say("ended %d errors %ld\n", ended, errors[0] + errors[1]);
  SayState("after the storm");
  return 0;
}

static int SpawnClosingAll(void) {
  Say("work %d\n", Work(3));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  char* arguments[] = {"sh", "-c", "echo /proc/self/fd/*", NULL};
  for (int i = 0; i < 5; ++i) {
    pid_t child;
    if (posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ)) {
      return 97;
    }
    SayHowItEnds(child);
  }
  WorkAWhile(20);
  SayState("after");
  return 0;
}

static char g_stack[1 << 20] __attribute__((aligned(64)));

static int InSharedMemory(void* argument) {
  *(int*)argument = Launch();
  _exit(7);
}

// The first work is that of a process of its own pid, in our memory.
static int SharedMemory(void) {
  int result = -1;
  const pid_t child = clone(InSharedMemory, g_stack + sizeof(g_stack),
                            CLONE_VM | CLONE_VFORK | SIGCHLD, &result);
  SayHowItEnds(child);
  Say("result %d work %d\n", result, Work(3));
  WorkAWhile(20);
  return 0;
}

static int NestedForks(void) {
  for (int depth = 0; depth < 20; ++depth) {
    const int error = Work(5);
    const pid_t child = fork();
    if (child == 0) continue;
    int status = 0;
    waitpid(child, &status, 0);
    if (depth == 0) SayEnd("chain", status);
    exit(error == 0 && status == 0 ? 0 : 1);
  }
  Say("deepest %d\n", Work(5));
  exit(0);
}

static int Daemonize(void) {
  int ends[2];
  if (pipe(ends) != 0) return 97;
  Say("work %d\n", Work(3));
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    if (chdir("/") != 0) _exit(97);
    dup2(ends[1], 10);
    for (int i = 0; i < 2000; ++i) {
      if (i != 10) close(i);
    }
    int error = Work(50);
    usleep(300000);
    error += Work(50);
    char text[100];
    const int next = open("/dev/null", O_RDONLY);
    const int length =
        snprintf(text, sizeof(text), "error %d next %d", error, next);
    exit(write(10, text, (size_t)length) < 0);
  }
  close(ends[1]);
  SayHowItEnds(child);
  char text[100] = "";
  while (read(ends[0], text + strlen(text), 50) > 0) {
  }
  Say("daemon: %s\n", text);
  return 0;
}

// ---- Stops

static int TracedChild(void) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(Work(300) + 5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  while (WIFSTOPPED(status)) {
    const int number = WSTOPSIG(status);
    const int given = number == SIGTRAP || number == SIGSTOP ? 0 : number;
    ptrace(PTRACE_SYSCALL, child, NULL, (void*)(long)given);
    if (waitpid(child, &status, __WALL) < 0) break;
  }
  SayEnd("child", status);
  return 0;
}

static int Stopped(void) {
  Say("work %d\n", Work(3));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      kill(parent, SIGSTOP);
      usleep(60000);
      kill(parent, SIGCONT);
      usleep(10000);
    }
    _exit(0);
  }
  WorkAWhile(20);
  SayHowItEnds(child);
  SayState("continued");
  return 0;
}

static int g_handled, g_errors;

static void LaunchInHandler(int number) {
  (void)number;
  ++g_handled;
  if (Launch() != 0) ++g_errors;
}

// The session begins on a signal stack of 16 KiB.
static int SmallSignalStack(void) {
  const size_t bytes = 16384;
  char* memory =
      mmap(NULL, 3 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + bytes, bytes, PROT_READ | PROT_WRITE);
  const stack_t stack = {memory + bytes, 0, bytes};
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = LaunchInHandler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 100; ++i) raise(SIGUSR1);
  Say("handled %d errors %d\n", g_handled, g_errors);
  SayState("after");
  return 0;
}

// ---- Shared memory that goes

static int FilledSharedMemory(void) {
  if (unshare(CLONE_NEWNS) != 0) return 97;
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  if (mount("none", "/dev/shm", "tmpfs", 0, "size=40m") != 0) return 96;
  Say("work %d\n", Work(3));
  const int fd = open("/dev/shm/fill", O_CREAT | O_RDWR, 0600);
  static char block[1 << 16];
  while (write(fd, block, sizeof(block)) > 0) {
  }
  pthread_t threads[16];
  long errors[16] = {0};
  for (int i = 0; i < 16; ++i) {
    pthread_create(&threads[i], NULL, LaunchUntilStopped, &errors[i]);
  }
  usleep(300000);
  g_stop = 1;
  long all = 0;
  for (int i = 0; i < 16; ++i) {
    pthread_join(threads[i], NULL);
    all += errors[i];
  }
  Say("errors %ld work %d\n", all, Work(3));
  return 0;
}

// ---- Environments that move

static void* ChangeEnvironment(void* argument) {
  char name[32];
  for (int i = 0; !g_stop; ++i) {
    snprintf(name, sizeof(name), "OTHER_%d", i % 500);
    setenv(name, "some text that is long enough to be moved", 1);
    if (i % 1000 == 999) clearenv();
  }
  return argument;
}

static int EnvironmentRace(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ChangeEnvironment, NULL);
  usleep(20000);
  int errors = 0;
  for (int i = 0; i < 30; ++i) errors += Work(30) != 0;
  g_stop = 1;
  pthread_join(thread, NULL);
  Say("errors %d\n", errors);
  return 0;
}

// ---- Names

static int OwnTitle(void) {
  char* begin = g_arguments[0];
  char* end = begin;
  for (char** at = g_arguments; *at != NULL; ++at) end = *at + strlen(*at);
  memset(begin, 'T', (size_t)(end - begin));
  prctl(PR_SET_NAME, "dltap");
  WorkAWhile(15);
  SayState("titled");
  return 0;
}
static void* NamedThread(void* name) {
  pthread_setname_np(pthread_self(), name);
  return LaunchOften(NULL);
}
static int ThreadsOfOurName(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, NamedThread, "dltap") != 0) return 97;
    pthread_join(thread, NULL);
  }
  SayState("named");
  return 0;
}
static int NoVariablesAtAll(void) {
  char** kept = environ;
  Say("work %d\n", Work(3));
  environ = NULL;
  WorkAWhile(5);
  environ = kept;
  SayState("none");
  return 0;
}

// ---- Other images

static int Again(const char* mark) {
  if (getenv(mark) == NULL) {
    setenv(mark, "1", 1);
    return 0;
  }
  WorkAWhile(5);
  unsetenv(mark);
  SayState("again");
  return 1;
}
static int CopyOfSelf(int to) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (from < 0 || fstat(from, &info) != 0) return -1;
  off_t at = 0;
  while (at < info.st_size &&
         sendfile(to, from, &at, (size_t)(info.st_size - at)) > 0) {
  }
  close(from);
  return 0;
}
static int RunsFromMemory(void) {
  if (Again("HOSTILE_MEMORY")) return 0;
  Say("work %d\n", Work(3));
  const int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || CopyOfSelf(fd) != 0) return 97;
  fexecve(fd, g_arguments, environ);
  return 96;
}
static int DeletesItself(void) {
  if (Again("HOSTILE_DELETED")) return 0;
  const char* copy = Folder("copy");
  const int fd = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  if (fd < 0 || CopyOfSelf(fd) != 0) return 97;
  close(fd);
  const pid_t child = fork();
  if (child == 0) {
    execve(copy, g_arguments, environ);
    _exit(96);
  }
  usleep(20000);
  unlink(copy);
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("deleted", status);
  return 0;
}
static int FixedAddresses(void) {
  if (Again("HOSTILE_FIXED")) return 0;
  Say("work %d\n", Work(3));
  personality(ADDR_NO_RANDOMIZE);
  execve("/proc/self/exe", g_arguments, environ);
  return 96;
}
static void* Exec(void* ignored) {
  (void)ignored;
  usleep(20000);
  execve("/proc/self/exe", g_arguments, environ);
  return NULL;
}
static void* LaunchForEver(void* ignored) {
  (void)ignored;
  for (;;) Launch();
  return NULL;
}
static int ThreadExecs(void) {
  if (Again("HOSTILE_EXEC")) return 0;
  pthread_t thread;
  for (int i = 0; i < 3; ++i) {
    pthread_create(&thread, NULL, LaunchForEver, NULL);
  }
  pthread_create(&thread, NULL, Exec, NULL);
  LaunchForEver(NULL);
  return 96;
}

// ---- Children

static int ReapsOrphans(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) {
      if (fork() == 0) _exit(0);
      _exit(0);
    }
  }
  int reaped = 0;
  while (wait(NULL) > 0) ++reaped;
  Say("reaped %d, errno %d\n", reaped, errno);
  SayState("reaped");
  return 0;
}
static int NothingToWaitFor(void) {
  struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
  sigaction(SIGCHLD, &action, NULL);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) _exit(3);
  }
  const int reaped = wait(NULL);
  Say("reaped %d, errno %d\n", reaped, errno);
  WorkAWhile(5);
  SayState("no children");
  return 0;
}
static int RawClones(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 20; ++i) {
    struct clone_args how = {.exit_signal = SIGCHLD,
                             .flags = i % 2 ? CLONE_CLEAR_SIGHAND : 0};
    const long child = syscall(SYS_clone3, &how, sizeof(how));
    if (child == 0) {
      execve("/bin/true", (char*[]){"true", NULL}, environ);
      _exit(96);
    }
    int status = -1;
    waitpid((pid_t)child, &status, 0);
    if (status != 0) SayEnd("clone", status);
  }
  WorkAWhile(5);
  SayState("cloned");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"vfork_storm", VforkStorm},
      {"spawn_closing_all", SpawnClosingAll},
      {"shared_memory", SharedMemory},
      {"nested_forks", NestedForks},
      {"daemonize", Daemonize},
      {"traced_child", TracedChild},
      {"stopped", Stopped},
      {"small_signal_stack", SmallSignalStack},
      {"filled_shared_memory", FilledSharedMemory},
      {"environment_race", EnvironmentRace},
      {"own_title", OwnTitle},
      {"threads_of_our_name", ThreadsOfOurName},
      {"no_variables_at_all", NoVariablesAtAll},
      {"runs_from_memory", RunsFromMemory},
      {"deletes_itself", DeletesItself},
      {"fixed_addresses", FixedAddresses},
      {"thread_execs", ThreadExecs},
      {"reaps_orphans", ReapsOrphans},
      {"nothing_to_wait_for", NothingToWaitFor},
      {"raw_clones", RawClones},
  };
  g_arguments = argv;
  return RUN_MODE(kModes, argc, argv);
}
