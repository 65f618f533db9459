// SPDX-License-Identifier: Apache-2.0
// A library whose constructor is the first to use the GPU, under the loader's
// lock, and whose destructor uses it again.
#include <cuda_runtime_api.h>

#include "tests/integration/hostile/programs/host_state.h"

__attribute__((constructor)) static void Load(void) {
  Say("constructor %d\n", Work(3));
}

__attribute__((destructor)) static void Unload(void) {
  int device = 0;
  Say("destructor %d\n", cudaGetDevice(&device));
}
