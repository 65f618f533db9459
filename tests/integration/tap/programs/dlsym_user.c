// SPDX-License-Identifier: Apache-2.0
// Finds everything by dlopen and dlsym, as JAX and Triton do, and checks what a
// program may rely on. Prints each thing that is wrong; exits with their count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static int g_wrong;

static void Check(int ok, const char* what) {
  if (ok) return;
  printf("wrong: %s\n", what);
  ++g_wrong;
}

int main(void) {
  void* library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("no library: %s\n", dlerror());
    return 99;
  }
  dlerror();
  errno = 1234;
  int (*allocate)(void**, size_t);
  *(void**)&allocate = dlsym(library, "cudaMalloc");
  Check(errno == 1234, "errno is kept");
  Check(dlerror() == NULL, "dlerror() is clean after success");
  Check(dlsym(library, "cudaMalloc") == *(void**)&allocate,
        "the same name gives the same pointer");
  Check(dlsym(library, "cudaHostAlloc") == NULL,
        "what the library lacks is not found");
  const char* message = dlerror();
  Check(message != NULL && strstr(message, "cudaHostAlloc") != NULL,
        "dlerror() names what was not found");
  Check(dlsym(RTLD_DEFAULT, "cudaHostAlloc") == NULL,
        "RTLD_DEFAULT does not find our own wrapper");
  Check(dlerror() != NULL, "dlerror() is set by RTLD_DEFAULT");
  Check(dlsym(RTLD_NEXT, "cudaNoSuchName") == NULL, "RTLD_NEXT passes");
  Check(dlsym(RTLD_DEFAULT, "puts") != NULL, "other names pass");
  dlerror();

  void* memory = NULL;
  Check(allocate(&memory, 64) == 0 && memory != NULL, "cudaMalloc works");
  int (*launch)(const void*, dim3, dim3, void**, size_t, void*);
  *(void**)&launch = dlsym(library, "cudaLaunchKernel");
  const dim3 one = {1, 1, 1};
  for (int i = 0; i < 50; ++i) launch(&main, one, one, NULL, 0, NULL);
  unsigned long (*calls)(void);
  *(void**)&calls = dlsym(library, "fakeCudaCalls");
  Check(calls() == 51, "every call arrives once");
  Check(dlerror() == NULL, "dlerror() is clean at the end");
  return g_wrong;
}
