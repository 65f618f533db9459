// SPDX-License-Identifier: Apache-2.0
// own_symbols MODE: a program with functions of its own that bear names of the
// loader or of the vendor.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

#include "tests/integration/hostile/programs/host_state.h"

static int g_lookups;

#ifdef OWN_DLSYM
// As tools do that watch the loader: counts, and asks by version.
void* dlsym(void* handle, const char* name) {
  static void* (*real)(void*, const char*);
  ++g_lookups;
  if (real == NULL) real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (real == NULL) real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return real(handle, name);
}
#endif

// Not the vendor's: another meaning, another result.
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 4711;
  return (cudaError_t)77;
}

static int OwnFunction(void) {
  int count = 0;
  Say("direct %d\n", cudaGetDeviceCount(&count));
  cudaError_t (*found)(int*) = dlsym(RTLD_DEFAULT, "cudaGetDeviceCount");
  Say("found %d count %d own %d\n", found(&count), count,
      found == cudaGetDeviceCount);
  Say("work %d\n", Work(10));
  void* program = dlopen(NULL, RTLD_NOW);
  found = dlsym(program, "cudaGetDeviceCount");
  Say("found %d count %d\n", found(&count), count);
  SayState("own function");
  return 0;
}

static int Lookups(void) {
  Say("work %d\n", Work(10));
  cudaError_t (*free_memory)(void*) = dlsym(RTLD_DEFAULT, "cudaFree");
  Say("free %d\n", free_memory(NULL));
  Say("look-ups %d\n", g_lookups);
  SayState("own dlsym");
  return 0;
}

// Of names that are linked, and of one that nothing has.
static int Versions(void) {
  static const char* const kVersions[] = {"libcudart.so.13", "NO_SUCH", ""};
  static const char* const kNames[] = {"cudaMalloc", "cudaGetErrorString",
                                       "cudnnCreate"};
  Say("work %d\n", Work(10));
  void* places[] = {RTLD_DEFAULT, RTLD_NEXT, dlopen(NULL, RTLD_NOW)};
  for (int i = 0; i < 27; ++i) {
    const char* version = kVersions[i / 9];
    const void* found = dlvsym(places[i % 3], kNames[i / 3 % 3], version);
    const char* error = dlerror();
    // The message of a miss names the program, but for the empty version.
    const char* message = error == NULL   ? "none"
                          : *version == 0 ? "a miss"
                                          : error;
    Say("%d: %d %s\n", i, found != NULL, message);
  }
  SayState("versions");
  return 0;
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {
      {"own_function", OwnFunction},
      {"lookups", Lookups},
      {"versions", Versions},
  };
  return RUN_MODE(kModes, argc, argv);
}
