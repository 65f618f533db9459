// SPDX-License-Identifier: Apache-2.0
// To be preloaded: another tool, which changes what the runtime answers.
#define _GNU_SOURCE
#include <dlfcn.h>

int cudaRuntimeGetVersion(int* version) {
  int (*real)(int*);
  *(void**)&real = dlsym(RTLD_NEXT, "cudaRuntimeGetVersion");
  const int status = real(version);
  *version += 1000000;
  return status;
}
