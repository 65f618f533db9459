// SPDX-License-Identifier: Apache-2.0
// An application's own stand-in for the runtime, under a name of its own. With
// CHOSEN it leaves to the loader which function that is.
#ifdef CHOSEN
static int VersionOfChoice(int* version) {
  *version = 78;
  return 0;
}
static void* Choose(void) { return VersionOfChoice; }
int cudaRuntimeGetVersion(int* version) __attribute__((ifunc("Choose")));
#else
int cudaRuntimeGetVersion(int* version) {
  *version = 77;
  return 0;
}
#endif

int Version(void) {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return version;
}
