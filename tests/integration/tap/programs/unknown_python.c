// SPDX-License-Identifier: Apache-2.0
// unknown_python VERSION: calls from a program that looks like an interpreter
// of that version, and whose threads' states are not to be read.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

const uintptr_t PyCode_Type = 0, PyUnicode_Type = 0, PyBytes_Type = 0,
                PyCell_Type = 0;

static const char* g_version;
static void* g_state;

const char* Py_GetVersion(void) { return g_version; }
void* PyGILState_GetThisThreadState(void) { return g_state; }
int Py_IsFinalizing(void) { return 0; }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  g_version = argv[1];
  g_state = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* handle = NULL;
  const float one = 1;
  if (cublasCreate_v2(&handle) != 0) return 1;
  for (int i = 0; i < 3; ++i) {
    if (cublasSgemm_v2(handle, 0, 0, 64, 64, 64, &one, NULL, 64, NULL, 64, &one,
                       NULL, 64) != 0) {
      return 1;
    }
  }
  puts("done");
  return 0;
}
