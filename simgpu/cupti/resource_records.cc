// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/resource_records.h"

#include <cuda.h>
#include <unistd.h>

#include <atomic>

#include "simgpu/base/api_scope.h"
#include "simgpu/base/clock.h"
#include "simgpu/cupti/thread_ids.h"
#include "simgpu/launch/handle_facts.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/device_attributes.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

// A device's record holds these attributes under other names.
struct AttributeRow {
  CUdevice_attribute attribute;
  uint32_t CUpti_ActivityDevice5::*field;
};
using Record = CUpti_ActivityDevice5;
constexpr AttributeRow kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &Record::constantMemorySize},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &Record::l2CacheSize},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &Record::numThreadsPerWarp},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &Record::coreClockRate},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, &Record::numMemcpyEngines},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &Record::numMultiprocessors},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
     &Record::maxBlocksPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
     &Record::maxSharedMemoryPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
     &Record::maxRegistersPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
     &Record::maxRegistersPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
     &Record::maxSharedMemoryPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &Record::maxThreadsPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &Record::maxBlockDimX},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &Record::maxBlockDimY},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &Record::maxBlockDimZ},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &Record::maxGridDimX},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &Record::maxGridDimY},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &Record::maxGridDimZ},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
     &Record::computeCapabilityMajor},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
     &Record::computeCapabilityMinor},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &Record::eccEnabled},
};

PendingRecord ToRecord(const Device& device) {
  constexpr double kBytesPerKib = 1024;
  Record record{};
  record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  record.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
  record.id = static_cast<uint32_t>(device.ordinal);
  record.name = device.gpu.product.data();  // a literal of the GPU table
  record.globalMemoryBandwidth =
      static_cast<uint64_t>(device.gpu.bandwidth_bytes_per_s / kBytesPerKib);
  record.globalMemorySize = device.memory_bytes;
  record.maxWarpsPerMultiprocessor =
      static_cast<uint32_t>(device.gpu.max_warps_per_sm);
  for (const AttributeRow& row : kAttributes) {
    record.*row.field = static_cast<uint32_t>(
        DeviceAttribute(device, row.attribute).value_or(0));
  }
  std::memcpy(record.uuid.bytes, device.uuid.data(), device.uuid.size());
  record.isCudaVisible = 1;
  return PendingRecord::Of(SimNow(), record);
}

PendingRecord ToRecord(const Context& context) {
  CUpti_ActivityContext3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = context.id;
  record.deviceId = static_cast<uint32_t>(context.device->ordinal);
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId =
      static_cast<uint16_t>(context.device->legacy_stream->id);
  record.numMultiprocessors = static_cast<uint16_t>(context.device->gpu.sms);
  return PendingRecord::Of(SimNow(), record);
}

PendingRecord ToRecord(const Stream& stream) {
  CUpti_ActivityStream record{};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = stream.context == nullptr
                         ? stream.device->primary_context->id
                         : stream.context->id;
  record.streamId = stream.id;
  record.priority = static_cast<uint32_t>(stream.priority);
  record.flag = stream.legacy ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
                : stream.blocking()
                    ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT
                    : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
  record.correlationId = CurrentCorrelationId();
  return PendingRecord::Of(SimNow(), record);
}

constinit std::atomic<uint32_t> g_last_function_id{0};
constinit std::atomic<uint64_t> g_last_compilation_id{0};

}  // namespace

std::vector<PendingRecord> FunctionRecords(
    const ResourceActivityRecord& resource) {
  std::vector<PendingRecord> records;
  uint32_t index = 0;
  for (const char* name : resource.module->kernels) {
    CUpti_ActivityFunction record{};
    record.kind = CUPTI_ACTIVITY_KIND_FUNCTION;
    record.id = g_last_function_id.fetch_add(1) + 1;
    record.contextId = ContextIdOf(resource.context);
    record.moduleId = resource.module->id;
    record.functionIndex = index++;
    record.name = name;
    records.push_back(PendingRecord::Of(resource.module->end_ns, record));
  }
  return records;
}

PendingRecord JitRecord(const ModuleFacts& module) {
  CUpti_ActivityJit2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_JIT;
  record.jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN;
  record.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_COMPILE;
  record.deviceId = static_cast<uint32_t>(CurrentDeviceState().ordinal);
  record.start = static_cast<uint64_t>(module.begin_ns);
  record.end = static_cast<uint64_t>(module.end_ns);
  record.correlationId = CurrentCorrelationId();
  record.jitOperationCorrelationId = g_last_compilation_id.fetch_add(1) + 1;
  record.processId = static_cast<uint32_t>(getpid());
  record.threadId = ClientThreadId();
  return PendingRecord::Of(module.end_ns, record);
}

std::vector<PendingRecord> Inventory(CUpti_ActivityKind kind) {
  std::vector<PendingRecord> records;
  for (int ordinal = 0; ordinal < DeviceCount(); ++ordinal) {
    Device& device = *FindDevice(ordinal);
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
      records.push_back(ToRecord(device));
    }
    if (!device.primary_active) continue;
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
      records.push_back(ToRecord(*device.primary_context));
    } else if (kind == CUPTI_ACTIVITY_KIND_STREAM) {
      const std::lock_guard lock(device.streams_mutex);
      for (const Stream* stream : device.streams) {
        records.push_back(ToRecord(*stream));
      }
    }
  }
  return records;
}

std::optional<PendingRecord> ToResourceRecord(
    const ResourceActivityRecord& resource) {
  switch (resource.event) {
    case ResourceEvent::kContextCreated:
      if (const auto* context = FromHandle<Context>(resource.context)) {
        return ToRecord(*context);
      }
      return std::nullopt;
    case ResourceEvent::kStreamCreated:
      if (const auto* stream = FromHandle<Stream>(resource.handle)) {
        return ToRecord(*stream);
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace dltap::simgpu
