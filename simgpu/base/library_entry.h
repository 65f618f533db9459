// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_LIBRARY_ENTRY_H_
#define DLTAP_SIMGPU_BASE_LIBRARY_ENTRY_H_

#include <utility>

#include "simgpu/base/api_function.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/config.h"
#include "simgpu/base/error.h"

// An exported function of a simulated library.
#define SIMGPU_API extern "C" [[gnu::visibility("default")]]

namespace dltap::simgpu {

// One call of an exported function that returns a status: counts it, refuses it
// (kStubLibrary as the library's own code `kRefused`) while no simulation is
// wanted, returns the code that a fault asks for, else runs the body.
template <auto kRefused, typename Body>
decltype(kRefused) RunEntry(ApiFunction& function, Body&& body) {
  using Status = decltype(kRefused);
  ApiScope scope(function);
  if (scope.injected_error() != 0) {
    return static_cast<Status>(scope.injected_error());
  }
  if (!SimulationEnabled()) return kRefused;
  return std::forward<Body>(body)();
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_LIBRARY_ENTRY_H_
