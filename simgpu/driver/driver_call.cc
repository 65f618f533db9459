// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_call.h"

#include "simgpu/base/config.h"
#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {

static_assert(static_cast<int>(Error::kStubLibrary) == CUDA_ERROR_STUB_LIBRARY);
static_assert(static_cast<int>(Error::kInvalidContext) ==
              CUDA_ERROR_INVALID_CONTEXT);
static_assert(static_cast<int>(Error::kInvalidHandle) ==
              CUDA_ERROR_INVALID_HANDLE);
static_assert(static_cast<int>(Error::kNotReady) == CUDA_ERROR_NOT_READY);
static_assert(static_cast<int>(Error::kCooperativeLaunchTooLarge) ==
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
static_assert(static_cast<int>(Error::kCaptureWrongThread) ==
              CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
static_assert(static_cast<int>(Error::kGraphExecUpdateFailure) ==
              CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);

Error PrepareDriver(DriverNeeds needs) {
  if (!SimulationEnabled()) return Error::kStubLibrary;
  if (!DevicesReady()) return Error::kNotInitialized;
  if (const Error error = InitializeDevices();
      error != Error::kSuccess || needs == DriverNeeds::kInit) {
    return error;
  }
  if (CurrentThread().in_host_function) return Error::kNotPermitted;
  if (CurrentThread().contexts.empty()) return Error::kInvalidContext;
  return StickyErrorOf(CurrentDeviceState());
}

CUresult ToDriver(Error error) {
  switch (error) {
    case Error::kInvalidConfiguration:
    case Error::kInvalidPitch:
    case Error::kInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
    case Error::kInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    case Error::kInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    default: return static_cast<CUresult>(error);
  }
}

CUresult FailDriver(Error error) {
  const CUresult result = ToDriver(error);
  ThreadState& thread = CurrentThread();
  thread.driver_error = static_cast<int>(error);
  thread.driver_result = result;
  return result;
}

}  // namespace dltap::simgpu
