// SPDX-License-Identifier: Apache-2.0
// onlookers MODE: another process stops, traces, holds or freezes this one, as
// debuggers, checkpointing and schedulers of jobs do.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static int WorkAndSay(const char* moment) {
  WorkAWhile(15);
  SayState(moment);
  return 0;
}

// Calls `use` for each thread of the process.
static void ForEachThread(pid_t process, void (*use)(pid_t process, pid_t)) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task", process);
  DIR* folder = opendir(path);
  if (folder == NULL) return;
  const struct dirent* entry;
  while ((entry = readdir(folder)) != NULL) {
    const pid_t thread = atoi(entry->d_name);
    if (thread != 0) use(process, thread);
  }
  closedir(folder);
}

// A child that does `watch` to this process, as soon as told so by a byte; and
// ends when it is killed.
static pid_t g_onlooker;
static int Begin(void (*watch)(pid_t process)) {
  int begun[2], byte = 0;
  if (pipe2(begun, O_CLOEXEC) != 0) return 97;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t process = getpid();
  g_onlooker = fork();
  if (g_onlooker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (write(begun[1], &byte, 1) != 1) _exit(1);
    watch(process);
    for (;;) pause();
  }
  return read(begun[0], &byte, 1) == 1 ? 0 : 97;
}
static void End(void) {
  kill(g_onlooker, SIGKILL);
  waitpid(g_onlooker, NULL, 0);
}

// ---- Stopped

static void StopOften(pid_t process) {
  for (;;) {
    const struct timespec pause = {0, 3000000};
    nanosleep(&pause, NULL);
    kill(process, SIGSTOP);
    nanosleep(&pause, NULL);
    kill(process, SIGCONT);
  }
}
static int StoppedOften(void) {
  Say("work %d\n", Work(3));
  if (Begin(StopOften) != 0) return 97;
  for (int i = 0; i < 4; ++i) RunThread(LaunchOften);
  WorkAWhile(30);
  End();
  kill(getpid(), SIGCONT);
  return WorkAndSay("went on");
}
static int StoppedAtFirst(void) {
  if (Begin(StopOften) != 0) return 97;
  WorkAWhile(30);
  End();
  kill(getpid(), SIGCONT);
  return WorkAndSay("went on");
}

// ---- Traced

static void Seize(pid_t process, pid_t thread) {
  (void)process;
  ptrace(PTRACE_SEIZE, thread, NULL,
         (void*)(PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD));
  ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
}
// Each system call of each thread stops twice.
static void TraceCalls(pid_t process) {
  ForEachThread(process, Seize);
  for (;;) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return;
    if (!WIFSTOPPED(status)) continue;
    const int signal = WSTOPSIG(status);
    const int is_event =
        status >> 16 != 0 || signal == (SIGTRAP | 0x80) || signal == SIGTRAP;
    ptrace(PTRACE_SYSCALL, thread, NULL, (void*)(long)(is_event ? 0 : signal));
  }
}
static int CallsTraced(void) {
  Say("work %d\n", Work(3));
  if (Begin(TraceCalls) != 0) return 97;
  WorkAWhile(20);
  for (int i = 0; i < 4; ++i) RunThread(LaunchOften);
  End();
  return WorkAndSay("traced");
}
static int CallsTracedAtFirst(void) {
  if (Begin(TraceCalls) != 0) return 97;
  usleep(50000);
  WorkAWhile(20);
  End();
  return WorkAndSay("traced");
}

// Each instruction of the first thread, for a while.
static void StepThrough(pid_t process) {
  ptrace(PTRACE_SEIZE, process, NULL, NULL);
  ptrace(PTRACE_INTERRUPT, process, NULL, NULL);
  for (int i = 0; i < 50000; ++i) {
    int status = 0;
    if (waitpid(process, &status, __WALL) < 0 || !WIFSTOPPED(status)) return;
    const int signal = WSTOPSIG(status);
    ptrace(PTRACE_SINGLESTEP, process, NULL,
           (void*)(long)(signal == SIGTRAP || signal == SIGSTOP ? 0 : signal));
  }
  int status = 0;
  waitpid(process, &status, __WALL);
  ptrace(PTRACE_DETACH, process, NULL, NULL);
}
static int SteppedThrough(void) {
  Say("work %d\n", Work(3));
  if (Begin(StepThrough) != 0) return 97;
  WorkAWhile(20);
  End();
  return WorkAndSay("stepped");
}

// ---- Held

static void HoldOther(pid_t process, pid_t thread) {
  if (thread == process) return;
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return;
  ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
  waitpid(thread, NULL, __WALL);
}
static void HoldOthers(pid_t process) {
  ForEachThread(process, HoldOther);
  kill(process, SIGUSR1);
}
static volatile sig_atomic_t g_are_held;
static void AreHeld(int signal) {
  (void)signal;
  g_are_held = 1;
}
static int WaitUntilHeld(void) {
  signal(SIGUSR1, AreHeld);
  if (Begin(HoldOthers) != 0) return 97;
  while (!g_are_held) usleep(1000);
  errno = 0;  // the signal has interrupted one of these
  return 0;
}
// The process ends while all threads but the first are held.
static int EndsWhileOthersAreHeld(void) {
  Say("work %d\n", Work(3));
  if (WaitUntilHeld() != 0) return 97;
  Say("work %d\n", Work(100));
  return 0;
}
// They go on later; meanwhile more is launched than any buffer takes.
static int OthersAreHeldForLong(void) {
  Say("work %d\n", Work(3));
  if (WaitUntilHeld() != 0) return 97;
  for (int i = 0; i < 20; ++i) LaunchOften(NULL);
  End();
  return WorkAndSay("went on");
}
static int ForksWhileOthersAreHeld(void) {
  Say("work %d\n", Work(3));
  if (WaitUntilHeld() != 0) return 97;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(7);
  waitpid(child, &status, 0);
  SayEnd("child", status);
  End();
  return WorkAndSay("went on");
}

// ---- Its memory is read and written back, as a checkpoint is taken

static void CopyThrough(pid_t process) {
  static char buffer[1 << 20];
  char path[64], line[512];
  for (int round = 0; round < 3; ++round) {
    snprintf(path, sizeof(path), "/proc/%d/maps", process);
    FILE* maps = fopen(path, "r");
    if (maps == NULL) return;
    kill(process, SIGSTOP);
    while (fgets(line, sizeof(line), maps) != NULL) {
      unsigned long begin, end;
      char rights[8];
      if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
      for (unsigned long at = begin; rights[0] == 'r' && at < end;
           at += sizeof(buffer)) {
        const unsigned long left = end - at;
        const struct iovec here = {
            buffer, left < sizeof(buffer) ? left : sizeof(buffer)};
        const struct iovec there = {(void*)at, here.iov_len};
        if (process_vm_readv(process, &here, 1, &there, 1, 0) <= 0) break;
      }
    }
    fclose(maps);
    kill(process, SIGCONT);
  }
}
static int Checkpointed(void) {
  Say("work %d\n", Work(3));
  if (Begin(CopyThrough) != 0) return 97;
  WorkAWhile(30);
  End();
  kill(getpid(), SIGCONT);
  return WorkAndSay("went on");
}

// ---- Frozen

static int WriteFile(const char* path, const char* text) {
  const int file = open(path, O_WRONLY);
  if (file < 0) return 0;
  const ssize_t written = write(file, text, strlen(text));
  close(file);
  return written == (ssize_t)strlen(text);
}
static char g_group[200];
static void FreezeOften(pid_t process) {
  (void)process;
  char path[300];
  snprintf(path, sizeof(path), "%s/cgroup.freeze", g_group);
  for (;;) {
    WriteFile(path, "1");
    usleep(5000);
    WriteFile(path, "0");
    usleep(5000);
  }
}
static int Frozen(void) {
  Say("work %d\n", Work(3));
  char path[300], id[16];
  snprintf(g_group, sizeof(g_group), "/sys/fs/cgroup/hostile-%d", getpid());
  const int made = mkdir(g_group, 0700) == 0;
  if (made) {
    snprintf(path, sizeof(path), "%s/cgroup.procs", g_group);
    snprintf(id, sizeof(id), "%d", getpid());
    if (Begin(FreezeOften) != 0) return 97;
    WriteFile(path, id);
  }
  WorkAWhile(30);
  if (made) {
    End();
    snprintf(path, sizeof(path), "%s/cgroup.freeze", g_group);
    WriteFile(path, "0");
    WriteFile("/sys/fs/cgroup/cgroup.procs", id);
    rmdir(g_group);
  }
  return WorkAndSay("thawed");
}

int main(int argc, char** argv) {
  const struct Mode modes[] = {
      {"stopped_often", StoppedOften},
      {"stopped_at_first", StoppedAtFirst},
      {"calls_traced", CallsTraced},
      {"calls_traced_at_first", CallsTracedAtFirst},
      {"stepped_through", SteppedThrough},
      {"ends_while_others_are_held", EndsWhileOthersAreHeld},
      {"others_are_held_for_long", OthersAreHeldForLong},
      {"forks_while_others_are_held", ForksWhileOthersAreHeld},
      {"checkpointed", Checkpointed},
      {"frozen", Frozen},
  };
  return RUN_MODE(modes, argc, argv);
}
