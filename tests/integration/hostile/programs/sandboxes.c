// SPDX-License-Identifier: Apache-2.0
// sandboxes MODE: namespaces, limits of every kind, rights given away, file
// systems that are full, gone or read-only, outputs with strange names.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static int OwnMounts(void) {
  if (unshare(CLONE_NEWNS) != 0) return -1;
  return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

// ---- Limits

static int Limited(int which, rlim_t value) {
  SetLimit(which, value);
  WorkAWhile(15);
  SayState("limited");
  return 0;
}
static int LimitedLater(int which, rlim_t value) {
  Say("work %d\n", Work(3));
  return Limited(which, value);
}
static int NoCore(void) { return Limited(RLIMIT_CORE, 0); }
static int NoLockedMemory(void) { return Limited(RLIMIT_MEMLOCK, 0); }
static int NoSignals(void) { return Limited(RLIMIT_SIGPENDING, 0); }
static int NoSignalsLater(void) { return LimitedLater(RLIMIT_SIGPENDING, 0); }
static int SmallStack(void) { return Limited(RLIMIT_STACK, 256 << 10); }
static int HugeStack(void) { return Limited(RLIMIT_STACK, 1ul << 36); }
static int NoData(void) { return LimitedLater(RLIMIT_DATA, 1 << 20); }
static int NoQueues(void) { return Limited(RLIMIT_MSGQUEUE, 0); }
static int NoFileSize(void) { return Limited(RLIMIT_FSIZE, 0); }
static int NoFileSizeLater(void) { return LimitedLater(RLIMIT_FSIZE, 0); }

// As a user who may lock little, all future memory is locked.
static int LockedUser(void) {
  chmod(Folder(""), 0777);
  if (setuid(65534) != 0) return 97;
  SetLimit(RLIMIT_MEMLOCK, 1 << 20);
  Say("locked %d\n", mlockall(MCL_FUTURE | MCL_ONFAULT));
  WorkAWhile(15);
  return 0;
}

// Threads of others get 16 KiB of stack.
static int SmallDefaultStacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_setattr_default_np(&attributes);
  WorkAWhile(15);
  SayState("small stacks");
  return 0;
}

// ---- Rights

static int NoCapabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  memset(data, 0, sizeof(data));
  Say("work %d\n", Work(3));
  Say("dropped %ld\n", syscall(SYS_capset, &header, data));
  WorkAWhile(15);
  SayState("without");
  return 0;
}

static int NoCapabilitiesBefore(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  memset(data, 0, sizeof(data));
  Say("dropped %ld\n", syscall(SYS_capset, &header, data));
  WorkAWhile(15);
  SayState("without");
  return 0;
}

static int PrivateUser(void) {
  chmod(Folder(""), 0777);
  if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0) {
    return 97;
  }
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  WorkAWhile(15);
  SayState("private");
  return 0;
}

static int NoNewRights(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  WorkAWhile(15);
  SayState("no new rights");
  return 0;
}

static void Landlock(void) {
  const struct landlock_ruleset_attr attributes = {
      .handled_access_fs =
          LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
          LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE};
  const int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes,
                                 sizeof(attributes), 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long restricted = syscall(SYS_landlock_restrict_self, rules, 0);
  if (rules >= 0) close(rules);
  Say("restricted %d\n", restricted == 0 || rules < 0);
}

static int Landlocked(void) {
  Landlock();
  WorkAWhile(15);
  SayState("restricted");
  return 0;
}

static int LandlockedLater(void) {
  Say("work %d\n", Work(3));
  return Landlocked();
}

static int ExecutableData(void) {
  personality(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE);
  WorkAWhile(15);
  Say("personality %x\n", personality(0xffffffff));
  return 0;
}

// ---- Namespaces

static int SayChild(int (*run)(void)) {
  const pid_t child = fork();
  if (child == 0) exit(run());
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
  return 0;
}

static int WorkInChild(void) {
  WorkAWhile(15);
  return 3;
}

// The first process of its space, in the /proc of another one.
static int OtherProcesses(void) {
  if (unshare(CLONE_NEWPID) != 0) return 97;
  return SayChild(WorkInChild);
}

static int OwnProc(void) {
  if (OwnMounts() != 0 || mount("proc", "/proc", "proc", 0, NULL) != 0) {
    return 96;
  }
  WorkAWhile(15);
  SayState("own /proc");
  return 0;
}
static int FirstProcess(void) {
  if (unshare(CLONE_NEWPID) != 0) return 97;
  return SayChild(OwnProc);
}

static int OwnUserLater(void) {
  Say("work %d\n", Work(3));
  Say("unshared %d\n", unshare(CLONE_NEWUSER));
  WorkAWhile(15);
  return 0;
}

// Its clocks are those of a machine that runs for years.
static int OtherTime(void) {
  if (unshare(0x80 /* CLONE_NEWTIME */) != 0) return 97;
  const int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  const char text[] = "monotonic 90000000 0\nboottime 90000000 0\n";
  Say("offsets %d\n", write(fd, text, sizeof(text) - 1) > 0);
  close(fd);
  return SayChild(WorkInChild);
}

static int NoMounts(void) {
  if (OwnMounts() != 0) return 97;
  umount2("/sys", MNT_DETACH);
  umount2("/dev/shm", MNT_DETACH);
  mount("none", "/dev/shm", "tmpfs", MS_RDONLY, "size=1m");
  WorkAWhile(15);
  SayState("without");
  return 0;
}

static int FullSharedMemory(void) {
  if (OwnMounts() != 0) return 97;
  if (mount("none", "/dev/shm", "tmpfs", 0, "size=4k") != 0) return 96;
  const int fd = open("/dev/shm/fill", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  static char block[8192];
  if (write(fd, block, sizeof(block)) < 0) return 95;
  WorkAWhile(15);
  SayState("full");
  return 0;
}

// ---- Where the output lies

// The mount is of the table's case: 1 MiB at DLTAP_OUTPUT.
static int FullThenFree(void) {
  char path[1000];
  snprintf(path, sizeof(path), "%s/fill", getenv("DLTAP_OUTPUT"));
  const int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  static char block[1 << 14];
  Say("work %d\n", Work(3));
  while (write(fd, block, sizeof(block)) > 0) {
  }
  WorkAWhile(15);
  unlink(path);
  close(fd);
  WorkAWhile(15);
  SayState("free again");
  return 0;
}

static int OutputReadOnlyLater(void) {
  if (OwnMounts() != 0) return 97;
  const char* path = getenv("DLTAP_OUTPUT");
  mkdir(path, 0700);
  if (mount("none", path, "tmpfs", 0, "size=60m") != 0) return 96;
  Say("work %d\n", Work(3));
  mount("none", path, NULL, MS_REMOUNT | MS_RDONLY, NULL);
  errno = 0;  // a file that is open for writing keeps it from that
  WorkAWhile(15);
  SayState("read-only");
  return 0;
}

static int OutputUnmounted(void) {
  if (OwnMounts() != 0) return 97;
  const char* path = getenv("DLTAP_OUTPUT");
  mkdir(path, 0700);
  if (mount("none", path, "tmpfs", 0, "size=60m") != 0) return 96;
  Say("work %d\n", Work(3));
  Say("unmounted %d\n", umount2(path, MNT_DETACH));
  WorkAWhile(15);
  return 0;
}

static int MovedOutput(void) {
  Say("work %d\n", Work(3));
  rename(getenv("DLTAP_OUTPUT"), Folder("dltap-moved"));
  errno = 0;
  WorkAWhile(15);
  SayState("moved");
  return 0;
}

static int ReadOnlyFolder(void) {
  mkdir(Folder("here"), 0555);
  chmod(Folder(""), 0777);
  if (setuid(65534) != 0 || chdir(Folder("here")) != 0) return 97;
  unsetenv("DLTAP_OUTPUT");
  WorkAWhile(15);
  SayState("nowhere to write");
  return 0;
}

static int OutputNamed(const char* name) {
  setenv("DLTAP_OUTPUT", name, 1);
  WorkAWhile(15);
  SayState("named");
  return 0;
}
static int LongOutput(void) {
  static char name[9000];
  memset(name, 'x', sizeof(name) - 1);
  name[0] = '/';
  return OutputNamed(name);
}
static int OddOutput(void) {
  return OutputNamed("dltap- \n\t%%\xff\"'$(x)`/o");
}
static int WrongOutput(void) { return OutputNamed("%z%n%s"); }

static int NoEnvironment(void) {
  clearenv();
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  if (chdir(Folder("")) != 0) return 97;
  WorkAWhile(15);
  SayState("empty");
  return 0;
}

static int MovesThenWorks(void) {
  setenv("DLTAP_OUTPUT", "dltap-relative/%p", 1);
  mkdir(Folder("one"), 0700);
  mkdir(Folder("two"), 0700);
  if (chdir(Folder("one")) != 0) return 97;
  Say("work %d\n", Work(3));
  if (chdir(Folder("two")) != 0) return 97;
  WorkAWhile(15);
  SayState("moved");
  return 0;
}

// ---- Kernel switches

static int Switched(int option, unsigned long value) {
  Say("switched %d\n", prctl(option, value, 0, 0, 0));
  WorkAWhile(15);
  SayState("switched");
  return 0;
}
static int NoWritableCode(void) { return Switched(65, 1); }  // MDWE
static int NoHugePages(void) { return Switched(PR_SET_THP_DISABLE, 1); }
static int SlowTimers(void) { return Switched(PR_SET_TIMERSLACK, 500000000); }
static int IdlePriority(void) {
  const struct sched_param none = {0};
  Say("idle %d\n", sched_setscheduler(0, SCHED_IDLE, &none));
  setpriority(PRIO_PROCESS, 0, 19);
  WorkAWhile(10);
  SayState("idle");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"no_core", NoCore},
      {"no_locked_memory", NoLockedMemory},
      {"no_signals", NoSignals},
      {"no_signals_later", NoSignalsLater},
      {"small_stack", SmallStack},
      {"huge_stack", HugeStack},
      {"no_data", NoData},
      {"no_queues", NoQueues},
      {"no_file_size", NoFileSize},
      {"no_file_size_later", NoFileSizeLater},
      {"locked_user", LockedUser},
      {"small_default_stacks", SmallDefaultStacks},
      {"no_capabilities", NoCapabilities},
      {"no_capabilities_before", NoCapabilitiesBefore},
      {"private_user", PrivateUser},
      {"no_new_rights", NoNewRights},
      {"landlocked", Landlocked},
      {"landlocked_later", LandlockedLater},
      {"executable_data", ExecutableData},
      {"own_user_later", OwnUserLater},
      {"other_processes", OtherProcesses},
      {"first_process", FirstProcess},
      {"other_time", OtherTime},
      {"no_mounts", NoMounts},
      {"full_shared_memory", FullSharedMemory},
      {"full_then_free", FullThenFree},
      {"output_read_only_later", OutputReadOnlyLater},
      {"output_unmounted", OutputUnmounted},
      {"moved_output", MovedOutput},
      {"read_only_folder", ReadOnlyFolder},
      {"long_output", LongOutput},
      {"odd_output", OddOutput},
      {"wrong_output", WrongOutput},
      {"no_environment", NoEnvironment},
      {"moves_then_works", MovesThenWorks},
      {"no_writable_code", NoWritableCode},
      {"no_huge_pages", NoHugePages},
      {"slow_timers", SlowTimers},
      {"idle_priority", IdlePriority},
  };
  return RUN_MODE(kModes, argc, argv);
}
