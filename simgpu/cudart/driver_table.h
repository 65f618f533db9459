// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_DRIVER_TABLE_H_
#define DLTAP_SIMGPU_CUDART_DRIVER_TABLE_H_

#include <atomic>

#include "simgpu/driver/driver_header.h"

namespace dltap::simgpu {

// The driver functions that the runtime calls, as the vendor's does: by
// addresses from cuGetProcAddress_v2 of the libcuda that is loaded or found.
// All that puts work on the device, waits for it or gives memory is among them.
//   X(member, name, version that brought the ABI, exported symbol)
#define SIMGPU_DRIVER_FUNCTIONS(X)                                         \
  X(mem_alloc, "cuMemAlloc", 3020, cuMemAlloc_v2)                          \
  X(mem_alloc_managed, "cuMemAllocManaged", 6000, cuMemAllocManaged)       \
  X(mem_alloc_pitch, "cuMemAllocPitch", 3020, cuMemAllocPitch_v2)          \
  X(mem_free, "cuMemFree", 3020, cuMemFree_v2)                             \
  X(mem_get_info, "cuMemGetInfo", 3020, cuMemGetInfo_v2)                   \
  X(mem_host_alloc, "cuMemHostAlloc", 2020, cuMemHostAlloc)                \
  X(mem_free_host, "cuMemFreeHost", 2000, cuMemFreeHost)                   \
  X(mem_host_register, "cuMemHostRegister", 6050, cuMemHostRegister_v2)    \
  X(mem_host_unregister, "cuMemHostUnregister", 4000, cuMemHostUnregister) \
  X(array_create, "cuArray3DCreate", 3020, cuArray3DCreate_v2)             \
  X(array_destroy, "cuArrayDestroy", 2000, cuArrayDestroy)                 \
  X(mipmapped_array_create, "cuMipmappedArrayCreate", 5000,                \
    cuMipmappedArrayCreate)                                                \
  X(mipmapped_array_destroy, "cuMipmappedArrayDestroy", 5000,              \
    cuMipmappedArrayDestroy)                                               \
  X(stream_create_with_priority, "cuStreamCreateWithPriority", 5050,       \
    cuStreamCreateWithPriority)                                            \
  X(stream_destroy, "cuStreamDestroy", 4000, cuStreamDestroy_v2)           \
  X(event_create, "cuEventCreate", 2000, cuEventCreate)                    \
  X(event_destroy, "cuEventDestroy", 4000, cuEventDestroy_v2)              \
  X(event_query, "cuEventQuery", 2000, cuEventQuery)                       \
  X(event_synchronize, "cuEventSynchronize", 2000, cuEventSynchronize)     \
  X(event_elapsed_time, "cuEventElapsedTime", 2000, cuEventElapsedTime)    \
  X(ctx_synchronize, "cuCtxSynchronize", 2000, cuCtxSynchronize)

// Those that have a per-thread variant as well (_ptsz, _ptds).
#define SIMGPU_DRIVER_STREAM_FUNCTIONS(X)                                      \
  X(memcpy_any, "cuMemcpy", 4000, cuMemcpy)                                    \
  X(memcpy_any_async, "cuMemcpyAsync", 4000, cuMemcpyAsync)                    \
  X(memcpy_up, "cuMemcpyHtoD", 3020, cuMemcpyHtoD_v2)                          \
  X(memcpy_up_async, "cuMemcpyHtoDAsync", 3020, cuMemcpyHtoDAsync_v2)          \
  X(memcpy_down, "cuMemcpyDtoH", 3020, cuMemcpyDtoH_v2)                        \
  X(memcpy_down_async, "cuMemcpyDtoHAsync", 3020, cuMemcpyDtoHAsync_v2)        \
  X(memcpy_inside, "cuMemcpyDtoD", 3020, cuMemcpyDtoD_v2)                      \
  X(memcpy_inside_async, "cuMemcpyDtoDAsync", 3020, cuMemcpyDtoDAsync_v2)      \
  X(memcpy_2d, "cuMemcpy2DUnaligned", 3020, cuMemcpy2DUnaligned_v2)            \
  X(memcpy_2d_async, "cuMemcpy2DAsync", 3020, cuMemcpy2DAsync_v2)              \
  X(memcpy_3d, "cuMemcpy3D", 3020, cuMemcpy3D_v2)                              \
  X(memcpy_3d_async, "cuMemcpy3DAsync", 3020, cuMemcpy3DAsync_v2)              \
  X(memcpy_peer, "cuMemcpyPeer", 4000, cuMemcpyPeer)                           \
  X(memcpy_peer_async, "cuMemcpyPeerAsync", 4000, cuMemcpyPeerAsync)           \
  X(memcpy_3d_peer, "cuMemcpy3DPeer", 4000, cuMemcpy3DPeer)                    \
  X(memcpy_3d_peer_async, "cuMemcpy3DPeerAsync", 4000, cuMemcpy3DPeerAsync)    \
  X(memcpy_batch_async, "cuMemcpyBatchAsync", 13000, cuMemcpyBatchAsync_v2)    \
  X(memcpy_3d_batch_async, "cuMemcpy3DBatchAsync", 13000,                      \
    cuMemcpy3DBatchAsync_v2)                                                   \
  X(memset_bytes, "cuMemsetD8", 3020, cuMemsetD8_v2)                           \
  X(memset_bytes_async, "cuMemsetD8Async", 3020, cuMemsetD8Async)              \
  X(memset_rows, "cuMemsetD2D8", 3020, cuMemsetD2D8_v2)                        \
  X(memset_rows_async, "cuMemsetD2D8Async", 3020, cuMemsetD2D8Async)           \
  X(mem_alloc_async, "cuMemAllocAsync", 11020, cuMemAllocAsync)                \
  X(mem_alloc_from_pool_async, "cuMemAllocFromPoolAsync", 11020,               \
    cuMemAllocFromPoolAsync)                                                   \
  X(mem_free_async, "cuMemFreeAsync", 11020, cuMemFreeAsync)                   \
  X(mem_prefetch_async, "cuMemPrefetchAsync", 12020, cuMemPrefetchAsync_v2)    \
  X(mem_prefetch_batch_async, "cuMemPrefetchBatchAsync", 13000,                \
    cuMemPrefetchBatchAsync)                                                   \
  X(mem_discard_batch_async, "cuMemDiscardBatchAsync", 13000,                  \
    cuMemDiscardBatchAsync)                                                    \
  X(mem_discard_and_prefetch_batch_async, "cuMemDiscardAndPrefetchBatchAsync", \
    13000, cuMemDiscardAndPrefetchBatchAsync)                                  \
  X(stream_attach_mem_async, "cuStreamAttachMemAsync", 6000,                   \
    cuStreamAttachMemAsync)                                                    \
  X(launch_host_func, "cuLaunchHostFunc", 10000, cuLaunchHostFunc)             \
  X(stream_add_callback, "cuStreamAddCallback", 5000, cuStreamAddCallback)     \
  X(stream_synchronize, "cuStreamSynchronize", 2000, cuStreamSynchronize)      \
  X(stream_query, "cuStreamQuery", 2000, cuStreamQuery)                        \
  X(stream_wait_event, "cuStreamWaitEvent", 3020, cuStreamWaitEvent)           \
  X(event_record, "cuEventRecord", 2000, cuEventRecord)                        \
  X(event_record_with_flags, "cuEventRecordWithFlags", 11010,                  \
    cuEventRecordWithFlags)                                                    \
  X(launch_kernel, "cuLaunchKernel", 4000, cuLaunchKernel)                     \
  X(launch_kernel_ex, "cuLaunchKernelEx", 11060, cuLaunchKernelEx)             \
  X(launch_cooperative_kernel, "cuLaunchCooperativeKernel", 9000,              \
    cuLaunchCooperativeKernel)                                                 \
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

#endif  // DLTAP_SIMGPU_CUDART_DRIVER_TABLE_H_
