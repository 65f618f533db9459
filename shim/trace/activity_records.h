// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_ACTIVITY_RECORDS_H_
#define DLTAP_SHIM_TRACE_ACTIVITY_RECORDS_H_

#include <cstdint>

#include "shim/trace/record_header.h"

// What the device did. Part of records.h.
namespace dltap::trace {

// Activities. A duration of kDurationEscape stands for a u64 that follows the
// struct. correlation is widened to 64 bits by the writer.
struct KernelRecord {
  static constexpr auto kKind = RecordKind::kKernel;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint64_t graph_node;  // 0: not from a graph
  uint32_t duration_ns;
  uint32_t variant;
  uint32_t stream;
  uint32_t graph;
};

enum class CopyKind : uint8_t {
  kUnknown = 0,
  kHtoD = 1,
  kDtoH = 2,
  kHtoA = 3,
  kAtoH = 4,
  kAtoA = 5,
  kAtoD = 6,
  kDtoA = 7,
  kDtoD = 8,
  kHtoH = 9,
  kPtoP = 10,
};
enum class MemoryKind : uint8_t {
  kUnknown = 0,
  kPageable = 1,
  kPinned = 2,
  kDevice = 3,
  kArray = 4,
  kManaged = 5,
  kDeviceStatic = 6,
  kManagedStatic = 7,
};

struct MemcpyRecord {
  static constexpr auto kKind = RecordKind::kMemcpy;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint64_t graph_node;
  uint32_t duration_ns;
  uint32_t stream;
  uint32_t graph;
  uint8_t copy_kind;  // CopyKind
  uint8_t source;     // MemoryKind
  uint8_t target;     // MemoryKind
  uint8_t is_async;
  uint64_t bytes;
  uint32_t source_device;  // kNoIndex: host, or the stream's own
  uint32_t target_device;
};

struct MemsetRecord {
  static constexpr auto kKind = RecordKind::kMemset;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint64_t graph_node;
  uint32_t duration_ns;
  uint32_t stream;
  uint32_t graph;
  uint8_t memory_kind;  // MemoryKind
  uint8_t is_async;
  uint8_t reserved[2];
  uint64_t bytes;
  uint32_t value;
  uint32_t reserved2;
};

// The activity source's own record of the API call that launched something.
struct LaunchApiRecord {
  static constexpr auto kKind = RecordKind::kLaunchApi;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint64_t external;  // begin_ticks of the outermost library call; 0: none
  uint32_t duration_ns;
  uint32_t thread;
  uint32_t api;  // number of the function in that domain, as the source counts
  uint8_t domain;  // 1: driver, 2: runtime
  uint8_t reserved[3];
};

// Where a graph node came from: a clone of another node, or the call of
// `thread` that began at call_begin_ticks. 0: not that.
struct GraphNodeRecord {
  static constexpr auto kKind = RecordKind::kGraphNode;
  RecordHeader header;
  uint64_t node;
  uint64_t original_node;
  uint64_t call_begin_ticks;
  uint32_t thread;
  uint32_t graph;
};

struct SyncRecord {
  static constexpr auto kKind = RecordKind::kSync;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint32_t duration_ns;
  uint32_t type;    // 1: event, 2: stream waits, 3: stream, 4: context
  uint32_t stream;  // kNoIndex: of a context
  uint32_t event;   // the source's number of it
};

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_ACTIVITY_RECORDS_H_
