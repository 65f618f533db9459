// SPDX-License-Identifier: Apache-2.0
// Launches, and prints the version of the runtime that it is linked to.
#include <stdio.h>

#include "tests/support/fake_vendor/fake_cuda.h"

int main(void) {
  int version = 0;
  LaunchOne(&main);
  cudaRuntimeGetVersion(&version);
  printf("%d\n", version);
  return 0;
}
