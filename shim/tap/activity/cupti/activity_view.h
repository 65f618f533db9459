// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_VIEW_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_VIEW_H_

#include <array>
#include <cstdint>

// CUPTI's activity records, whichever version of CUPTI wrote them. Layouts only
// ever grow at their end, so fields are read by offset as far as the running
// library's structures reach; what it does not have reads as 0.
namespace dltap::shim::cupti {

// Values of CUpti_ActivityKind.
enum class ActivityKind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriverApi = 4,
  kRuntimeApi = 5,
  kConcurrentKernel = 10,
  kPeerCopy = 22,  // MEMCPY2
  kExternalCorrelation = 39,
};

// Sizes of the records that a CUPTI version writes.
struct ActivitySizes {
  uint16_t kernel;
  uint16_t memcpy;
  uint16_t peer_copy;
  uint16_t memset;
};

// `version` is cuptiGetVersion's: 13 (CUDA 11.0) and later.
ActivitySizes SizesOf(uint32_t version);
inline constexpr uint32_t kOldestVersion = 13;

struct KernelView {
  uint64_t start_ns, end_ns, graph_node;
  uint32_t device, context, stream, correlation, graph;
  std::array<uint32_t, 3> grid, block, cluster;
  uint32_t static_shared, dynamic_shared, local_per_thread;
  uint16_t registers;
  const char* name;  // CUPTI's memory: copy it before the module may go
};

struct CopyView {
  uint64_t start_ns, end_ns, bytes, graph_node;
  uint32_t device, context, stream, correlation, graph;
  uint32_t source_device, target_device;  // 0xFFFFFFFF: not a peer copy
  uint8_t copy_kind, source, target;
  bool is_async;
};

struct MemsetView {
  uint64_t start_ns, end_ns, bytes, graph_node;
  uint32_t device, context, stream, correlation, graph, value;
  uint8_t memory_kind;
  bool is_async;
};

struct ApiView {
  uint64_t start_ns, end_ns;
  uint32_t cbid, thread, correlation;
};

struct ExternalView {
  uint64_t id;
  uint32_t kind, correlation;
};

ActivityKind KindOf(const void* record);
KernelView ReadKernel(const void* record, const ActivitySizes& sizes);
CopyView ReadCopy(const void* record, const ActivitySizes& sizes);
CopyView ReadPeerCopy(const void* record, const ActivitySizes& sizes);
MemsetView ReadMemset(const void* record, const ActivitySizes& sizes);
ApiView ReadApi(const void* record);
ExternalView ReadExternal(const void* record);

// CUPTI's ids wrap at 2^32 (a day at 50,000 calls/s) and come roughly in order:
// the one nearest to `near` is meant.
inline uint64_t WidenCorrelation(uint32_t id, uint64_t near) {
  const auto step = static_cast<int32_t>(id - static_cast<uint32_t>(near));
  const uint64_t wide = near + static_cast<uint64_t>(int64_t{step});
  // Before the first wrap nothing lies below zero.
  return static_cast<int64_t>(wide) < 0 ? id : wide;
}

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_VIEW_H_
