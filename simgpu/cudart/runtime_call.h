// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_RUNTIME_CALL_H_
#define DLTAP_SIMGPU_CUDART_RUNTIME_CALL_H_

#include "runtime_bodies.h"  // generated
#include "simgpu/base/api_scope.h"
#include "simgpu/base/call_params.h"
#include "simgpu/base/error.h"
#include "simgpu/cudart/driver_table.h"
#include "simgpu/cudart/runtime_header.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {

// What a runtime function needs before its body may run.
enum class Needs : uint8_t {
  kNothing,  // answers without a device
  kDriver,   // devices exist
  kContext,  // and the current one's primary context is active
};

// kStubLibrary, kNotInitialized or the device's sticky error.
Error Prepare(Needs needs);

// The device of this thread, its primary context made active.
inline Device& ActiveDevice() { return ActivatePrimaryContext(); }

// Keeps an error for cudaGetLastError().
void RememberError(Error error);

inline cudaError_t ToRuntime(Error error) {
  return static_cast<cudaError_t>(error);
}

// One call of the runtime function kName:
//   return Runtime<"cudaMalloc">(Needs::kContext, [&] { ... return Error; });
template <ApiName kName, typename Body>
cudaError_t Runtime(Needs needs, Body body) {
  ApiScope scope(FunctionOf<"cudart", kName, ApiDomain::kRuntime>());
  Error error = Prepare(needs);
  if (error == Error::kSuccess && scope.injected_error() != 0) [[unlikely]] {
    error = InjectedError(scope.injected_error());
  } else if (error == Error::kSuccess) {
    error = body();
  }
  if (error != Error::kSuccess) [[unlikely]] {
    RememberError(error);
    scope.set_result(static_cast<int>(error));
  }
  return ToRuntime(error);
}

// The body gets the stream behind the client's handle.
template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy,
          typename Body>
cudaError_t OnStream(cudaStream_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Stream* stream = ResolveStream(handle, kNull);
    return stream == nullptr ? Error::kInvalidHandle : body(*stream);
  });
}

// The error behind what a driver function has just returned: the runtime tells
// some apart that the driver does not.
Error FailedDriverCall(CUresult result);

inline Error FromDriver(CUresult result) {
  return result == CUDA_SUCCESS ? Error::kSuccess : FailedDriverCall(result);
}

// One call that the driver does: the body calls a function of the table. Needs
// a context, and costs no host time beyond its own.
//   return ByDriver<"cudaEventQuery">([&](const DriverTable& driver) {
//     return FromDriver(driver.event_query(event));
//   });
template <ApiName kName, typename Body>
cudaError_t ByDriver(Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    const DriverTable* driver = FindDriverTable();
    if (driver == nullptr) [[unlikely]] {
      return Error::kInsufficientDriver;
    }
    const NestedCalls nested;
    return body(*driver);
  });
}

// Likewise, with the functions that take null for the wanted default stream.
template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy,
          typename Body>
cudaError_t ByDriverOnStream(Body body) {
  return ByDriver<kName>([&](const DriverTable& driver) {
    return body(kNull == DefaultStream::kLegacy ? driver.legacy
                                                : driver.per_thread);
  });
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_RUNTIME_CALL_H_
