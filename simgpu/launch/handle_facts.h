// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_HANDLE_FACTS_H_
#define DLTAP_SIMGPU_LAUNCH_HANDLE_FACTS_H_

#include <cstdint>

namespace dltap::simgpu {

// The program's handles, as a tool sees them.

// Ids that CUPTI's getters report; 0 when the handle is unknown.
uint32_t ContextIdOf(void* context);
uint32_t StreamIdOf(void* stream);  // null and 1: the legacy stream
uint64_t GraphNodeIdOf(void* node);
uint32_t GraphIdOf(void* graph);
uint32_t GraphExecIdOf(void* graph_exec);
uint32_t DeviceIdOfContext(void* context);

// The calling thread's context, as a callback shows it.
struct CallContext {
  void* handle;
  uint32_t id;
};
CallContext CurrentCallContext();

// The mangled name of a CUfunction or of a kernel's host stub; null: unknown.
const char* NameOfKernel(const void* stub_or_handle);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_HANDLE_FACTS_H_
