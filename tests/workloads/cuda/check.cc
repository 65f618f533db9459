// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace workloads {
namespace {

[[noreturn]] void Fail(const char* library, int code, const char* text,
                       const char* call, const char* file, int line) {
  const char* slash = std::strrchr(file, '/');
  std::fprintf(stderr, "%s:%d: %.60s: %s error %d, %s\n",
               slash == nullptr ? file : slash + 1, line, call, library, code,
               text);
  std::exit(1);
}

}  // namespace

void Check(cudaError_t result, const char* call, const char* file, int line) {
  if (result == cudaSuccess) return;
  Fail("CUDA", result, cudaGetErrorString(result), call, file, line);
}

void Check(cublasStatus_t result, const char* call, const char* file,
           int line) {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  Fail("cuBLAS", result, cublasGetStatusString(result), call, file, line);
}

void Check(cudnnStatus_t result, const char* call, const char* file, int line) {
  if (result == CUDNN_STATUS_SUCCESS) return;
  Fail("cuDNN", result, cudnnGetErrorString(result), call, file, line);
}

}  // namespace workloads
