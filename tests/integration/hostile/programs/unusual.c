// SPDX-License-Identifier: Apache-2.0
// unusual MODE: what single programs do and most do not: endings inside
// callbacks and exit handlers, own stacks and system-call dispatch, titles and
// names over their own, programs without a file, children of all kinds.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "tests/integration/hostile/programs/host_state.h"

extern char** environ;
static char** g_arguments;

static int RunThread(void* (*run)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return 97;
  return pthread_join(thread, NULL);
}
static void* LaunchOften(void* ignored) {
  (void)ignored;
  int failed = 0;
  for (int i = 0; i < 2000; ++i) failed += Launch() != 0;
  Say("launches that failed %d\n", failed);
  return NULL;
}

// ---- Endings

static void ExitAtOnce(void) {
  Say("work %d\n", Work(3));
  _exit(41);
}
static int ExitInExitHandler(void) {
  atexit(ExitAtOnce);
  WorkAWhile(5);
  return 1;
}
static void LaunchAtEnd(void) { Say("at the end %d\n", Launch()); }
static int QuickExitHandlers(void) {
  at_quick_exit(LaunchAtEnd);
  Say("work %d\n", Work(3));
  quick_exit(42);
}
static void AbortAtEnd(void) { abort(); }
static int AbortInExitHandler(void) {
  atexit(AbortAtEnd);
  Say("work %d\n", Work(3));
  return 1;
}
static void EndAtOnce(int status, void* ignored) {
  (void)ignored;
  Say("status %d\n", status);
  Launch();
  kill(getpid(), SIGTERM);
}
static int KilledInExitHandler(void) {
  on_exit(EndAtOnce, NULL);
  Say("work %d\n", Work(3));
  return 7;
}
static void Register(void) { atexit(LaunchAtEnd); }
static int HandlersRegisterHandlers(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 40; ++i) atexit(Register);
  return 3;
}

// ---- Endings inside the vendor's callbacks

static int WithCallback(cudaHostFn_t callback) {
  Say("work %d\n", Work(3));
  Say("call %d\n", cudaLaunchHostFunc(NULL, callback, NULL));
  Say("wait %d\n", cudaDeviceSynchronize());
  return 0;
}
static void CallbackExits(void* ignored) {
  (void)ignored;
  _exit(43);
}
static void CallbackAborts(void* ignored) {
  (void)ignored;
  abort();
}
static void CallbackForks(void* ignored) {
  (void)ignored;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(9);
  waitpid(child, &status, 0);
  SayEnd("child of a callback", status);
}
static void CallbackRaises(void* ignored) {
  (void)ignored;
  raise(SIGTERM);
}
static int ExitInCallback(void) { return WithCallback(CallbackExits); }
static int AbortInCallback(void) { return WithCallback(CallbackAborts); }
static int ForkInCallback(void) { return WithCallback(CallbackForks); }
static int SignalInCallback(void) { return WithCallback(CallbackRaises); }

// ---- Signals

static volatile sig_atomic_t g_forks = 0;
static void ForkInHandler(int number) {
  (void)number;
  const int saved_errno = errno;
  const pid_t child = _Fork();
  if (child == 0) _exit(0);
  if (child > 0) ++g_forks;
  errno = saved_errno;
}
static int ForksInHandlers(void) {
  struct sigaction action = {.sa_handler = ForkInHandler,
                             .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  Say("work %d\n", Work(3));
  const struct itimerval every = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &every, NULL);
  int failed = 0;
  while (g_forks < 30) failed += Launch() != 0;
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  int lost = 0;
  for (int left = g_forks; left > 0; --left) {
    int status = -1;
    if (wait(&status) < 0 || status != 0) ++lost;
  }
  Say("failed %d, lost %d\n", failed, lost);
  SayState("forked in handlers");
  return 0;
}

static volatile sig_atomic_t g_ticks = 0;
static void Tick(int number) {
  (void)number;
  ++g_ticks;
}
static void* TimedThread(void* ignored) {
  (void)ignored;
  static char stack[64 << 10];
  const stack_t own = {.ss_sp = stack,
                       .ss_size = sizeof(stack),
                       .ss_flags = (int)(1u << 31)};  // SS_AUTODISARM
  sigaltstack(&own, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = SIGRTMIN + 3};
  event._sigev_un._tid = gettid();
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return NULL;
  const struct itimerspec every = {{0, 200000}, {0, 200000}};
  timer_settime(timer, 0, &every, NULL);
  int failed = 0;
  while (g_ticks < 500) failed += Launch() != 0;
  timer_delete(timer);
  Say("failed %d\n", failed);
  return NULL;
}
static int TimersOfThreads(void) {
  struct sigaction action = {.sa_handler = Tick,
                             .sa_flags = SA_RESTART | SA_ONSTACK};
  sigaction(SIGRTMIN + 3, &action, NULL);
  const int error = RunThread(TimedThread);
  SayState("ticked");
  return error;
}

static void* WaitForSignals(void* set) {
  int number = 0, count = 0;
  while (sigwait(set, &number) == 0 && number != SIGTERM) ++count;
  Say("signals %d, last %d\n", count > 0, number);
  return NULL;
}
static int ThreadTakesSignals(void) {
  static sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, WaitForSignals, &all) != 0) return 97;
  for (int i = 0; i < 200; ++i) {
    Launch();
    kill(getpid(), SIGUSR1 + 2 * (i % 2));
  }
  WorkAWhile(5);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);
  SayState("signals taken");
  return 0;
}

// A program that emulates system calls: each one of the thread that launches
// comes to a handler, which makes it.
static volatile char g_selector = 0;
static void MakeCall(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  g_selector = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW
  greg_t* r = ((ucontext_t*)context)->uc_mcontext.gregs;
  const int saved_errno = errno;
  const long result = syscall(r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX],
                              r[REG_R10], r[REG_R8], r[REG_R9]);
  r[REG_RAX] = result < 0 ? -errno : result;
  errno = saved_errno;
}
static int DispatchedCalls(void) {
  struct sigaction action = {.sa_sigaction = MakeCall, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  if (prctl(59, 1, 0, 0, &g_selector) != 0) return 0;  // an old kernel
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    g_selector = 1;
    failed += Launch() != 0;
    g_selector = 0;
  }
  prctl(59, 0, 0, 0, 0);
  Say("failed %d\n", failed);
  WorkAWhile(5);
  return 0;
}

// ---- Arithmetic

static int RoundsUpAndTraps(void) {
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
  Say("work %d\n", Work(20));
  const int raised = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
  Say("round %d, raised %d, csr %x\n", fegetround(), fetestexcept(raised),
      _mm_getcsr() & ~0x3Fu);
  WorkAWhile(10);
  SayState("rounds up");
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
      {"exit_in_exit_handler", ExitInExitHandler},
      {"quick_exit_handlers", QuickExitHandlers},
      {"abort_in_exit_handler", AbortInExitHandler},
      {"killed_in_exit_handler", KilledInExitHandler},
      {"handlers_register_handlers", HandlersRegisterHandlers},
      {"exit_in_callback", ExitInCallback},
      {"abort_in_callback", AbortInCallback},
      {"fork_in_callback", ForkInCallback},
      {"signal_in_callback", SignalInCallback},
      {"forks_in_handlers", ForksInHandlers},
      {"timers_of_threads", TimersOfThreads},
      {"thread_takes_signals", ThreadTakesSignals},
      {"dispatched_calls", DispatchedCalls},
      {"rounds_up_and_traps", RoundsUpAndTraps},
      {"thread_closes_its_own", ThreadClosesItsOwn},
      {"closed_at_exec", ClosedAtExec},
      {"thread_unshares", ThreadUnshares},
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
      {"no_writable_code", NoWritableCode},
      {"no_huge_pages", NoHugePages},
      {"slow_timers", SlowTimers},
      {"idle_priority", IdlePriority},
  };
  g_arguments = argv;
  return RUN_MODE(kModes, argc, argv);
}
