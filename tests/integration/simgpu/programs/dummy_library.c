// SPDX-License-Identifier: Apache-2.0
// Stands for a vendor library that must not be loaded; with DUMMY_MAY_BE_LOADED
// set, for one that must not be used: it has no functions.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void Loaded(void) {
  if (getenv("DUMMY_MAY_BE_LOADED") != NULL) return;
  fputs("a library of the vendor's folder was loaded\n", stderr);
  abort();
}
