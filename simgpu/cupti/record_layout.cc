// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/record_layout.h"

#include <unistd.h>

#include "simgpu/cupti/record_table.h"

namespace dltap::simgpu {
namespace {

CUpti_ActivityKind KindOf(const std::byte* layout) {
  CUpti_ActivityKind kind;
  std::memcpy(&kind, layout, sizeof kind);
  return kind;
}

// Copies within a device, by what is an array; host memory is none.
uint8_t InsideKind(const CopyActivityRecord& copy) {
  const bool to_array = copy.destination_kind == MemoryKind::kArray;
  if (copy.source_kind == MemoryKind::kArray) {
    return to_array ? CUPTI_ACTIVITY_MEMCPY_KIND_ATOA
                    : CUPTI_ACTIVITY_MEMCPY_KIND_ATOD;
  }
  return to_array ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOA
                  : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
}

uint8_t CopyKindOf(const CopyActivityRecord& copy) {
  switch (copy.direction) {
    case CopyDirection::kHostToDevice:
      return copy.destination_kind == MemoryKind::kArray
                 ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOA
                 : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    case CopyDirection::kDeviceToHost:
      return copy.source_kind == MemoryKind::kArray
                 ? CUPTI_ACTIVITY_MEMCPY_KIND_ATOH
                 : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    case CopyDirection::kDeviceToDevice: return InsideKind(copy);
    case CopyDirection::kHostToHost: return CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
    case CopyDirection::kPeer: return CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  }
  return CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN;
}

// The fields that kernel, copy and memset records share by name.
template <typename Record>
void FillPlace(Record& record, const WorkPlace& place) {
  record.start = static_cast<uint64_t>(place.begin_ns);
  record.end = static_cast<uint64_t>(place.end_ns);
  record.deviceId = place.device_id;
  record.contextId = place.context_id;
  record.streamId = place.stream_id;
  record.correlationId = place.correlation_id;
  record.graphNodeId = place.graph_node_id;
  record.graphId = place.graph_id;
}

// Those that copies between and within devices share.
template <typename Record>
void FillCopy(Record& record, const CopyActivityRecord& copy) {
  record.copyKind = CopyKindOf(copy);
  record.srcKind = MemoryKindOf(copy.source_kind);
  record.dstKind = MemoryKindOf(copy.destination_kind);
  record.flags = copy.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC
                                   : CUPTI_ACTIVITY_FLAG_NONE;
  record.bytes = copy.bytes;
}

}  // namespace

uint8_t MemoryKindOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable: return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    case MemoryKind::kPinned: return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case MemoryKind::kDevice: return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    case MemoryKind::kManaged: return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    case MemoryKind::kArray: return CUPTI_ACTIVITY_MEMORY_KIND_ARRAY;
  }
  return CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
}

PendingRecord ToRecord(const KernelActivityRecord& kernel,
                       const KernelRecordStyle& style) {
  CUpti_ActivityKernel10 record{};
  record.kind = style.serial_kind ? CUPTI_ACTIVITY_KIND_KERNEL
                                  : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  FillPlace(record, kernel.place);
  if (style.latencies) {
    record.queued = static_cast<uint64_t>(kernel.place.submitted_ns);
    record.submitted = record.queued;
  }
  record.completed = record.end;
  record.registersPerThread =
      static_cast<uint16_t>(kernel.registers_per_thread);
  record.gridX = static_cast<int32_t>(kernel.grid.x);
  record.gridY = static_cast<int32_t>(kernel.grid.y);
  record.gridZ = static_cast<int32_t>(kernel.grid.z);
  record.blockX = static_cast<int32_t>(kernel.block.x);
  record.blockY = static_cast<int32_t>(kernel.block.y);
  record.blockZ = static_cast<int32_t>(kernel.block.z);
  record.clusterX = kernel.cluster.x;
  record.clusterY = kernel.cluster.y;
  record.clusterZ = kernel.cluster.z;
  record.staticSharedMemory = static_cast<int32_t>(kernel.static_shared_bytes);
  record.dynamicSharedMemory =
      static_cast<int32_t>(kernel.dynamic_shared_bytes);
  record.sharedMemoryExecuted =
      kernel.static_shared_bytes + kernel.dynamic_shared_bytes;
  record.gridId = static_cast<int64_t>(kernel.grid_id);
  record.name = kernel.name;
  record.launchType = kernel.cooperative
                          ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                          : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  return PendingRecord::Of(kernel.place.end_ns, record);
}

PendingRecord ToRecord(const CopyActivityRecord& copy) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  FillPlace(record, copy.place);
  FillCopy(record, copy);
  record.copyCount = 1;
  return PendingRecord::Of(copy.place.end_ns, record);
}

PendingRecord ToPeerRecord(const CopyActivityRecord& copy) {
  CUpti_ActivityMemcpyPtoP4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  FillPlace(record, copy.place);
  FillCopy(record, copy);
  record.srcDeviceId = copy.source_device_id;
  record.dstDeviceId = copy.destination_device_id;
  record.srcContextId = record.dstContextId = copy.place.context_id;
  return PendingRecord::Of(copy.place.end_ns, record);
}

PendingRecord ToGraphRecord(const WorkPlace& place) {
  CUpti_ActivityGraphTrace2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  record.correlationId = place.correlation_id;
  record.start = static_cast<uint64_t>(place.begin_ns);
  record.end = static_cast<uint64_t>(place.end_ns);
  record.deviceId = record.endDeviceId = place.device_id;
  record.contextId = record.endContextId = place.context_id;
  record.streamId = place.stream_id;
  record.graphId = place.graph_id;
  return PendingRecord::Of(place.end_ns, record);
}

PendingRecord ToRecord(const MemsetActivityRecord& memset) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  FillPlace(record, memset.place);
  record.value = memset.value;
  record.bytes = memset.bytes;
  record.memoryKind = MemoryKindOf(memset.kind);
  record.flags = memset.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC
                                     : CUPTI_ACTIVITY_FLAG_NONE;
  return PendingRecord::Of(memset.place.end_ns, record);
}

PendingRecord ToRecord(const SynchronizationActivityRecord& sync) {
  constexpr CUpti_ActivitySynchronizationType kTypes[] = {
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE};
  CUpti_ActivitySynchronization2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = kTypes[static_cast<size_t>(sync.kind)];
  record.start = static_cast<uint64_t>(sync.place.begin_ns);
  record.end = static_cast<uint64_t>(sync.place.end_ns);
  record.correlationId = sync.place.correlation_id;
  record.contextId = sync.place.context_id;
  record.streamId = sync.place.stream_id;
  record.cudaEventId =
      sync.event_id == 0 ? CUPTI_SYNCHRONIZATION_INVALID_VALUE : sync.event_id;
  record.cudaEventSyncId = sync.event_record_id == 0
                               ? CUPTI_SYNCHRONIZATION_INVALID_VALUE
                               : sync.event_record_id;
  record.returnValue = static_cast<uint32_t>(sync.result);
  return PendingRecord::Of(sync.place.end_ns, record);
}

PendingRecord ToRecord(const EventActivityRecord& event, bool with_time) {
  CUpti_ActivityCudaEvent2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  record.correlationId = event.place.correlation_id;
  record.contextId = event.place.context_id;
  record.streamId = event.place.stream_id;
  record.eventId = event.event_id;
  record.deviceId = event.place.device_id;
  if (with_time) {
    record.deviceTimestamp = static_cast<uint64_t>(event.place.end_ns);
  }
  record.cudaEventSyncId = event.record_id;
  return PendingRecord::Of(
      with_time ? event.place.end_ns : event.place.submitted_ns, record);
}

PendingRecord ToRecord(const ApiActivity& call, uint32_t thread_id) {
  CUpti_ActivityAPI record{};
  record.kind = call.function->domain == ApiDomain::kRuntime
                    ? CUPTI_ACTIVITY_KIND_RUNTIME
                    : CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = call.function->cbid;
  record.start = static_cast<uint64_t>(call.begin_ns);
  record.end = static_cast<uint64_t>(call.end_ns);
  record.processId = static_cast<uint32_t>(getpid());
  record.threadId = thread_id;
  record.correlationId = call.correlation_id;
  record.returnValue = static_cast<uint32_t>(call.result);
  return PendingRecord::Of(call.end_ns, record);
}

PendingRecord ToExternalRecord(const ApiActivity& call,
                               CUpti_ExternalCorrelationKind kind,
                               uint64_t id) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = kind;
  record.externalId = id;
  record.correlationId = call.correlation_id;
  return PendingRecord::Of(call.end_ns, record);
}

void ConvertTimes(PendingRecord& record, ConvertTime convert,
                  ConvertTime convert_length) {
  std::byte* layout = record.layout.data();
  const RecordTimes times = TimesOf(KindOf(layout));
  const auto at = [&](uint16_t offset) {
    uint64_t time = 0;
    std::memcpy(&time, layout + offset, sizeof time);
    return time;
  };
  const bool has_length = convert_length != nullptr && times.has_span &&
                          at(times.offsets[0]) != 0 &&
                          at(times.offsets[1]) >= at(times.offsets[0]);
  const uint64_t length =
      has_length ? convert_length(at(times.offsets[1]) - at(times.offsets[0]))
                 : 0;
  for (const uint16_t offset : times.offsets) {
    uint64_t time = at(offset);
    if (time != 0) time = convert(time);
    std::memcpy(layout + offset, &time, sizeof time);
  }
  if (!has_length) return;
  const uint64_t end = at(times.offsets[0]) + length;
  std::memcpy(layout + times.offsets[1], &end, sizeof end);
}

void ClearTimes(PendingRecord& record) {
  ConvertTimes(record, [](uint64_t) -> uint64_t { return 0; });
}

bool IsDeviceWork(const PendingRecord& record) {
  switch (KindOf(record.layout.data())) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_MEMSET:
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return true;
    default: return false;
  }
}

int64_t EndOf(const PendingRecord& record) {
  const std::byte* layout = record.layout.data();
  const RecordTimes times = TimesOf(KindOf(layout));
  int64_t end_ns = 0;
  if (times.has_span) {
    std::memcpy(&end_ns, layout + times.offsets[1], sizeof end_ns);
  }
  return end_ns;
}

void ClearEnd(PendingRecord& record) {
  std::byte* layout = record.layout.data();
  const RecordTimes times = TimesOf(KindOf(layout));
  if (!times.has_span) return;
  std::memset(layout + times.offsets[1], 0, sizeof(uint64_t));
}

}  // namespace dltap::simgpu
