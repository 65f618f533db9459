// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/blas_call.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

cublasStatus_t BlasStatus(Error error) {
  switch (error) {
    case Error::kSuccess: return CUBLAS_STATUS_SUCCESS;
    case Error::kStubLibrary:
    case Error::kNotInitialized: return CUBLAS_STATUS_NOT_INITIALIZED;
    case Error::kOutOfMemory: return CUBLAS_STATUS_ALLOC_FAILED;
    case Error::kInvalidValue:
    case Error::kInvalidHandle: return CUBLAS_STATUS_INVALID_VALUE;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

cublasContext& LegacyBlasHandle() {
  static constinit cublasContext handle;
  return handle;
}

void SetLegacyBlasStream(void* stream) {
  LegacyBlasHandle().stream = static_cast<cudaStream_t>(stream);
}

namespace {

// Runs `body` on a handle that is checked to be there.
template <typename Body>
cublasStatus_t WithHandle(ApiFunction& function, cublasHandle_t handle,
                          Body&& body) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(function, [&] {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    return body(*handle);
  });
}

template <typename T>
cublasStatus_t Read(T* out, const T& value) {
  if (out == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *out = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t Write(T& place, const T& value) {
  place = value;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

SIMGPU_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublas", "cublasCreate_v2">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
        if (const Error error = InitializeDevices(); error != Error::kSuccess) {
          return BlasStatus(error);
        }
        *handle = new cublasContext;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return WithHandle(FunctionOf<"cublas", "cublasDestroy_v2">(), handle,
                    [](cublasContext& context) {
                      delete &context;
                      return CUBLAS_STATUS_SUCCESS;
                    });
}

SIMGPU_API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle,
                                             cudaStream_t stream) {
  return WithHandle(FunctionOf<"cublas", "cublasSetStream_v2">(), handle,
                    [&](cublasContext& context) {
                      context.workspace = nullptr;  // documented side effect
                      context.workspace_bytes = 0;
                      return Write(context.stream, stream);
                    });
}

SIMGPU_API cublasStatus_t cublasGetStream_v2(cublasHandle_t handle,
                                             cudaStream_t* stream) {
  return WithHandle(
      FunctionOf<"cublas", "cublasGetStream_v2">(), handle,
      [&](cublasContext& context) { return Read(stream, context.stream); });
}

SIMGPU_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle,
                                                void* workspace, size_t bytes) {
  return WithHandle(FunctionOf<"cublas", "cublasSetWorkspace_v2">(), handle,
                    [&](cublasContext& context) {
                      context.workspace = workspace;
                      return Write(context.workspace_bytes, bytes);
                    });
}

SIMGPU_API cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                                  cublasPointerMode_t mode) {
  return WithHandle(FunctionOf<"cublas", "cublasSetPointerMode_v2">(), handle,
                    [&](cublasContext& context) {
                      return Write(context.pointer_mode, mode);
                    });
}

SIMGPU_API cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                                  cublasPointerMode_t* mode) {
  return WithHandle(
      FunctionOf<"cublas", "cublasGetPointerMode_v2">(), handle,
      [&](cublasContext& context) { return Read(mode, context.pointer_mode); });
}

SIMGPU_API cublasStatus_t cublasSetMathMode(cublasHandle_t handle,
                                            cublasMath_t mode) {
  return WithHandle(
      FunctionOf<"cublas", "cublasSetMathMode">(), handle,
      [&](cublasContext& context) { return Write(context.math_mode, mode); });
}

SIMGPU_API cublasStatus_t cublasGetMathMode(cublasHandle_t handle,
                                            cublasMath_t* mode) {
  return WithHandle(
      FunctionOf<"cublas", "cublasGetMathMode">(), handle,
      [&](cublasContext& context) { return Read(mode, context.math_mode); });
}

SIMGPU_API cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle,
                                               cublasAtomicsMode_t mode) {
  return WithHandle(FunctionOf<"cublas", "cublasSetAtomicsMode">(), handle,
                    [&](cublasContext& context) {
                      return Write(context.atomics_mode, mode);
                    });
}

SIMGPU_API cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                               cublasAtomicsMode_t* mode) {
  return WithHandle(
      FunctionOf<"cublas", "cublasGetAtomicsMode">(), handle,
      [&](cublasContext& context) { return Read(mode, context.atomics_mode); });
}

SIMGPU_API cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle,
                                                 int count) {
  return WithHandle(FunctionOf<"cublas", "cublasSetSmCountTarget">(), handle,
                    [&](cublasContext& context) {
                      return Write(context.sm_count_target, count);
                    });
}

SIMGPU_API cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle,
                                                 int* count) {
  return WithHandle(FunctionOf<"cublas", "cublasGetSmCountTarget">(), handle,
                    [&](cublasContext& context) {
                      return Read(count, context.sm_count_target);
                    });
}

}  // namespace dltap::simgpu
