// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_DEFAULT_CALL_H_
#define DLTAP_SIMGPU_BASE_DEFAULT_CALL_H_

#include <cstdint>

#include "simgpu/base/api_function.h"

namespace dltap::specs {
enum class EntryPoint : uint16_t;  // generated: entry_points.h
}

namespace dltap::simgpu {

// What the generated default bodies call (weak symbols; a hand-written function
// of the same name wins at link time).

// Counts the call as `default`, and with DLTAP_SIM_LOG=1 says the function's
// name once on stderr. Returns the code to give back: kStubLibrary while no
// simulation is wanted, an injected one, else `result`: 0, or the library's
// "not supported". cudaGetLastError() tells a failure of the runtime's.
int CountDefault(specs::EntryPoint entry_point, int result = 0);
int CountDefault(ApiFunction& function, int result = 0);

// A handle for a default body's Create*: unique, never null, readable (64 zero
// bytes), never freed.
void* AllocateDefaultHandle();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_DEFAULT_CALL_H_
