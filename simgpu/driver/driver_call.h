// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_DRIVER_CALL_H_
#define DLTAP_SIMGPU_DRIVER_DRIVER_CALL_H_

#include "simgpu/base/api_scope.h"
#include "simgpu/base/call_params.h"
#include "simgpu/base/error.h"
#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu {

// What a driver function needs before its body may run.
enum class DriverNeeds : uint8_t {
  kNothing,
  kInit,     // cuInit was called (by anybody, the runtime included)
  kContext,  // and this thread has a current context
};

// kStubLibrary, kNotInitialized, kInvalidContext or the device's sticky error.
Error PrepareDriver(DriverNeeds needs);

// The runtime's finer codes as the driver spells them.
CUresult ToDriver(Error error);

// The same, kept for the runtime, whose codes are finer.
[[gnu::cold]] CUresult FailDriver(Error error);

// One call of the driver function kName.
template <ApiName kName, typename Body>
CUresult Driver(DriverNeeds needs, Body body) {
  ApiScope scope(FunctionOf<"cuda", kName, ApiDomain::kDriver>());
  Error error = Error::kSuccess;
  // A call from inside another call was prepared by the outer one.
  if (needs != DriverNeeds::kNothing && CurrentThread().nested_calls == 0) {
    error = PrepareDriver(needs);
  }
  if (error == Error::kSuccess && scope.injected_error() != 0) [[unlikely]] {
    error = InjectedError(scope.injected_error());
  } else if (error == Error::kSuccess) {
    error = body();
  }
  if (error == Error::kSuccess) [[likely]] {
    return CUDA_SUCCESS;
  }
  const CUresult result = FailDriver(error);
  scope.set_result(result);
  return result;
}

// The body gets the stream behind the client's handle.
template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy,
          typename Body>
CUresult OnStream(CUstream handle, Body body) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    Stream* stream = ResolveStream(handle, kNull);
    return stream == nullptr ? Error::kInvalidHandle : body(*stream);
  });
}

// The body gets the device of the ordinal.
template <ApiName kName, typename Body>
CUresult OnDevice(CUdevice ordinal, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    Device* device = FindDevice(ordinal);
    return device == nullptr ? Error::kInvalidDevice : body(*device);
  });
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_DRIVER_CALL_H_
