// SPDX-License-Identifier: Apache-2.0
// unknown_python VERSION: calls from a program that looks like an interpreter
// of that version, and whose threads' states are not to be read.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

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
  float* memory = NULL;
  const float one = 1;
  cublasHandle_t handle = NULL;
  if (cudaMalloc((void**)&memory, 1 << 20) != cudaSuccess ||
      cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    return 1;
  }
  for (int i = 0; i < 3; ++i) {
    if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, memory,
                    64, memory, 64, &one, memory,
                    64) != CUBLAS_STATUS_SUCCESS) {
      return 1;
    }
  }
  puts("done");
  return 0;
}
