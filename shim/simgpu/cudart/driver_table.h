// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUDART_DRIVER_TABLE_H_
#define DLTAP_SHIM_SIMGPU_CUDART_DRIVER_TABLE_H_

#include <cuda.h>

#include <atomic>

namespace dltap::simgpu {

// The driver functions that the runtime calls, as the vendor's does: by
// addresses from cuGetProcAddress_v2 of the libcuda that is loaded or found.
//   X(member, name, version that brought the ABI, exported symbol)
// Each has a per-thread variant (_ptsz) where the driver has one.
#define SIMGPU_DRIVER_FUNCTIONS(X)                                      \
  X(mem_alloc, "cuMemAlloc", 3020, cuMemAlloc_v2)                       \
  X(stream_create, "cuStreamCreate", 2000, cuStreamCreate)              \
  X(stream_create_with_priority, "cuStreamCreateWithPriority", 5050,    \
    cuStreamCreateWithPriority)                                         \
  X(stream_destroy, "cuStreamDestroy", 4000, cuStreamDestroy_v2)        \
  X(event_create, "cuEventCreate", 2000, cuEventCreate)                 \
  X(event_destroy, "cuEventDestroy", 4000, cuEventDestroy_v2)           \
  X(event_query, "cuEventQuery", 2000, cuEventQuery)                    \
  X(event_synchronize, "cuEventSynchronize", 2000, cuEventSynchronize)  \
  X(event_elapsed_time, "cuEventElapsedTime", 2000, cuEventElapsedTime) \
  X(ctx_synchronize, "cuCtxSynchronize", 2000, cuCtxSynchronize)

#define SIMGPU_DRIVER_STREAM_FUNCTIONS(X)                                 \
  X(stream_synchronize, "cuStreamSynchronize", 2000, cuStreamSynchronize) \
  X(stream_query, "cuStreamQuery", 2000, cuStreamQuery)                   \
  X(stream_wait_event, "cuStreamWaitEvent", 3020, cuStreamWaitEvent)      \
  X(event_record, "cuEventRecord", 2000, cuEventRecord)                   \
  X(event_record_with_flags, "cuEventRecordWithFlags", 11010,             \
    cuEventRecordWithFlags)                                               \
  X(launch_kernel, "cuLaunchKernel", 4000, cuLaunchKernel)                \
  X(launch_kernel_ex, "cuLaunchKernelEx", 11060, cuLaunchKernelEx)        \
  X(launch_cooperative_kernel, "cuLaunchCooperativeKernel", 9000,         \
    cuLaunchCooperativeKernel)                                            \
  X(graph_launch, "cuGraphLaunch", 10000, cuGraphLaunch)

// With a null stream meaning the legacy or the thread's own default stream.
struct DriverStreamTable {
#define SIMGPU_MEMBER(member, name, version, symbol) decltype(&symbol) member;
  SIMGPU_DRIVER_STREAM_FUNCTIONS(SIMGPU_MEMBER)
};

struct DriverTable {
  SIMGPU_DRIVER_FUNCTIONS(SIMGPU_MEMBER)
#undef SIMGPU_MEMBER
  DriverStreamTable legacy;
  DriverStreamTable per_thread;
};

using GetProcAddress = CUresult (*)(const char*, void**, int, cuuint64_t,
                                    CUdriverProcAddressQueryResult*);

// cuGetProcAddress_v2; nullptr: no libcuda.so.1 is found.
GetProcAddress FindGetProcAddress();

// Complete; nullptr: no libcuda.so.1, or one that lacks a function. Looked up
// at the first call.
extern std::atomic<const DriverTable*> g_driver_table;
[[gnu::cold]] const DriverTable* LookUpDriverTable();
inline const DriverTable* FindDriverTable() {
  const DriverTable* table = g_driver_table.load(std::memory_order_acquire);
  return table != nullptr ? table : LookUpDriverTable();
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUDART_DRIVER_TABLE_H_
