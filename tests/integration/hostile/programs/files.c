// SPDX-License-Identifier: Apache-2.0
// files MODE: descriptors closed and taken, limits, folders that vanish,
// system calls that are refused. The variable HOSTILE_FOLDER names a folder
// that the program may do anything with; DLTAP_OUTPUT is one in it.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static int CloseAllAfter(void) {
  Say("work %d\n", Work(3));
  close_range(3, ~0u, 0);
  Say("memory %d\n", Work(3));
  WorkAWhile(40);
  SayState("all closed");
  return 0;
}

static int CloseAllBefore(void) {
  close_range(3, ~0u, 0);
  WorkAWhile(40);
  SayState("all closed");
  return 0;
}

static int ClosedStandard(void) {
  close(0);
  close(2);
  WorkAWhile(40);
  const int first = open("/dev/null", O_RDONLY);
  const int second = open("/dev/null", O_RDONLY);
  Say("descriptors %d %d\n", first, second);
  SayState("without stdin and stderr");
  return 0;
}

// Nobody but the program writes into the file that is its descriptor 2.
static int OwnFileAsStderr(void) {
  close(2);
  const int fd = open(Folder("own"), O_CREAT | O_RDWR | O_TRUNC, 0600);
  WorkAWhile(40);
  FailingCall();
  struct stat status;
  fstat(fd, &status);
  Say("fd %d holds %ld bytes\n", fd, (long)status.st_size);
  return 0;
}

static int BrokenStderr(void) {
  int ends[2];
  if (pipe(ends) != 0) return 97;
  dup2(ends[1], 2);
  close(ends[0]);
  close(ends[1]);
  WorkAWhile(40);
  SayState("nobody reads stderr");
  return 0;
}

static int TakenDescriptors(void) {
  Say("work %d\n", Work(3));
  const int fd = open(Folder("own"), O_CREAT | O_RDWR | O_TRUNC, 0600);
  for (int i = 3; i < 1024; ++i) {
    if (i != fd) dup2(fd, i);
  }
  WorkAWhile(40);
  struct stat status;
  fstat(fd, &status);
  Say("own file holds %ld bytes\n", (long)status.st_size);
  int wrong = 0;
  for (int i = 3; i < 1024; ++i) {
    struct stat other;
    wrong += fstat(i, &other) != 0 || other.st_ino != status.st_ino;
  }
  Say("wrong descriptors %d\n", wrong);
  return 0;
}

static int FileSizeLimit(void) {
  SetLimit(RLIMIT_FSIZE, 100000);
  WorkAWhile(40);
  SayState("files of 100 kB at most");
  return 0;
}

static int FileSizeLimitLater(void) {
  Say("work %d\n", Work(3));
  return FileSizeLimit();
}

static int DescriptorLimit(void) {
  SetLimit(RLIMIT_NOFILE, 10);
  Say("work %d\n", Work(3));
  int count = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++count;
  Say("opened %d errno %d\n", count, errno);
  WorkAWhile(40);
  return 0;
}

static int NoDescriptorLeft(void) {
  SetLimit(RLIMIT_NOFILE, 32);
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
  WorkAWhile(40);
  SayState("no descriptor left");
  return 0;
}

static long VirtualBytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return pages * 4096;
}

static int MemoryLimit(void) {
  SetLimit(RLIMIT_AS, (rlim_t)VirtualBytes() + (1 << 20));
  Say("launch %d\n", Launch());
  for (int i = 0; i < 20000; ++i) Launch();
  return 0;
}

static int MemoryLimitLater(void) {
  Say("work %d\n", Work(3));
  SetLimit(RLIMIT_AS, (rlim_t)VirtualBytes() + (1 << 20));
  WorkAWhile(40);
  return 0;
}

static int ProcessLimit(void) {
  if (setuid(65534) != 0) return 97;
  SetLimit(RLIMIT_NPROC, 1);
  Say("launch %d\n", Launch());
  return 0;
}

static int SetUserBefore(void) {
  if (setuid(65534) != 0) return 97;
  WorkAWhile(40);
  SayState("another user");
  return 0;
}

static int SetUserAfter(void) {
  Say("work %d\n", Work(3));
  if (setuid(65534) != 0) return 97;
  WorkAWhile(40);
  SayState("another user");
  return 0;
}

static int UmaskAll(void) {
  umask(0777);
  WorkAWhile(40);
  SayState("umask");
  return 0;
}

static int RemovedFolder(void) {
  mkdir(Folder("here"), 0700);
  if (chdir(Folder("here")) != 0) return 97;
  rmdir(Folder("here"));
  WorkAWhile(40);
  SayState("nowhere");
  return 0;
}

static int ChangedRoot(void) {
  mkdir(Folder("jail"), 0700);
  if (chroot(Folder("jail")) != 0 || chdir("/") != 0) return 97;
  Say("work %d\n", Work(30));
  return 0;
}

static int ChangedRootLater(void) {
  Say("work %d\n", Work(3));
  mkdir(Folder("jail"), 0700);
  if (chroot(Folder("jail")) != 0 || chdir("/") != 0) return 97;
  WorkAWhile(40);
  return 0;
}

static int Remove(const char* path, const struct stat* status, int type,
                  struct FTW* place) {
  (void)status, (void)type, (void)place;
  remove(path);
  return 0;
}

static int RemovedOutput(void) {
  Say("work %d\n", Work(3));
  nftw(getenv("DLTAP_OUTPUT"), Remove, 16, FTW_DEPTH | FTW_PHYS);
  errno = 0;
  WorkAWhile(40);
  SayState("after the folder went");
  return 0;
}

static int TruncatedOutput(void) {
  Say("work %d\n", Work(3));
  char command[2000];
  snprintf(command, sizeof(command), "for f in %s/*; do : > $f; done 2>&-",
           getenv("DLTAP_OUTPUT"));
  if (system(command) < 0) return 97;
  WorkAWhile(40);
  SayState("after the files were emptied");
  return 0;
}

static void Forbid(const int* calls, int count, unsigned action) {
  struct sock_filter code[64];
  int n = 0;
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                           offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; ++i) {
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                             (unsigned)calls[i], 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  }
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {(unsigned short)n, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
              &program) != 0) {
    Say("no filter: %d\n", errno);
  }
}

static const int kFileCalls[] = {
    SYS_mkdir,   SYS_mkdirat,          SYS_fallocate, SYS_memfd_create,
    SYS_statfs,  SYS_fstatfs,          SYS_ftruncate, SYS_renameat,
    SYS_fcntl,   SYS_unlinkat,         SYS_pwrite64,  SYS_pwritev,
    SYS_madvise, SYS_sched_getaffinity};
enum { kFileCallCount = sizeof(kFileCalls) / sizeof(kFileCalls[0]) };

static int RefusedCalls(void) {
  Say("memory %d\n", cudaFree(NULL));
  Forbid(kFileCalls, kFileCallCount, SECCOMP_RET_ERRNO | EPERM);
  for (int i = 0; i < 1000; ++i) Launch();
  Say("launch %d errno %d\n", Launch(), errno);
  return 0;
}

static int RefusedCallsLater(void) {
  Say("work %d\n", Work(3));
  Forbid(kFileCalls, kFileCallCount, SECCOMP_RET_ERRNO | EPERM);
  for (int i = 0; i < 100000; ++i) Launch();
  usleep(300000);
  Say("launch %d\n", Launch());
  return 0;
}

static void AnswerCall(int number, siginfo_t* call, void* context) {
  (void)number, (void)call;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

// A sandbox whose handler answers the system calls of all threads. (Not
// madvise: the C library calls it with all signals blocked when a thread ends.)
static void TrapCalls(const int* calls, int count) {
  struct sigaction action = {.sa_sigaction = AnswerCall,
                             .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  Say("work %d\n", Work(3));
  Forbid(calls, count, SECCOMP_RET_TRAP);
}
static int TrappedCallsLater(void) {
  static const int kCalls[] = {SYS_openat,   SYS_fallocate, SYS_ftruncate,
                               SYS_unlinkat, SYS_pwrite64,  SYS_pwritev};
  TrapCalls(kCalls, sizeof(kCalls) / sizeof(kCalls[0]));
  for (int i = 0; i < 100000; ++i) Launch();
  usleep(300000);
  Say("launch %d\n", Launch());
  return 0;
}

// Whichever thread is the last runs the exit handlers, and what comes then:
// files are removed.
static void SayExit(void) { Say("exit handler\n"); }
static int TrappedCallsOfTheLastThread(void) {
  static const int kCalls[] = {SYS_unlink, SYS_unlinkat, SYS_ftruncate};
  atexit(SayExit);
  TrapCalls(kCalls, sizeof(kCalls) / sizeof(kCalls[0]));
  pthread_exit(NULL);
}

// There is no /proc in it, which tells of threads.
static int ChangedRootOfTheLastThread(void) {
  atexit(SayExit);
  Say("work %d\n", Work(3));
  mkdir(Folder("jail"), 0700);
  if (chroot(Folder("jail")) != 0 || chdir("/") != 0) return 97;
  pthread_exit(NULL);
}

// This thread may only read, write and end; its calls are on the recorded path.
static void* Strict(void* argument) {
  int* launched = argument;
  int device = 0;
  Launch();
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  for (int i = 0; i < 100; ++i) {
    cudaGetDevice(&device);
    cudaPeekAtLastError();
  }
  *launched = 100;
  syscall(SYS_exit, 0);
  return NULL;
}

static int StrictThread(void) {
  Say("work %d\n", Work(3));
  int launched = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, Strict, &launched);
  pthread_join(thread, NULL);
  Say("calls in strict mode %d, work %d\n", launched, Work(3));
  return 0;
}

// What a program without any of our variables inherits.
static int CleanExec(void) {
  Say("work %d\n", Work(3));
  const pid_t child = fork();
  if (child == 0) {
    char* arguments[] = {"sh", "-c", "echo /proc/self/fd/*", NULL};
    char* environment[] = {NULL};
    execve("/bin/sh", arguments, environment);
    _exit(97);
  }
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
  return 0;
}

static int LowestDescriptor(void) {
  const int before = open("/dev/null", O_RDONLY);
  Say("work %d\n", Work(3));
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  close(before);
  Say("next %d\n", open("/dev/null", O_RDONLY));
  WorkAWhile(40);
  SayState("descriptors");
  return 0;
}

static int NoDescriptorAllowedLater(void) {
  Say("work %d\n", Work(3));
  SetLimit(RLIMIT_NOFILE, 0);
  WorkAWhile(40);
  SayState("no descriptor allowed");
  return 0;
}

static int NoProcLater(void) {
  Say("work %d\n", Work(3));
  if (unshare(CLONE_NEWNS) != 0) return 97;
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  if (umount2("/proc", MNT_DETACH) != 0) return 97;
  WorkAWhile(40);
  return 0;
}

// The exit reads the map; all of it looks like code.
static int ManyMappings(void) {
  Say("work %d\n", Work(3));
  int mapped = 0;
  for (int i = 0; i < 50000; ++i) {
    const int access = PROT_READ | (i % 2 == 0 ? PROT_EXEC : 0);
    mapped += mmap(NULL, 4096, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
              MAP_FAILED;
  }
  WorkAWhile(40);
  Say("mapped %d\n", mapped);
  return 0;
}

static int LockedMemory(void) {
  Say("locked %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
  WorkAWhile(40);
  return 0;
}

static int Plain(void) {
  SayState("before");
  WorkAWhile(40);
  FailingCall();
  SayState("after");
  return 0;
}

// ---- Descriptors

static void* CloseInOwnTable(void* ignored) {
  (void)ignored;
  const long closed = syscall(SYS_close_range, 3, ~0u, 2u);  // UNSHARE
  Say("closed %ld\n", closed);
  return LaunchOften(NULL);
}
static int ThreadClosesItsOwn(void) {
  Say("work %d\n", Work(3));
  const int error = RunThread(CloseInOwnTable);
  WorkAWhile(5);
  SayState("closed by a thread");
  return error;
}
static int ClosedAtExec(void) {
  Say("work %d\n", Work(3));
  syscall(SYS_close_range, 3, ~0u, 4u);  // CLOEXEC
  WorkAWhile(5);
  SayState("marked");
  return 0;
}
static void* UnshareAll(void* ignored) {
  (void)ignored;
  Say("unshared %d\n", unshare(CLONE_FILES | CLONE_FS | CLONE_SYSVSEM));
  if (chdir("/") != 0) return NULL;
  umask(0777);
  return LaunchOften(NULL);
}
static int ThreadUnshares(void) {
  const int error = RunThread(UnshareAll);
  WorkAWhile(5);
  SayState("unshared by a thread");
  return error;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"plain", Plain},
      {"close_all_after", CloseAllAfter},
      {"close_all_before", CloseAllBefore},
      {"closed_standard", ClosedStandard},
      {"own_file_as_stderr", OwnFileAsStderr},
      {"broken_stderr", BrokenStderr},
      {"taken_descriptors", TakenDescriptors},
      {"file_size_limit", FileSizeLimit},
      {"file_size_limit_later", FileSizeLimitLater},
      {"descriptor_limit", DescriptorLimit},
      {"no_descriptor_left", NoDescriptorLeft},
      {"memory_limit", MemoryLimit},
      {"memory_limit_later", MemoryLimitLater},
      {"process_limit", ProcessLimit},
      {"set_user_before", SetUserBefore},
      {"set_user_after", SetUserAfter},
      {"umask", UmaskAll},
      {"removed_folder", RemovedFolder},
      {"changed_root", ChangedRoot},
      {"changed_root_later", ChangedRootLater},
      {"removed_output", RemovedOutput},
      {"truncated_output", TruncatedOutput},
      {"refused_calls", RefusedCalls},
      {"refused_calls_later", RefusedCallsLater},
      {"trapped_calls_later", TrappedCallsLater},
      {"trapped_calls_of_the_last_thread", TrappedCallsOfTheLastThread},
      {"strict_thread", StrictThread},
      {"clean_exec", CleanExec},
      {"lowest_descriptor", LowestDescriptor},
      {"no_descriptor_allowed_later", NoDescriptorAllowedLater},
      {"no_proc_later", NoProcLater},
      {"changed_root_of_the_last_thread", ChangedRootOfTheLastThread},
      {"many_mappings", ManyMappings},
      {"locked_memory", LockedMemory},
      {"thread_closes_its_own", ThreadClosesItsOwn},
      {"closed_at_exec", ClosedAtExec},
      {"thread_unshares", ThreadUnshares},
  };
  return RUN_MODE(kModes, argc, argv);
}
