// SPDX-License-Identifier: Apache-2.0
// A library whose constructor does the first work of the process, while the
// loader's lock is held.
#include "tests/support/fake_vendor/fake_cuda.h"

__attribute__((constructor)) static void Begin(void) {
  for (int i = 0; i < 10; ++i) LaunchOne(&Begin);
}
