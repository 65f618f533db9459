// SPDX-License-Identifier: Apache-2.0
// systems MODE: corners of the kernel that few programs use: rings of requests,
// keys and policies of memory, terminals, odd ways to be executed.
#define _GNU_SOURCE
#include <aio.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static int WorkAndSay(const char* moment) {
  WorkAWhile(15);
  SayState(moment);
  return 0;
}

// Once more, by another way into main(): HOSTILE_AGAIN is set then.
static int IsAgain(void) { return getenv("HOSTILE_AGAIN") != NULL; }
static int Again(char** arguments) {
  setenv("HOSTILE_AGAIN", "1", 1);
  execv("/proc/self/exe", arguments);
  return 97;
}

// ---- Rings of requests

// Requests go through shared memory; the kernel may start threads for them
// that count as this process's.
static int RequestRing(unsigned flags) {
  struct io_uring_params params;
  memset(&params, 0, sizeof(params));
  params.flags = flags;
  params.sq_thread_idle = 50;
  const int ring = (int)syscall(SYS_io_uring_setup, 8, &params);
  Say("ring %d\n", ring >= 0);
  if (ring < 0) return WorkAndSay("without a ring");
  const size_t bytes = params.sq_off.array + params.sq_entries * 4;
  char* queue = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe* entries =
      mmap(NULL, params.sq_entries * sizeof(*entries), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  unsigned* tail = (unsigned*)(queue + params.sq_off.tail);
  unsigned* array = (unsigned*)(queue + params.sq_off.array);
  int done = 0;
  for (unsigned i = 0; i < 8; ++i) {
    Work(50);
    memset(&entries[i], 0, sizeof(*entries));
    entries[i].opcode = IORING_OP_NOP;
    array[i] = i;
    __atomic_store_n(tail, i + 1, __ATOMIC_RELEASE);
    const unsigned enter = IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP;
    done += syscall(SYS_io_uring_enter, ring, 1, 1, enter, NULL, 0) >= 0;
  }
  Say("requests %d\n", done);
  WorkAWhile(15);
  close(ring);
  return 0;
}
static int RingOfRequests(void) { return RequestRing(0); }
static int PolledRing(void) { return RequestRing(IORING_SETUP_SQPOLL); }
static int PolledRingAtTheEnd(void) {
  RequestRing(IORING_SETUP_SQPOLL);
  pthread_exit(NULL);
}

// A user who may lock 64 KiB has most of it for requests, which the kernel adds
// to what others lock for that user.
static int LittleLockedMemory(void) {
  enum { kBytes = 56 << 10, kNobody = 65534 };
  SetLimit(RLIMIT_MEMLOCK, 64 << 10);
  Say("work %d\n", Work(3));
  if (setgid(kNobody) != 0 || setuid(kNobody) != 0) Say("no user\n");
  WorkAWhile(30);
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof(parameters));
  const int ring = (int)syscall(SYS_io_uring_setup, 8, &parameters);
  void* memory = mmap(NULL, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const struct iovec buffer = {memory, kBytes};
  errno = 0;
  const long result =
      syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1);
  Say("ring %d, buffers %ld %s\n", ring >= 0, result, strerror(errno));
  return 0;
}

static volatile int g_written;
static void AfterWrite(union sigval value) {
  (void)value;
  Launch();
  g_written = 1;
}
static int AsynchronousFiles(void) {
  Say("work %d\n", Work(3));
  struct aiocb request;
  memset(&request, 0, sizeof(request));
  request.aio_fildes = open(Folder("file"), O_CREAT | O_RDWR, 0600);
  request.aio_buf = (void*)"text";
  request.aio_nbytes = 4;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = AfterWrite;
  aio_write(&request);
  while (!g_written) Launch();
  Say("wrote %zd\n", aio_return(&request));
  close(request.aio_fildes);
  WorkAWhile(15);
  return 0;
}

static int EventLoop(void) {
  const int loop = epoll_create1(0);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  const int event = eventfd(0, EFD_NONBLOCK);
  const struct itimerspec often = {{0, 2000000}, {0, 2000000}};
  timerfd_settime(timer, 0, &often, NULL);
  const int fds[] = {timer, event};
  for (int i = 0; i < 2; ++i) {
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET,
                                 .data = {.fd = fds[i]}};
    epoll_ctl(loop, EPOLL_CTL_ADD, fds[i], &wanted);
  }
  int seen[2] = {0}, errors = 0;
  while (seen[0] < 100 || seen[1] < 100) {
    struct epoll_event ready;
    if (epoll_wait(loop, &ready, 1, -1) != 1) continue;
    unsigned long count = 0;
    if (read(ready.data.fd, &count, 8) != 8) continue;
    ++seen[ready.data.fd == event];
    errors += Launch() != 0;
    count = 1;
    if (write(event, &count, 8) != 8) ++errors;
  }
  Say("errors %d\n", errors);
  SayState("looped");
  return 0;
}

// ---- System calls that older kernels and sandboxes lack

static int Refuse(const int* calls, int count, int error) {
  struct sock_filter code[24];
  int n = 0;
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
  for (int i = 0; i < count; ++i) {
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                             (unsigned)calls[i], 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(
        BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
  }
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {(unsigned short)n, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int OldKernel(void) {
  static const int kNew[] = {
      SYS_clone3,           SYS_openat2,    SYS_close_range, SYS_statx,
      SYS_process_vm_readv, SYS_membarrier, SYS_dup3,        SYS_pipe2};
  Say("refused %d\n", Refuse(kNew, 8, ENOSYS));
  return WorkAndSay("on an old kernel");
}

// What a strict sandbox has no rule for: reading the clock's neighbours, the
// scheduler, names of threads.
static int NoScheduler(void) {
  static const int kCalls[] = {SYS_sched_getscheduler,
                               SYS_sched_setscheduler,
                               SYS_sched_getaffinity,
                               SYS_getpriority,
                               SYS_clock_getres,
                               SYS_sysinfo,
                               SYS_uname,
                               SYS_getrusage};
  Say("refused %d\n", Refuse(kCalls, 8, EPERM));
  WorkAWhile(15);
  return 0;
}

// A sandbox that ends whoever asks for performance events.
static long KillForEvents(unsigned flags) {
  static struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int KilledForEvents(void) {
  Say("filter %ld\n", KillForEvents(0));
  return WorkAndSay("in a sandbox");
}

static void* WorkOnThread(void* ignored) {
  (void)ignored;
  WorkAWhile(30);
  return NULL;
}

// On all threads, when some are known already and another one comes.
static int KilledForEventsLater(void) {
  WorkAWhile(30);
  Say("filter %ld\n", KillForEvents(SECCOMP_FILTER_FLAG_TSYNC));
  RunThread(WorkOnThread);
  return WorkAndSay("in a sandbox");
}

// ---- Memory

static sigjmp_buf g_not_readable;
static void JumpOut(int number) { siglongjmp(g_not_readable, number); }

// As a conservative garbage collector or a writer of core files: every page
// that the kernel calls readable is read.
static int ReadsAllMemory(void) {
  signal(SIGSEGV, JumpOut);
  signal(SIGBUS, JumpOut);
  Say("work %d\n", Work(300));
  WorkAWhile(10);
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[1000];
  static volatile long sum;
  static volatile int faults;
  while (fgets(line, sizeof(line), maps) != NULL) {
    unsigned long begin = 0, end = 0;
    char rights[8] = "";
    sscanf(line, "%lx-%lx %7s", &begin, &end, rights);
    if (rights[0] != 'r' || strstr(line, "[v") != NULL) continue;
    if (end - begin > (1ul << 28)) end = begin + (1ul << 28);
    for (unsigned long at = begin; at < end; at += 4096) {
      if (sigsetjmp(g_not_readable, 1) != 0) {
        faults = faults + 1;
        break;
      }
      sum += *(volatile char*)at;
    }
  }
  fclose(maps);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  Say("faults %d\n", faults);
  return WorkAndSay("all was read");
}

// As one that wants its memory back at once: all of it goes to swap and comes
// again, is merged, is cold.
static int AdvisesAllMemory(void) {
  static const int kAdvice[] = {20 /* COLD */,  21 /* PAGEOUT */,
                                MADV_MERGEABLE, MADV_NOHUGEPAGE,
                                MADV_DONTDUMP,  MADV_RANDOM};
  for (int i = 0; i < 6; ++i) {
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[1000];
    while (fgets(line, sizeof(line), maps) != NULL) {
      unsigned long begin = 0, end = 0;
      sscanf(line, "%lx-%lx", &begin, &end);
      madvise((void*)begin, end - begin, kAdvice[i]);
    }
    fclose(maps);
    Say("work %d\n", Work(200));
  }
  return WorkAndSay("advised");
}

// Threads that the first one makes may not touch what this key protects.
static int ProtectedKeys(void) {
  char* secret = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  if (key >= 0) pkey_mprotect(secret, 4096, PROT_READ | PROT_WRITE, key);
  return WorkAndSay("protected");
}

static int MemoryPolicy(void) {
  unsigned long node = 1;
  const long set = syscall(SYS_set_mempolicy, 2, &node, 8 * sizeof(node));
  Say("bound %ld\n", set);
  return WorkAndSay("bound");
}

static int RealTimeDisk(void) {
  const long set = syscall(SYS_ioprio_set, 1, 0, 1 << 13);
  Say("priority %ld\n", set);
  return WorkAndSay("first at the disk");
}

// ---- Real time with a limit: who computes too long is killed.

static int RealTimeLimit(void) {
  const struct rlimit limit = {300000, 400000};
  Say("limit %d\n", setrlimit(RLIMIT_RTTIME, &limit));
  const struct sched_param priority = {.sched_priority = 1};
  Say("real time %d\n", sched_setscheduler(0, SCHED_FIFO, &priority));
  for (int i = 0; i < 60; ++i) {
    Work(200);
    usleep(1000);
  }
  SayState("in time");
  return 0;
}

// ---- Roots and namespaces that change in the middle

static int PivotsRoot(void) {
  Say("work %d\n", Work(3));
  if (unshare(CLONE_NEWNS) != 0) return 97;
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  const char* root = strdup(Folder("root"));
  mkdir(root, 0755);
  mount(root, root, NULL, MS_BIND, NULL);
  if (chdir(root) != 0) return 96;
  Say("pivot %ld\n", syscall(SYS_pivot_root, ".", "."));
  Say("old root %d\n", umount2(".", MNT_DETACH));
  if (chdir("/") != 0) return 95;
  WorkAWhile(15);
  Say("work %d\n", Work(3));
  return 0;
}

static int UnsharesAll(void) {
  static const int kSpaces[] = {CLONE_NEWUTS, CLONE_NEWIPC,    CLONE_NEWNET,
                                CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_SYSVSEM,
                                CLONE_FS};
  Say("work %d\n", Work(3));
  for (int i = 0; i < 7; ++i) {
    Say("unshared %d, work %d\n", unshare(kSpaces[i]), Work(50));
  }
  Say("processes %d\n", unshare(CLONE_NEWPID));
  const pid_t child = fork();
  if (child == 0) {
    Say("first process %d work %d\n", getpid(), Work(3));
    exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
  WorkAWhile(15);
  return 0;
}

// ---- Odd ways to be executed

static int WithoutArguments(void) {
  if (!IsAgain()) {
    setenv("HOSTILE_MODE", "without_arguments", 1);
    char* none[] = {NULL};
    return Again(none);
  }
  return WorkAndSay("without arguments");
}

static int HugeArguments(void) {
  enum { kCount = 12, kBytes = 120000 };
  if (IsAgain()) return WorkAndSay("many words");
  static char words[kCount][kBytes];
  char* arguments[kCount + 3] = {"systems", "huge_arguments"};
  for (int i = 0; i < kCount; ++i) {
    memset(words[i], '\x80' + i, kBytes - 1);
    arguments[i + 2] = words[i];
  }
  return Again(arguments);
}

static int ManyArguments(void) {
  enum { kCount = 60000 };
  if (IsAgain()) return WorkAndSay("many words");
  static char* arguments[kCount + 3] = {"systems", "many_arguments"};
  for (int i = 0; i < kCount; ++i) arguments[i + 2] = "";
  return Again(arguments);
}

static int OldPersonality(void) {
  if (IsAgain()) return WorkAndSay("as long ago");
  const unsigned long old = ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC |
                            ADDR_COMPAT_LAYOUT | STICKY_TIMEOUTS;
  Say("personality %d\n", personality(old) >= 0);
  char* arguments[] = {"systems", "old_personality", NULL};
  return Again(arguments);
}

// ---- Where a line goes. No thread can be started, so that whoever wanted one
// may have something to say at the end.

static int WithoutThreads(void) {
  static const int kCalls[] = {SYS_clone3, SYS_clone};
  if (Refuse(kCalls, 2, EAGAIN) != 0) return 97;
  char* arguments[] = {"systems", "without_threads", NULL};
  return Again(arguments);
}
static int LaunchWithoutThreads(void) {
  if (!IsAgain()) return WithoutThreads();
  int* memory = NULL;
  for (int i = 0; i < 20; ++i) {
    cudaMalloc((void**)&memory, 256);
    cudaFree(memory);
  }
  if (getenv("HOSTILE_FULL") != NULL) SetLimit(RLIMIT_FSIZE, 4096);
  return 3;
}

// A job in the background may not write to its terminal: it would be stopped.
static int BackgroundOfTerminal(void) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(terminal);
  unlockpt(terminal);
  const pid_t session = fork();
  if (session == 0) {
    setsid();
    const int end = open(ptsname(terminal), O_RDWR);
    struct termios settings;
    tcgetattr(end, &settings);
    settings.c_lflag |= TOSTOP;
    tcsetattr(end, TCSANOW, &settings);
    const pid_t job = fork();
    if (job == 0) {
      setpgid(0, 0);
      dup2(end, 2);
      _exit(WithoutThreads());
    }
    int status = 0;
    waitpid(job, &status, WUNTRACED);
    Say("stopped %d, exit %d\n", WIFSTOPPED(status),
        WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    kill(job, SIGKILL);
    _exit(0);
  }
  waitpid(session, NULL, 0);
  return 0;
}

static int FullLog(void) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(Folder("log"), O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (ftruncate(fd, 4096) != 0) _exit(96);
    dup2(fd, 2);
    setenv("HOSTILE_FULL", "1", 1);
    _exit(WithoutThreads());
  }
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"ring_of_requests", RingOfRequests},
      {"polled_ring", PolledRing},
      {"polled_ring_at_the_end", PolledRingAtTheEnd},
      {"little_locked_memory", LittleLockedMemory},
      {"asynchronous_files", AsynchronousFiles},
      {"event_loop", EventLoop},
      {"old_kernel", OldKernel},
      {"no_scheduler", NoScheduler},
      {"killed_for_events", KilledForEvents},
      {"killed_for_events_later", KilledForEventsLater},
      {"reads_all_memory", ReadsAllMemory},
      {"advises_all_memory", AdvisesAllMemory},
      {"protected_keys", ProtectedKeys},
      {"memory_policy", MemoryPolicy},
      {"real_time_disk", RealTimeDisk},
      {"real_time_limit", RealTimeLimit},
      {"pivots_root", PivotsRoot},
      {"unshares_all", UnsharesAll},
      {"without_arguments", WithoutArguments},
      {"huge_arguments", HugeArguments},
      {"many_arguments", ManyArguments},
      {"old_personality", OldPersonality},
      {"without_threads", LaunchWithoutThreads},
      {"background_of_terminal", BackgroundOfTerminal},
      {"full_log", FullLog},
  };
  char* named[] = {"systems", getenv("HOSTILE_MODE"), NULL};
  if (named[1] != NULL) return RUN_MODE(kModes, 2, named);
  return RUN_MODE(kModes, argc, argv);
}
