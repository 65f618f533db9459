// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/runtime_call.h"

#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {

// Error is the common numbering of both APIs.
static_assert(static_cast<int>(Error::kStubLibrary) == cudaErrorStubLibrary);
static_assert(static_cast<int>(Error::kInvalidConfiguration) ==
              cudaErrorInvalidConfiguration);
static_assert(static_cast<int>(Error::kNotReady) == cudaErrorNotReady);
static_assert(static_cast<int>(Error::kInvalidHandle) ==
              cudaErrorInvalidResourceHandle);
static_assert(static_cast<int>(Error::kHostMemoryNotRegistered) ==
              cudaErrorHostMemoryNotRegistered);
static_assert(static_cast<int>(Error::kCaptureWrongThread) ==
              cudaErrorStreamCaptureWrongThread);
static_assert(static_cast<int>(Error::kGraphExecUpdateFailure) ==
              cudaErrorGraphExecUpdateFailure);

Error Prepare(Needs needs) {
  if (needs == Needs::kNothing) return Error::kSuccess;
  const Error error = InitializeDevices();
  if (error != Error::kSuccess || needs == Needs::kDriver) return error;
  if (CurrentThread().in_host_function) return Error::kNotPermitted;
  return StickyErrorOf(ActiveDevice());
}

Error FailedDriverCall(CUresult result) {
  const ThreadState& thread = CurrentThread();
  // A driver that is not simulated keeps no finer code.
  return result == static_cast<CUresult>(thread.driver_result)
             ? static_cast<Error>(thread.driver_error)
             : static_cast<Error>(result);
}

void RememberError(Error error) {
  CurrentThread().last_error = static_cast<int>(error);
}

}  // namespace dltap::simgpu
