// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/record_table.h"

#include <array>

#include "simgpu/cupti/toolkit.h"

namespace dltap::simgpu {
namespace {

struct LayoutRow {
  CUpti_ActivityKind kind;
  uint32_t since;  // API version that writes records of `bytes`
  uint16_t bytes;
};

// By each header's documentation of CUpti_ActivityKind and, for releases in
// between, the notes of deprecation in cupti_activity_deprecated.h. Rows of a
// kind go from old to new. Of the header of 13.3, with which this is not
// compiled, only the length of kernels is here; they grew at their end.
#define DLTAP_ROW(kind, since, type) \
  { CUPTI_ACTIVITY_KIND_##kind, since, sizeof(CUpti_Activity##type) }
constexpr LayoutRow kLayouts[] = {
    DLTAP_ROW(MEMCPY, 0, Memcpy),
    DLTAP_ROW(MEMCPY, 13, Memcpy3),
    DLTAP_ROW(MEMCPY, 14, Memcpy4),
    DLTAP_ROW(MEMCPY, 17, Memcpy5),
    DLTAP_ROW(MEMCPY, 26, Memcpy6),
    DLTAP_ROW(MEMCPY2, 0, MemcpyPtoP),
    DLTAP_ROW(MEMCPY2, 13, MemcpyPtoP2),
    DLTAP_ROW(MEMCPY2, 14, MemcpyPtoP3),
    DLTAP_ROW(MEMCPY2, 17, MemcpyPtoP4),
    DLTAP_ROW(MEMSET, 0, Memset),
    DLTAP_ROW(MEMSET, 13, Memset2),
    DLTAP_ROW(MEMSET, 14, Memset3),
    DLTAP_ROW(MEMSET, 17, Memset4),
    DLTAP_ROW(KERNEL, 0, Kernel4),
    DLTAP_ROW(KERNEL, 13, Kernel5),
    DLTAP_ROW(KERNEL, 15, Kernel6),
    DLTAP_ROW(KERNEL, 17, Kernel7),
    DLTAP_ROW(KERNEL, 18, Kernel8),
    DLTAP_ROW(KERNEL, 19, Kernel9),
    DLTAP_ROW(KERNEL, 130000, Kernel10),
    {CUPTI_ACTIVITY_KIND_KERNEL, 130300, kMaxRecordBytes},
    DLTAP_ROW(CONCURRENT_KERNEL, 0, Kernel4),
    DLTAP_ROW(CONCURRENT_KERNEL, 13, Kernel5),
    DLTAP_ROW(CONCURRENT_KERNEL, 15, Kernel6),
    DLTAP_ROW(CONCURRENT_KERNEL, 17, Kernel7),
    DLTAP_ROW(CONCURRENT_KERNEL, 18, Kernel8),
    DLTAP_ROW(CONCURRENT_KERNEL, 19, Kernel9),
    DLTAP_ROW(CONCURRENT_KERNEL, 130000, Kernel10),
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 130300, kMaxRecordBytes},
    DLTAP_ROW(DRIVER, 0, API),
    DLTAP_ROW(RUNTIME, 0, API),
    DLTAP_ROW(DEVICE, 0, Device3),
    DLTAP_ROW(DEVICE, 13, Device4),
    DLTAP_ROW(DEVICE, 22, Device5),
    DLTAP_ROW(CONTEXT, 0, Context),
    DLTAP_ROW(CONTEXT, 22, Context2),
    DLTAP_ROW(CONTEXT, 26, Context3),
    DLTAP_ROW(NAME, 0, Name),
    DLTAP_ROW(MARKER, 0, Marker2),
    DLTAP_ROW(OVERHEAD, 0, Overhead),
    DLTAP_ROW(OVERHEAD, 20, Overhead2),
    DLTAP_ROW(OVERHEAD, 22, Overhead3),
    DLTAP_ROW(MODULE, 0, Module),
    DLTAP_ROW(FUNCTION, 0, Function),
    DLTAP_ROW(CUDA_EVENT, 0, CudaEvent),
    DLTAP_ROW(CUDA_EVENT, 26, CudaEvent2),
    DLTAP_ROW(STREAM, 0, Stream),
    DLTAP_ROW(SYNCHRONIZATION, 0, Synchronization),
    DLTAP_ROW(SYNCHRONIZATION, 26, Synchronization2),
    DLTAP_ROW(EXTERNAL_CORRELATION, 0, ExternalCorrelation),
    DLTAP_ROW(MEMORY, 0, Memory),
    DLTAP_ROW(MEMORY2, 14, Memory2),
    DLTAP_ROW(MEMORY2, 16, Memory3),
    DLTAP_ROW(MEMORY2, 26, Memory4),
    DLTAP_ROW(MEMORY_POOL, 15, MemoryPool),
    DLTAP_ROW(MEMORY_POOL, 16, MemoryPool2),
    DLTAP_ROW(MEMORY_POOL, 130000, MemoryPool3),
    DLTAP_ROW(MARKER_DATA, 0, MarkerData),
    DLTAP_ROW(MARKER_DATA, 130000, MarkerData2),
    DLTAP_ROW(JIT, 17, Jit),
    DLTAP_ROW(JIT, 22, Jit2),
    DLTAP_ROW(GRAPH_TRACE, 18, GraphTrace),
    DLTAP_ROW(GRAPH_TRACE, 22, GraphTrace2),
};
#undef DLTAP_ROW

// The last field of the older structure lies where the newer one has it.
#define DLTAP_PREFIX(older, newer, last)                                  \
  static_assert(                                                          \
      offsetof(CUpti_Activity##older, last) ==                            \
              offsetof(CUpti_Activity##newer, last) &&                    \
          sizeof(CUpti_Activity##older) <= sizeof(CUpti_Activity##newer), \
      #older " is no prefix of " #newer)
DLTAP_PREFIX(Memcpy, Memcpy3, runtimeCorrelationId);
DLTAP_PREFIX(Memcpy3, Memcpy4, graphNodeId);
DLTAP_PREFIX(Memcpy4, Memcpy5, graphId);
DLTAP_PREFIX(Memcpy5, Memcpy6, channelType);
DLTAP_PREFIX(MemcpyPtoP, MemcpyPtoP2, correlationId);
DLTAP_PREFIX(MemcpyPtoP2, MemcpyPtoP3, graphNodeId);
DLTAP_PREFIX(MemcpyPtoP3, MemcpyPtoP4, graphId);
DLTAP_PREFIX(Memset, Memset2, memoryKind);
DLTAP_PREFIX(Memset2, Memset3, graphNodeId);
DLTAP_PREFIX(Memset3, Memset4, graphId);
DLTAP_PREFIX(Kernel4, Kernel5, sharedMemoryExecuted);
DLTAP_PREFIX(Kernel5, Kernel6, graphId);
DLTAP_PREFIX(Kernel6, Kernel7, pAccessPolicyWindow);
DLTAP_PREFIX(Kernel7, Kernel8, channelType);
DLTAP_PREFIX(Kernel8, Kernel9, localMemoryTotal_v2);
DLTAP_PREFIX(Kernel9, Kernel10, maxActiveClusters);
DLTAP_PREFIX(Device3, Device4, isCudaVisible);
DLTAP_PREFIX(Device4, Device5, migUuid);
DLTAP_PREFIX(Context, Context2, nullStreamId);
DLTAP_PREFIX(Context2, Context3, numMultiprocessors);
DLTAP_PREFIX(Overhead, Overhead2, end);
DLTAP_PREFIX(Overhead2, Overhead3, correlationId);
DLTAP_PREFIX(CudaEvent, CudaEvent2, eventId);
DLTAP_PREFIX(Synchronization, Synchronization2, cudaEventId);
DLTAP_PREFIX(Memory2, Memory3, isAsync);
DLTAP_PREFIX(Memory3, Memory4, memoryPoolConfig);
DLTAP_PREFIX(MemoryPool, MemoryPool2, timestamp);
DLTAP_PREFIX(MemoryPool2, MemoryPool3, utilizedSize);
DLTAP_PREFIX(MarkerData, MarkerData2, category);
DLTAP_PREFIX(Jit, Jit2, cachePath);
DLTAP_PREFIX(GraphTrace, GraphTrace2, reserved);
#undef DLTAP_PREFIX

// Of the newest structures.
#define DLTAP_AT(type, field) offsetof(CUpti_Activity##type, field)
constexpr uint16_t kKernelTimes[] = {
    DLTAP_AT(Kernel10, start), DLTAP_AT(Kernel10, end),
    DLTAP_AT(Kernel10, completed), DLTAP_AT(Kernel10, queued),
    DLTAP_AT(Kernel10, submitted)};
constexpr uint16_t kMemcpyTimes[] = {DLTAP_AT(Memcpy6, start),
                                     DLTAP_AT(Memcpy6, end)};
constexpr uint16_t kPeerTimes[] = {DLTAP_AT(MemcpyPtoP4, start),
                                   DLTAP_AT(MemcpyPtoP4, end)};
constexpr uint16_t kMemsetTimes[] = {DLTAP_AT(Memset4, start),
                                     DLTAP_AT(Memset4, end)};
constexpr uint16_t kApiTimes[] = {DLTAP_AT(API, start), DLTAP_AT(API, end)};
constexpr uint16_t kSyncTimes[] = {DLTAP_AT(Synchronization2, start),
                                   DLTAP_AT(Synchronization2, end)};
constexpr uint16_t kOverheadTimes[] = {DLTAP_AT(Overhead3, start),
                                       DLTAP_AT(Overhead3, end)};
constexpr uint16_t kGraphTimes[] = {DLTAP_AT(GraphTrace2, start),
                                    DLTAP_AT(GraphTrace2, end)};
constexpr uint16_t kMemoryTimes[] = {DLTAP_AT(Memory, start),
                                     DLTAP_AT(Memory, end)};
constexpr uint16_t kMemory2Times[] = {DLTAP_AT(Memory4, timestamp)};
constexpr uint16_t kPoolTimes[] = {DLTAP_AT(MemoryPool3, timestamp)};
constexpr uint16_t kMarkerTimes[] = {DLTAP_AT(Marker2, timestamp)};
constexpr uint16_t kJitTimes[] = {DLTAP_AT(Jit2, start), DLTAP_AT(Jit2, end)};
constexpr uint16_t kEventTimes[] = {DLTAP_AT(CudaEvent2, deviceTimestamp)};
#undef DLTAP_AT

using SizesByKind = std::array<uint16_t, CUPTI_ACTIVITY_KIND_COUNT>;

SizesByKind SizesOfThisVersion() {
  SizesByKind sizes{};
  for (size_t kind = 0; kind < sizes.size(); ++kind) {
    sizes[kind] = static_cast<uint16_t>(
        RecordBytes(static_cast<CUpti_ActivityKind>(kind), CuptiApiVersion()));
  }
  return sizes;
}

}  // namespace

size_t RecordBytes(CUpti_ActivityKind kind, uint32_t api_version) {
  size_t bytes = 0;
  for (const LayoutRow& row : kLayouts) {
    if (row.kind == kind && row.since <= api_version) bytes = row.bytes;
  }
  return bytes;
}

size_t RecordBytes(CUpti_ActivityKind kind) {
  static const SizesByKind sizes = SizesOfThisVersion();
  const auto index = static_cast<size_t>(kind);
  return index < sizes.size() ? sizes[index] : 0;
}

RecordTimes TimesOf(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return {kKernelTimes, true};
    case CUPTI_ACTIVITY_KIND_MEMCPY: return {kMemcpyTimes, true};
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return {kPeerTimes, true};
    case CUPTI_ACTIVITY_KIND_MEMSET: return {kMemsetTimes, true};
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return {kApiTimes, true};
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return {kSyncTimes, true};
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return {kOverheadTimes, true};
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return {kGraphTimes, true};
    case CUPTI_ACTIVITY_KIND_JIT: return {kJitTimes, true};
    case CUPTI_ACTIVITY_KIND_MEMORY: return {kMemoryTimes, true};
    case CUPTI_ACTIVITY_KIND_MEMORY2: return {kMemory2Times, false};
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL: return {kPoolTimes, false};
    case CUPTI_ACTIVITY_KIND_MARKER: return {kMarkerTimes, false};
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return {kEventTimes, false};
    default: return {{}, false};
  }
}

}  // namespace dltap::simgpu
