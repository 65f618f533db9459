// SPDX-License-Identifier: Apache-2.0
// To be preloaded: wraps cudnnCreate, for dlsym() too, whoever asks. That is
// the mistake the vendor's layout punishes: the front's own look-up gets the
// wrapper. Ends the program with 3 instead of overflowing its stack.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

typedef void* (*Dlsym)(void*, const char*);
typedef int (*Create)(void**);

static Dlsym RealDlsym(void) {
  return (Dlsym)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
}

__attribute__((visibility("default"))) int cudnnCreate(void** handle) {
  static int depth;
  if (++depth > 100) _exit(3);
  const int status = ((Create)RealDlsym()(RTLD_NEXT, "cudnnCreate"))(handle);
  --depth;
  return status;
}

__attribute__((visibility("default"))) void* dlsym(void* handle,
                                                   const char* name) {
  if (strcmp(name, "cudnnCreate") == 0) return (void*)&cudnnCreate;
  return RealDlsym()(handle, name);
}
