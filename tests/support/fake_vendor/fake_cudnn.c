// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcudnn: its backend API agrees to everything.
#include <stdlib.h>

#include "tests/support/fake_vendor/fake_cuda.h"

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  (void)type;
  *descriptor = malloc(8);
  return 0;
}

int cudnnBackendSetAttribute(void* descriptor, int name, int type, long count,
                             const void* elements) {
  (void)descriptor, (void)name, (void)type, (void)count, (void)elements;
  return 0;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
  free(descriptor);
  return 0;
}

int cudnnBackendExecute(void* handle, void* plan, void* pack) {
  (void)plan, (void)pack;
  return handle == NULL;  // CUDNN_STATUS_NOT_INITIALIZED
}
