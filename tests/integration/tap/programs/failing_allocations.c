// SPDX-License-Identifier: Apache-2.0
// Preloaded behind the tap: the n-th allocation (TEST_FAIL_CALL) made
// on the tap's account fails: by itself or the loader on its collector thread,
// or while it creates that thread. Says so in the file TEST_FAIL_REPORT. What a
// vendor's library allocates on that thread is its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

typedef struct {
  uintptr_t begin;
  uintptr_t end;
} Range;

enum { kTap, kLoader, kRanges };

static const char* const kNames[kRanges] = {"libdltap.so", "ld-linux"};
static Range g_ranges[kRanges];
static atomic_int g_calls;
static int g_fail_call;
enum { kNobody, kTheTap, kOthers };
static __thread int t_creating;

static int Find(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  for (int r = 0; r < kRanges; ++r) {
    if (strstr(info->dlpi_name, kNames[r]) == NULL) continue;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
      const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      if (g_ranges[r].begin == 0) g_ranges[r].begin = begin;
      g_ranges[r].end = begin + info->dlpi_phdr[i].p_memsz;
    }
  }
  return 0;
}

__attribute__((constructor)) static void Start(void) {
  dl_iterate_phdr(Find, NULL);
  const char* call = getenv("TEST_FAIL_CALL");
  g_fail_call = call != NULL ? atoi(call) : 0;
}

static int In(int range, void* address) {
  const uintptr_t at = (uintptr_t)address;
  return at >= g_ranges[range].begin && at < g_ranges[range].end;
}

static int OnTheTapsAccount(void* caller) {
  if (g_fail_call == 0) return 0;
  if (t_creating != kNobody) return t_creating == kTheTap;
  if (!In(kTap, caller) && !In(kLoader, caller)) return 0;
  char name[16] = "";
  return prctl(PR_GET_NAME, name, 0, 0, 0) == 0 && strcmp(name, "dltap") == 0;
}

static int Fails(void* caller, const char* function) {
  if (!OnTheTapsAccount(caller)) return 0;
  if (atomic_fetch_add(&g_calls, 1) + 1 != g_fail_call) return 0;
  const char* path = getenv("TEST_FAIL_REPORT");
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                              O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, fd, function, strlen(function));
  syscall(SYS_close, fd);
  errno = ENOMEM;
  return 1;
}

#define CALLER __builtin_return_address(0)
#define RESULT(call) return Fails(CALLER, __func__) ? NULL : (call)

void* malloc(size_t bytes) { RESULT(__libc_malloc(bytes)); }
void* calloc(size_t count, size_t bytes) {
  RESULT(__libc_calloc(count, bytes));
}
void* realloc(void* old, size_t bytes) { RESULT(__libc_realloc(old, bytes)); }
void* memalign(size_t alignment, size_t bytes) {
  RESULT(__libc_memalign(alignment, bytes));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*start)(void*), void* argument) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                     void*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  t_creating = In(kTap, CALLER) ? kTheTap : kOthers;
  const int result = real(thread, attributes, start, argument);
  t_creating = kNobody;
  return result;
}
