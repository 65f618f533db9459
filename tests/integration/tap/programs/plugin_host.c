// SPDX-License-Identifier: Apache-2.0
// plugin_host LIBRARY: loads it RTLD_LOCAL and lets it launch 30 times.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (plugin == NULL) {
    printf("%s\n", dlerror());
    return 99;
  }
  int (*run)(int);
  *(void**)&run = dlsym(plugin, "RunPlugin");
  return run(30);
}
