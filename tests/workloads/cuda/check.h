// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_CHECK_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_CHECK_H_

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cudnn.h>

namespace workloads {

// What a vendor call returned: ends the program, with one line, if it failed.
void Check(cudaError_t result, const char* call, const char* file, int line);
void Check(cublasStatus_t result, const char* call, const char* file, int line);
void Check(cudnnStatus_t result, const char* call, const char* file, int line);

}  // namespace workloads

// A macro, for the text and the place of the call.
#define CHECK(call) ::workloads::Check(call, #call, __FILE__, __LINE__)

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_CHECK_H_
