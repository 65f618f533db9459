// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_REST_COMPUTING_CALL_H_
#define DLTAP_SIMGPU_REST_COMPUTING_CALL_H_

#include <cstdint>
#include <string_view>

#include "simgpu/base/error.h"
#include "vocabulary.h"

namespace dltap::simgpu {

// A call of a computing function, by its arguments' names in the header; 0 or
// null: the function has no such argument.
struct ComputingCall {
  std::string_view routine;  // "potrf", without library and type letter
  specs::DType dtype = specs::DType::kUnknown;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t right_sides = 0;
  int64_t batch = 0;
  int64_t nonzeros = 0;
  int64_t block = 0;
  const void* a = nullptr;  // descriptors of cuSPARSE
  const void* b = nullptr;
  const void* c = nullptr;
  bool transposed = false;
};

// Launch what the call runs. They return the library's status.
int RunCusolver(void* handle, const ComputingCall& call);
int RunCusparse(void* handle, const ComputingCall& call);
int RunCurand(void* generator, const ComputingCall& call);

// A kernel that moves `bytes` and waits `latency_ns` in the course of it.
Error LaunchStreaming(void* stream, const char* name, double bytes,
                      double latency_ns = 0);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_REST_COMPUTING_CALL_H_
