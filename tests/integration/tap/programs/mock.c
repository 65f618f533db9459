// SPDX-License-Identifier: Apache-2.0
// An application's own stand-in for the runtime, under a name of its own.
int cudaRuntimeGetVersion(int* version) {
  *version = 77;
  return 0;
}

int Version(void) {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return version;
}
