// SPDX-License-Identifier: Apache-2.0
// replaced_library FIRST SECOND: loads each library in turn, calls its Run(),
// and unloads it. Prints where each Run() lay.
#include <dlfcn.h>
#include <stdio.h>

int cudaMalloc(void** memory, unsigned long bytes);
int cublasCreate_v2(void** handle);

int main(int argc, char** argv) {
  void *memory = 0, *handle = 0;
  if (argc != 3 || cudaMalloc(&memory, 1 << 20) != 0 ||
      cublasCreate_v2(&handle) != 0) {
    return 1;
  }
  for (int i = 0; i < 6; ++i) {
    void* library = dlopen(argv[1 + i % 2], RTLD_NOW);
    if (library == 0) return 2;
    int (*run)(void*, float*) = (int (*)(void*, float*))dlsym(library, "Run");
    if (run(handle, memory) != 2) return 3;
    printf("%p\n", (void*)run);
    dlclose(library);
  }
  return 0;
}
