// SPDX-License-Identifier: Apache-2.0
// To be preloaded: writes "OBJECT NAME" to the file $LOOKUP_LOG for each name
// of cuDNN that is looked up by dlsym.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void* (*Dlsym)(void*, const char*);

static void Log(const void* caller, const char* name) {
  Dl_info object;
  FILE* log = fopen(getenv("LOOKUP_LOG"), "a");
  if (log == NULL || dladdr(caller, &object) == 0) abort();
  const char* slash = strrchr(object.dli_fname, '/');
  fprintf(log, "%s %s\n", slash != NULL ? slash + 1 : object.dli_fname, name);
  fclose(log);
}

__attribute__((visibility("default"))) void* dlsym(void* handle,
                                                   const char* name) {
  static Dlsym real;
  if (real == NULL) real = (Dlsym)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (strncmp(name, "cudnn", 5) == 0) Log(__builtin_return_address(0), name);
  return real(handle, name);
}
