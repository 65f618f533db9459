// SPDX-License-Identifier: Apache-2.0
// barriers MODE: programs that notice writes as collectors of garbage and
// incremental checkpoints do: all writable memory but stacks is protected every
// few milliseconds, and a handler of SIGSEGV lets the first write to a page in.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

enum { kPage = 4096 };

static volatile int g_faults, g_stop;

// Writes nothing but its stack: what it needs may be protected, too.
static void LetIn(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  const uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(kPage - 1);
  if (info->si_code != SEGV_ACCERR ||
      syscall(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE) != 0) {
    _exit(77);
  }
  if (page != ((uintptr_t)&g_faults & ~(uintptr_t)(kPage - 1))) ++g_faults;
}

static void HandleFaults(void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | flags;
  sigaction(SIGSEGV, &action, NULL);
}

// ---- What is writable, from /proc/self/maps, on the stack alone

struct Maps {
  int fd, length, at;
  char text[8192];
};

static int NextByte(struct Maps* maps) {
  if (maps->at == maps->length) {
    maps->at = 0;
    maps->length = (int)read(maps->fd, maps->text, sizeof(maps->text));
    if (maps->length <= 0) return -1;
  }
  return maps->text[maps->at++];
}

static uintptr_t NextNumber(struct Maps* maps) {
  uintptr_t value = 0;
  for (;;) {
    const int c = NextByte(maps);
    if (c >= '0' && c <= '9') {
      value = value << 4 | (uintptr_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | (uintptr_t)(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

// A thread's stack lies above a page of no rights; the first thread's
// descriptor, into which the kernel writes, somewhere else.
static void ProtectAll(void) {
  struct Maps maps = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
  const uintptr_t own = (uintptr_t)__builtin_thread_pointer();
  const uintptr_t stack = (uintptr_t)&maps;
  int is_above_guard = 0;
  for (;;) {
    const uintptr_t begin = NextNumber(&maps);
    const uintptr_t end = NextNumber(&maps);
    if (begin == end) break;
    const int reads = NextByte(&maps) == 'r';
    const int writes = NextByte(&maps) == 'w';
    int c = NextByte(&maps);
    const int runs = c == 'x';
    while (c != '\n' && c != -1) c = NextByte(&maps);
    const int is_needed = is_above_guard || (own >= begin && own < end) ||
                          (stack >= begin && stack < end);
    if (reads && writes && !runs && !is_needed) {
      syscall(SYS_mprotect, begin, end - begin, PROT_READ);
    }
    is_above_guard = !reads && !writes;
  }
  close(maps.fd);
}

static void SweepAWhile(void) {
  int errors = 0;
  for (int i = 0; i < 40; ++i) {
    ProtectAll();
    errors += Work(20) != 0;
    usleep(10000);
  }
  Say("errors %d, let in %d\n", errors, g_faults > 0);
}

// ---- Modes

static int AfterWork(void) {
  Say("work %d\n", Work(3));
  HandleFaults(LetIn, 0);
  SweepAWhile();
  SayState("after sweeps");
  return 0;
}

static int BeforeWork(void) {
  HandleFaults(LetIn, 0);
  ProtectAll();
  Say("work %d\n", Work(3));
  SweepAWhile();
  return 0;
}

static int AtTheEnd(void) {
  HandleFaults(LetIn, 0);
  WorkAWhile(5);
  ProtectAll();
  return 3;
}

// It asks for a stack that most threads have not.
static int OnNoAlternateStack(void) {
  HandleFaults(LetIn, SA_ONSTACK);
  Say("work %d\n", Work(3));
  SweepAWhile();
  return 0;
}

static __thread volatile int t_handled;
static pthread_key_t g_key;
static void LetInDeeply(int number, siginfo_t* info, void* context) {
  volatile char room[200 << 10];
  for (size_t i = 0; i < sizeof(room); i += kPage) room[i] = (char)i;
  LetIn(number, info, context);
  ++t_handled;
  if (pthread_getspecific(g_key) != NULL) _exit(78);
}
static int InADeepHandler(void) {
  pthread_key_create(&g_key, NULL);
  HandleFaults(LetInDeeply, 0);
  Say("work %d\n", Work(3));
  SweepAWhile();
  Say("here, too %d\n", t_handled > 0);
  return 0;
}

// The first work is done by a thread that takes no signals.
static int BlockedAtFirst(void) {
  sigset_t all, before;
  HandleFaults(LetIn, 0);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Say("work %d\n", Work(3));
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  SweepAWhile();
  SayState("after sweeps");
  return 0;
}

// They are blocked for all that it begins with, and nobody handles them yet.
static int HandledLater(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Say("work %d\n", Work(3));
  usleep(50000);
  HandleFaults(LetIn, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  SweepAWhile();
  SayState("after sweeps");
  return 0;
}

// A thread of the program's waits for what all of them block.
static void* WaitForFault(void* set) {
  int number = 0;
  sigwait(set, &number);
  Say("waited for %d\n", number);
  return NULL;
}
static int WaitedFor(void) {
  static sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  WorkAWhile(3);
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    kill(getpid(), faults[i]);
    usleep(1000);
    if (pthread_create(&thread, NULL, WaitForFault, &all) != 0) return 97;
    pthread_join(thread, NULL);
  }
  SayState("waited");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"after_work", AfterWork},
      {"before_work", BeforeWork},
      {"at_the_end", AtTheEnd},
      {"no_alternate_stack", OnNoAlternateStack},
      {"deep_handler", InADeepHandler},
      {"blocked_at_first", BlockedAtFirst},
      {"handled_later", HandledLater},
      {"waited_for", WaitedFor},
  };
  return RUN_MODE(kModes, argc, argv);
}
