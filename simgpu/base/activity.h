// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ACTIVITY_H_
#define DLTAP_SIMGPU_BASE_ACTIVITY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simgpu/base/api_function.h"
#include "simgpu/base/launch_geometry.h"

namespace dltap::simgpu {

// What the core tells an activity client (the CUPTI library). Records are
// handed over by the thread that makes the call, at submission: begin and end
// of device work may lie in the future, and the client delivers a record only
// when SimNow() has passed its end. Times are of the one clock (clock.h).

enum ActivityBits : uint32_t {
  kRuntimeApiActivity = 1u << 0,
  kDriverApiActivity = 1u << 1,
  kKernelActivity = 1u << 2,
  kCopyActivity = 1u << 3,
  kMemsetActivity = 1u << 4,
  kSynchronizationActivity = 1u << 5,
  kMemoryActivity = 1u << 6,
  kResourceActivity = 1u << 7,  // contexts, streams, graphs and their nodes
  kApiCallbacks = 1u << 8,  // OnApiEnter / OnApiExit wanted, without records
  kEventActivity = 1u << 9,
  kPoolActivity = 1u << 10,
};

struct ApiActivity {
  const ApiFunction* function;
  const void* params;  // functionParams of the callback API, or null
  uint32_t correlation_id;
  uint32_t thread_id;  // gettid
  int64_t begin_ns;
  int64_t end_ns;  // 0 at enter
  int result;      // 0 at enter
  bool nested;     // by the runtime, in a call of its own: no record
};

// Where device work ran and who submitted it.
struct WorkPlace {
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;
  uint32_t correlation_id;  // of the API call that submitted it
  uint32_t graph_id;        // 0: not from a graph launch
  uint64_t graph_node_id;   // 0: likewise
  int64_t submitted_ns;
  int64_t begin_ns;
  int64_t end_ns;
};

struct KernelActivityRecord {
  WorkPlace place;
  const char* name;  // mangled; lives for ever
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;  // 0,0,0: none
  uint32_t registers_per_thread;
  uint32_t static_shared_bytes;
  uint32_t dynamic_shared_bytes;
  uint64_t grid_id;
  int32_t priority;
  bool cooperative;
};

enum class MemoryKind : uint8_t {
  kPageable,
  kPinned,
  kDevice,
  kManaged,
  kArray
};
enum class CopyDirection : uint8_t {
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeer
};

struct CopyActivityRecord {
  WorkPlace place;
  CopyDirection direction;
  MemoryKind source_kind;
  MemoryKind destination_kind;
  bool asynchronous;
  uint64_t bytes;
  uint32_t source_device_id;
  uint32_t destination_device_id;
};

struct MemsetActivityRecord {
  WorkPlace place;
  MemoryKind kind;
  bool asynchronous;
  uint32_t value;
  uint64_t bytes;
};

enum class SynchronizationKind : uint8_t {
  kEvent,
  kStreamWaitEvent,
  kStream,
  kContext
};
struct SynchronizationActivityRecord {
  WorkPlace place;  // stream_id 0xffffffff where no stream is meant
  SynchronizationKind kind;
  uint32_t event_id;
  uint64_t event_record_id;  // EventActivityRecord::record_id; 0: none
  bool query;                // asked only, did not wait
  int result;
  void* context;  // CUcontext
  void* stream;   // CUstream; null: the legacy stream, or none
};

// An event recorded in a stream.
struct EventActivityRecord {
  WorkPlace place;  // begin and end: when the stream reaches it
  uint32_t event_id;
  uint64_t record_id;  // another one for each time that it is recorded
};

// What a record says of a memory pool.
struct PoolFacts {
  uint64_t address;  // the handle
  bool imported;
  bool managed;
  uint64_t size;  // bytes that it has from the device
  uint64_t utilized;
  uint64_t release_threshold;
};

struct MemoryActivityRecord {
  uint64_t address;
  uint64_t bytes;
  MemoryKind kind;
  bool release;
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;  // 0xffffffff: not stream-ordered
  uint32_t correlation_id;
  int64_t time_ns;
  const PoolFacts* pool;  // null: not of a pool
};

enum class PoolOperation : uint8_t { kCreated, kDestroyed, kTrimmed };
struct PoolActivityRecord {
  PoolOperation operation;
  PoolFacts facts;
  uint64_t min_bytes_to_keep;  // kTrimmed
  uint32_t device_id;
  uint32_t correlation_id;
  int64_t time_ns;
};

enum class ResourceEvent : uint8_t {
  kContextCreated,
  kContextDestroyed,
  kStreamCreated,
  kStreamDestroyed,
  kGraphCreated,
  kGraphCloned,
  kGraphDestroyed,
  kGraphNodeCreated,
  kGraphNodeCloned,
  kGraphNodeDestroyed,
  kGraphNodeCreateStarting,
  kGraphDependencyCreated,
  kGraphDependencyDestroyed,
  kGraphExecCreateStarting,
  kGraphExecCreated,
  kGraphExecDestroyed,
  kModuleLoaded,
  kModuleUnloaded,
  kDriverInitialized,
  kStreamAttributeChanged,
};

// A module as records show it. When it is unloaded only the id is set.
struct ModuleFacts {
  uint32_t id = 0;
  const void* image = nullptr;
  size_t image_bytes = 0;  // 0: unknown
  bool compiled = false;   // it was PTX
  int64_t begin_ns = 0;    // of loading
  int64_t end_ns = 0;
  std::vector<const char*> kernels{};  // names that live for ever
};
struct StreamAttributeFacts {
  int attribute;      // CUstreamAttrID
  const void* value;  // CUstreamAttrValue
};
struct ResourceActivityRecord {
  ResourceEvent event;
  void* context = nullptr;         // CUcontext
  void* handle = nullptr;          // CUstream, CUgraph, CUgraphExec, CUmodule
  void* original_graph = nullptr;  // kGraphCloned, kGraphExecCreated
  void* node = nullptr;            // CUgraphNode
  void* original_node = nullptr;   // kGraphNodeCloned
  int node_type = 0;               // CUgraphNodeType
  void* dependent = nullptr;       // CUgraphNode, of kGraphDependency*
  const ModuleFacts* module = nullptr;
  const StreamAttributeFacts* stream_attribute = nullptr;
};

// Implemented by the client. Functions are called on the submitting thread,
// from any thread, with no core lock held except the stream's; they must not
// call back into the CUDA libraries, OnApiEnter and OnApiExit excepted.
class ActivitySink {
 public:
  virtual void OnApiEnter(const ApiActivity& call) = 0;
  virtual void OnApiExit(const ApiActivity& call) = 0;
  virtual void OnKernel(const KernelActivityRecord& kernel) = 0;
  virtual void OnCopy(const CopyActivityRecord& copy) = 0;
  virtual void OnMemset(const MemsetActivityRecord& memset) = 0;
  virtual void OnSynchronization(const SynchronizationActivityRecord& sync) = 0;
  virtual void OnEvent(const EventActivityRecord& event) = 0;
  virtual void OnMemory(const MemoryActivityRecord& memory) = 0;
  virtual void OnPool(const PoolActivityRecord& pool) = 0;
  virtual void OnResource(const ResourceActivityRecord& resource) = 0;

 protected:
  ~ActivitySink() = default;
};

// The sink must live for ever. Set it once, before the first mask.
void SetActivitySink(ActivitySink* sink);

// Which ActivityBits the client wants from now on; 0 silences the core.
void SetActivityMask(uint32_t bits);

extern std::atomic<uint32_t> g_activity_mask;

inline bool ActivityWanted(uint32_t bits) {
  return (g_activity_mask.load(std::memory_order_relaxed) & bits) != 0;
}

// REQUIRES: ActivityWanted() of something was seen.
ActivitySink& GetActivitySink();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ACTIVITY_H_
