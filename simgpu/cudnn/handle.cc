// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "simgpu/base/config.h"
#include "simgpu/cudnn/objects.h"
#include "simgpu/cudnn/version.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// What cuDNN 8 returns; 9 has a thousand for each, for the details.
struct OlderStatus {
  int thousand;
  int code;
  const char* name;
};
constexpr OlderStatus kOlderStatuses[] = {
    {1, 1, "CUDNN_STATUS_NOT_INITIALIZED"},
    {2, 3, "CUDNN_STATUS_BAD_PARAM"},
    {3, 9, "CUDNN_STATUS_NOT_SUPPORTED"},
    {4, 4, "CUDNN_STATUS_INTERNAL_ERROR"},
    {5, 8, "CUDNN_STATUS_EXECUTION_FAILED"},
};

bool IsOlder() { return SimulatedCudnn().major < CUDNN_MAJOR; }

}  // namespace

cudnnStatus_t StatusOfRelease(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS || !IsOlder()) [[likely]]
    return status;
  for (const OlderStatus& older : kOlderStatuses) {
    if (status / 1000 == older.thousand) {
      return static_cast<cudnnStatus_t>(older.code);
    }
  }
  return status;
}

cudnnStatus_t CudnnStatus(Error error) {
  switch (error) {
    case Error::kSuccess: return CUDNN_STATUS_SUCCESS;
    case Error::kStubLibrary:
    case Error::kNotInitialized: return CUDNN_STATUS_NOT_INITIALIZED;
    case Error::kInvalidHandle: return CUDNN_STATUS_BAD_PARAM;
    default: return CUDNN_STATUS_EXECUTION_FAILED_CUDART;
  }
}

SIMGPU_API size_t cudnnGetVersion() {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetVersion">());
  return static_cast<size_t>(SimulatedCudnn().number());
}

SIMGPU_API size_t cudnnGetCudartVersion() {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetCudartVersion">());
  return GetConfig().cuda_version;
}

SIMGPU_API size_t cudnnGetMaxDeviceVersion() {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetMaxDeviceVersion">());
  return 1210;
}

SIMGPU_API cudnnStatus_t cudnnGetProperty(libraryPropertyType type,
                                          int* value) {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetProperty">());
  if (value == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  switch (type) {
    case MAJOR_VERSION: *value = SimulatedCudnn().major; break;
    case MINOR_VERSION: *value = SimulatedCudnn().minor; break;
    case PATCH_LEVEL: *value = SimulatedCudnn().patch; break;
    default: return CUDNN_STATUS_BAD_PARAM;
  }
  return CUDNN_STATUS_SUCCESS;
}

SIMGPU_API const char* cudnnGetErrorString(cudnnStatus_t status) {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetErrorString">());
  for (const OlderStatus& older : kOlderStatuses) {
    if (status == older.code) return older.name;
  }
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    default: break;
  }
  switch (status / 1000) {
    case 2: return "CUDNN_STATUS_BAD_PARAM (detail)";
    case 3: return "CUDNN_STATUS_NOT_SUPPORTED (detail)";
    case 4: return "CUDNN_STATUS_INTERNAL_ERROR";
    case 5: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
  }
}

SIMGPU_API void cudnnGetLastErrorString(char* message, size_t bytes) {
  const ApiScope scope(FunctionOf<"cudnn", "cudnnGetLastErrorString">());
  if (message != nullptr && bytes > 0) message[0] = '\0';
}

SIMGPU_API cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnCreate">(), [&] {
    if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (const Error error = InitializeDevices(); error != Error::kSuccess) {
      return CudnnStatus(error);
    }
    *handle = new cudnnContext;
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnDestroy">(), [&] {
    delete handle;
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetStream(cudnnHandle_t handle,
                                        cudaStream_t stream) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetStream">(), [&] {
    if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetStream(cudnnHandle_t handle,
                                        cudaStream_t* stream) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetStream">(), [&] {
    if (handle == nullptr || stream == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace dltap::simgpu
