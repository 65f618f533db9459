// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_NSYS_SCHEMA_H_
#define DLTAP_ANALYZER_MODEL_NSYS_SCHEMA_H_

#include <cstdint>
#include <string_view>

// The tables, columns and numbers of Nsight Systems' SQLite exports that dltap
// reads or writes.
namespace dltap::analyzer::nsys {

inline constexpr std::string_view kStringTable = "StringIds";
inline constexpr std::string_view kExportTable = "META_DATA_EXPORT";
inline constexpr std::string_view kCaptureTable = "META_DATA_CAPTURE";
inline constexpr std::string_view kStartTimeTable =
    "TARGET_INFO_SESSION_START_TIME";
inline constexpr std::string_view kSystemTable = "TARGET_INFO_SYSTEM_ENV";
inline constexpr std::string_view kGpuTable = "TARGET_INFO_GPU";
inline constexpr std::string_view kOldGpuTable = "TARGET_INFO_CUDA_GPU";
inline constexpr std::string_view kDeviceTable = "TARGET_INFO_CUDA_DEVICE";
inline constexpr std::string_view kProcessTable = "PROCESSES";
inline constexpr std::string_view kRankTable = "MPI_RANKS";
inline constexpr std::string_view kThreadTable = "ThreadNames";
inline constexpr std::string_view kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr std::string_view kGraphTable =
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr std::string_view kMemcpyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr std::string_view kMemsetTable = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr std::string_view kSyncTable =
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
inline constexpr std::string_view kRuntimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view kDriverTable = "CUPTI_ACTIVITY_KIND_DRIVER";
inline constexpr std::string_view kCudnnTable = "CUDNN_EVENTS";
inline constexpr std::string_view kCublasTable = "CUBLAS_EVENTS";
inline constexpr std::string_view kRangeTable = "NVTX_EVENTS";
inline constexpr std::string_view kMemoryTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
inline constexpr std::string_view kSwitchTable = "SCHED_EVENTS";

// Columns, of whatever table.
inline constexpr std::string_view kAddress = "address";
inline constexpr std::string_view kBlockX = "blockX";
inline constexpr std::string_view kBlockY = "blockY";
inline constexpr std::string_view kBlockZ = "blockZ";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kCallchainId = "callchainId";
inline constexpr std::string_view kComputeMajor = "computeMajor";
inline constexpr std::string_view kComputeMinor = "computeMinor";
inline constexpr std::string_view kComputeCapabilityMajor =
    "computeCapabilityMajor";
inline constexpr std::string_view kComputeCapabilityMinor =
    "computeCapabilityMinor";
inline constexpr std::string_view kContextId = "contextId";
inline constexpr std::string_view kCopyKind = "copyKind";
inline constexpr std::string_view kCorrelationId = "correlationId";
inline constexpr std::string_view kCudaId = "cudaId";
inline constexpr std::string_view kCuDevice = "cuDevice";
inline constexpr std::string_view kDemangledName = "demangledName";
inline constexpr std::string_view kDeviceId = "deviceId";
inline constexpr std::string_view kDevStateName = "devStateName";
inline constexpr std::string_view kDomainId = "domainId";
inline constexpr std::string_view kDstKind = "dstKind";
inline constexpr std::string_view kDynamicSharedMemory = "dynamicSharedMemory";
inline constexpr std::string_view kEnd = "end";
inline constexpr std::string_view kEventClass = "eventClass";
inline constexpr std::string_view kEventId = "eventId";
inline constexpr std::string_view kEventType = "eventType";
inline constexpr std::string_view kGlobalMemorySize = "globalMemorySize";
inline constexpr std::string_view kGlobalPid = "globalPid";
inline constexpr std::string_view kGlobalTid = "globalTid";
inline constexpr std::string_view kGlobalVid = "globalVid";
inline constexpr std::string_view kGpuId = "gpuId";
inline constexpr std::string_view kGraphId = "graphId";
inline constexpr std::string_view kGraphNodeId = "graphNodeId";
inline constexpr std::string_view kGreenContextId = "greenContextId";
inline constexpr std::string_view kGridX = "gridX";
inline constexpr std::string_view kGridY = "gridY";
inline constexpr std::string_view kGridZ = "gridZ";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kIsSchedIn = "isSchedIn";
inline constexpr std::string_view kLaunchType = "launchType";
inline constexpr std::string_view kLocalMemoryPoolAddress =
    "localMemoryPoolAddress";
inline constexpr std::string_view kLocalMemoryPoolSize = "localMemoryPoolSize";
inline constexpr std::string_view kLocalTime = "localTime";
inline constexpr std::string_view kMangledName = "mangledName";
inline constexpr std::string_view kMemKind = "memKind";
inline constexpr std::string_view kMemoryOperationType = "memoryOperationType";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kNameEnum = "nameEnum";
inline constexpr std::string_view kNameId = "nameId";
inline constexpr std::string_view kNumMultiprocessors = "numMultiprocessors";
inline constexpr std::string_view kPid = "pid";
inline constexpr std::string_view kPriority = "priority";
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kRegistersPerThread = "registersPerThread";
inline constexpr std::string_view kReturnValue = "returnValue";
inline constexpr std::string_view kShortName = "shortName";
inline constexpr std::string_view kSmCount = "smCount";
inline constexpr std::string_view kSmMajor = "smMajor";
inline constexpr std::string_view kSmMinor = "smMinor";
inline constexpr std::string_view kSrcKind = "srcKind";
inline constexpr std::string_view kStart = "start";
inline constexpr std::string_view kStaticSharedMemory = "staticSharedMemory";
inline constexpr std::string_view kStreamId = "streamId";
inline constexpr std::string_view kSyncType = "syncType";
inline constexpr std::string_view kText = "text";
inline constexpr std::string_view kTextId = "textId";
inline constexpr std::string_view kTotalMemory = "totalMemory";
inline constexpr std::string_view kUtcEpochNs = "utcEpochNs";
inline constexpr std::string_view kUtcTime = "utcTime";
inline constexpr std::string_view kUuid = "uuid";
inline constexpr std::string_view kValue = "value";

// Values of `name` in tables of facts.
inline constexpr std::string_view kSchemaVersion = "EXPORT_SCHEMA_VERSION";
inline constexpr std::string_view kProductVersion = "EXPORT_PRODUCT_VERSION";
inline constexpr std::string_view kHostname = "Hostname";
inline constexpr std::string_view kDriverVersion = "CudaDriverVersion";

// NVTX_EVENTS.eventType.
inline constexpr int64_t kPushPop = 59;
inline constexpr int64_t kStartEnd = 60;
inline constexpr int64_t kDomainCreate = 75;

// ENUM_CUDA_MEMCPY_OPER, as far as the model tells them apart.
inline constexpr int64_t kHtoD = 1;
inline constexpr int64_t kDtoH = 2;
inline constexpr int64_t kDtoD = 8;
inline constexpr int64_t kHtoH = 9;
inline constexpr int64_t kPtoP = 10;

// ENUM_CUDA_MEM_KIND, the same.
inline constexpr int64_t kPageableMemory = 0;
inline constexpr int64_t kPinnedMemory = 1;
inline constexpr int64_t kDeviceMemory = 2;
inline constexpr int64_t kArrayMemory = 3;
inline constexpr int64_t kManagedMemory = 4;

}  // namespace dltap::analyzer::nsys

#endif  // DLTAP_ANALYZER_MODEL_NSYS_SCHEMA_H_
