// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/memory_records.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include "simgpu/base/address_routes.h"

namespace dltap::simgpu {
namespace {

constexpr int kMaxFrames = 32;

CUpti_ActivityMemoryPoolType TypeOf(const PoolFacts& pool) {
  return pool.imported ? CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED
                       : CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
}

CUpti_ActivityMemoryPoolOperationType ToCupti(PoolOperation operation) {
  switch (operation) {
    case PoolOperation::kCreated:
      return CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
    case PoolOperation::kDestroyed:
      return CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED;
    case PoolOperation::kTrimmed:
      return CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  }
  return CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_INVALID;
}

void FillPool(CUpti_ActivityMemory4& record, const PoolFacts& pool) {
  auto& config = record.memoryPoolConfig;
  config.memoryPoolType = TypeOf(pool);
  config.address = pool.address;
  config.releaseThreshold = pool.release_threshold;
  if (pool.imported) {
    config.pool.processId = static_cast<uint64_t>(getpid());
  } else {
    config.pool.size = pool.size;
  }
  config.utilizedSize = pool.utilized;
}

}  // namespace

MemoryCaller CallerOfMemory(bool with_file) {
  void* frames[kMaxFrames];
  const int count = backtrace(frames, kMaxFrames);
  for (int i = 1; i < count; ++i) {
    if (IsSimulatedLibrary(frames[i])) continue;
    MemoryCaller caller{.code = reinterpret_cast<uint64_t>(frames[i])};
    Dl_info object;
    if (with_file && dladdr(frames[i], &object) != 0) {
      caller.file = object.dli_fname;
    }
    return caller;
  }
  return {};
}

PendingRecord ToRecord(const MemoryActivityRecord& memory,
                       const MemoryCaller& caller) {
  CUpti_ActivityMemory4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType =
      memory.release ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                     : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  record.memoryKind =
      static_cast<CUpti_ActivityMemoryKind>(MemoryKindOf(memory.kind));
  record.correlationId = memory.correlation_id;
  record.address = memory.address;
  record.bytes = memory.bytes;
  record.timestamp = static_cast<uint64_t>(memory.time_ns);
  record.PC = caller.code;
  record.processId = static_cast<uint32_t>(getpid());
  record.deviceId = memory.device_id;
  record.contextId = memory.context_id;
  record.streamId = memory.stream_id;
  record.isAsync = memory.stream_id != kNoStream ? 1 : 0;
  if (memory.pool != nullptr) FillPool(record, *memory.pool);
  record.source = caller.file;
  return PendingRecord::Of(memory.time_ns, record);
}

PendingRecord ToRecord(const PoolActivityRecord& pool) {
  CUpti_ActivityMemoryPool3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  record.memoryPoolOperationType = ToCupti(pool.operation);
  record.memoryPoolType = TypeOf(pool.facts);
  record.correlationId = pool.correlation_id;
  record.processId = static_cast<uint32_t>(getpid());
  record.deviceId = pool.device_id;
  record.minBytesToKeep = pool.min_bytes_to_keep;
  record.address = pool.facts.address;
  record.size = pool.facts.size;
  record.releaseThreshold = pool.facts.release_threshold;
  record.timestamp = static_cast<uint64_t>(pool.time_ns);
  record.utilizedSize = pool.facts.utilized;
  record.isManagedPool = pool.facts.managed ? 1 : 0;
  return PendingRecord::Of(pool.time_ns, record);
}

std::optional<PendingRecord> MemoryLifetimes::Add(
    const MemoryActivityRecord& memory, const MemoryCaller& caller) {
  const std::lock_guard lock(mutex_);
  if (!memory.release) {
    beginnings_[memory.address] = {memory.time_ns, caller.code};
    return std::nullopt;
  }
  const auto begun = beginnings_.extract(memory.address);
  if (begun.empty()) return std::nullopt;
  CUpti_ActivityMemory record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY;
  record.memoryKind =
      static_cast<CUpti_ActivityMemoryKind>(MemoryKindOf(memory.kind));
  record.address = memory.address;
  record.bytes = memory.bytes;
  record.start = static_cast<uint64_t>(begun.mapped().time_ns);
  record.end = static_cast<uint64_t>(memory.time_ns);
  record.allocPC = begun.mapped().code;
  record.freePC = caller.code;
  record.processId = static_cast<uint32_t>(getpid());
  record.deviceId = memory.device_id;
  record.contextId = memory.context_id;
  return PendingRecord::Of(memory.time_ns, record);
}

void MemoryLifetimes::Clear() {
  const std::lock_guard lock(mutex_);
  beginnings_.clear();
}

}  // namespace dltap::simgpu
