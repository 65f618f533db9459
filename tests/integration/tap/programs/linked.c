// SPDX-License-Identifier: Apache-2.0
// A library that calls the runtime, linked to a copy of it or to none.
#include "tests/support/fake_vendor/fake_cuda.h"

int Version(void) {
  int version = 0;
  if (LaunchOne(&Version) != 0) return -1;
  return cudaRuntimeGetVersion(&version) == 0 ? version : -1;
}

const void* AddressOfRuntime(void) {
  return (const void*)&fakeCudaDuringSync;  // not wrapped: the library's own
}
