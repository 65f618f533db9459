// SPDX-License-Identifier: Apache-2.0
// A library that is linked to the runtime library and loaded RTLD_LOCAL, so
// that RTLD_NEXT would find nothing for it.
#include "tests/support/fake_vendor/fake_cuda.h"

int RunPlugin(int launches) {
  void* memory = NULL;
  int errors = cudaMalloc(&memory, 64) != 0;
  for (int i = 0; i < launches; ++i) errors += LaunchOne(&RunPlugin) != 0;
  return errors;
}
