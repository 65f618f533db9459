// SPDX-License-Identifier: Apache-2.0
// Preloaded behind the tap: the n-th system call of some kinds that the tap
// makes (TEST_FAIL_CALL) fails with TEST_FAIL_ERRNO. Says so in the file
// TEST_FAIL_REPORT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t g_begin, g_end;
static atomic_int g_calls;
static int g_fail_call, g_fail_errno;

static int FindTap(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  if (strstr(info->dlpi_name, "libdltap.so") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (g_begin == 0) g_begin = begin;
    g_end = begin + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void Start(void) {
  dl_iterate_phdr(FindTap, NULL);
  const char* call = getenv("TEST_FAIL_CALL");
  const char* error = getenv("TEST_FAIL_ERRNO");
  g_fail_call = call != NULL ? atoi(call) : 0;
  g_fail_errno = error != NULL ? atoi(error) : EIO;
}

static void Report(const char* name) {
  const char* path = getenv("TEST_FAIL_REPORT");
  if (path == NULL) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                              O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, fd, name, strlen(name));
  syscall(SYS_close, fd);
}

static int Fails(void* caller, const char* name) {
  const uintptr_t at = (uintptr_t)caller;
  if (at < g_begin || at >= g_end) return 0;
  if (atomic_fetch_add(&g_calls, 1) + 1 != g_fail_call) return 0;
  Report(name);
  errno = g_fail_errno;
  return 1;
}

#define CALLER __builtin_return_address(0)
#define RESULT(call) return Fails(CALLER, __func__) ? -1 : (call)

int openat(int dir, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  RESULT((int)syscall(SYS_openat, dir, path, flags, mode));
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  RESULT((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  RESULT(syscall(SYS_pwrite64, fd, bytes, count, at));
}
int fallocate(int fd, int mode, off_t at, off_t count) {
  RESULT((int)syscall(SYS_fallocate, fd, mode, at, count));
}
int ftruncate(int fd, off_t size) {
  RESULT((int)syscall(SYS_ftruncate, fd, size));
}
int mkdir(const char* path, mode_t mode) {
  RESULT((int)syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int unlink(const char* path) {
  RESULT((int)syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
int unlinkat(int dir, const char* path, int flags) {
  RESULT((int)syscall(SYS_unlinkat, dir, path, flags));
}
int fstat(int fd, struct stat* status) {
  RESULT((int)syscall(SYS_newfstatat, fd, "", status, AT_EMPTY_PATH));
}
int madvise(void* at, size_t bytes, int advice) {
  RESULT((int)syscall(SYS_madvise, at, bytes, advice));
}
void* mmap(void* at, size_t bytes, int protection, int flags, int fd,
           off_t offset) {
  if (Fails(CALLER, __func__)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
