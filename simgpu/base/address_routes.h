// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ADDRESS_ROUTES_H_
#define DLTAP_SIMGPU_BASE_ADDRESS_ROUTES_H_

#include <cstdint>
#include <string_view>

namespace dltap::simgpu {

// Calls that come past the dynamic loader, through an address that
// cuGetProcAddress or cudaGetDriverEntryPoint gave: a tool that wraps symbols
// and dlsym() cannot see them. They are counted apart only while
// DLTAP_SIM_COUNTS asks for counts, by a stub of two instructions in front of
// the function.

// What to give out for `function`. `name` must live for ever.
void* CountedAddress(const char* name, void* function);

// A call of `name` that one of the simulated libraries makes itself.
void CountInnerCall(const char* name);

// Of the calls of `name` so far.
uint64_t CallsByAddress(std::string_view name);

// Whether that code lies in one of the simulated libraries.
bool IsSimulatedLibrary(const void* code);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ADDRESS_ROUTES_H_
