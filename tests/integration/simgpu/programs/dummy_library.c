// SPDX-License-Identifier: Apache-2.0
// Stands for a vendor library that must not be loaded.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void Loaded(void) {
  fputs("a library of the vendor's folder was loaded\n", stderr);
  abort();
}
