// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "simgpu/base/error_text.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/cudart/runtime_call.h"

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

namespace {

// The sticky error of the device, which no call clears; 0: none.
int StickyError() {
  if (!CurrentThread().contexts.empty()) {
    return static_cast<int>(StickyErrorOf(CurrentDeviceState()));
  }
  return 0;
}

}  // namespace

cudaError_t cudaGetLastError() {
  const ApiScope scope(
      FunctionOf<"cudart", "cudaGetLastError", ApiDomain::kRuntime>());
  const int sticky = StickyError();
  const int last = std::exchange(CurrentThread().last_error, 0);
  return static_cast<cudaError_t>(sticky != 0 ? sticky : last);
}

cudaError_t cudaPeekAtLastError() {
  const ApiScope scope(
      FunctionOf<"cudart", "cudaPeekAtLastError", ApiDomain::kRuntime>());
  const int sticky = StickyError();
  return static_cast<cudaError_t>(sticky != 0 ? sticky
                                              : CurrentThread().last_error);
}

const char* cudaGetErrorName(cudaError_t error) {
  const ApiScope scope(
      FunctionOf<"cudart", "cudaGetErrorName", ApiDomain::kRuntime>());
  const char* name = RuntimeErrorName(error);
  return name == nullptr ? "unrecognized error code" : name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ApiScope scope(
      FunctionOf<"cudart", "cudaGetErrorString", ApiDomain::kRuntime>());
  const char* text = ErrorDescription(error);
  return text == nullptr ? "unrecognized error code" : text;
}
