// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_RECORDS_H_
#define DLTAP_SHIM_TRACE_RECORDS_H_

#include <cstdint>

#include "shim/trace/layout.h"

// Records: the content of every block but kCalls, and of the ring file's
// definition area. FORMAT.md is the prose; both change together.
namespace dltap::trace {

enum class RecordKind : uint16_t {
  // Definitions. Repeating one is allowed and changes nothing, except Thread
  // (a new name) and Versions, Process (more is known): the last one counts.
  kProcess = 1,
  kClock = 2,
  kEntryPoint = 3,
  kText = 4,
  kKernelFunction = 5,
  kKernelVariant = 6,
  kDevice = 7,
  kStream = 8,
  kStreamHandle = 9,
  kThread = 10,
  kOperation = 11,
  kVersions = 12,
  // Activities. Times are CUPTI's, ns.
  kKernel = 32,
  kMemcpy = 33,
  kMemset = 34,
  kLaunchApi = 35,
  kGraphNode = 36,
  kSync = 37,
  // Samples.
  kAnchor = 64,
  kCpuSample = 65,
  kWatermark = 66,
  kNotObserved = 67,
  kLoss = 68,
  kCallCount = 69,
  kLevel = 70,
  kOverhead = 71,
  kProcessSample = 72,
  kEnd = 73,
};

// Begins every record:
//
//    0      2        4        8          fixed_bytes          bytes
//   +------+--------+--------+-----------+--------------------+
//   | kind | fixed_ | bytes  | rest of   | arrays and strings |
//   |      | bytes  |        | the struct| of that kind       |
//   +------+--------+--------+-----------+--------------------+
//
// `bytes` is all of it, a multiple of 8 (the rest is 0). `fixed_bytes` is the
// struct's size when it was written: structs only grow at their end, and a
// reader zeroes what an older writer lacked. A string is a u32 count of bytes
// and the bytes, UTF-8 if the host was kind, not terminated, not padded.
struct RecordHeader {
  uint16_t kind;  // RecordKind
  uint16_t fixed_bytes;
  uint32_t bytes;
};
static_assert(sizeof(RecordHeader) == 8, "on disk; see FORMAT.md");

// Strings: host, boot id, program, tap version, variables. The last is the
// environment of the rank, from an allow-list: "RANK=0\0WORLD_SIZE=8\0".
struct ProcessRecord {
  static constexpr auto kKind = RecordKind::kProcess;
  RecordHeader header;
  uint64_t pid;
  uint64_t parent_pid;
  uint64_t start_time;  // field 22 of /proc/PID/stat
  uint32_t cpus;        // that the process may run on
  uint32_t reserved;
};

struct ClockRecord {
  static constexpr auto kKind = RecordKind::kClock;
  RecordHeader header;
  uint64_t ticks_per_second;  // as the writer knew it; anchors tell better
  uint8_t clock;              // ClockKind
  uint8_t reserved[7];
};

// Same numbers as specs::ArgKind.
enum class ArgKind : uint8_t {
  kInt = 1, kUint = 2, kFloat = 3, kPointer = 4, kEnum = 5, kHandle = 6,
  kBytes = 7,
};

// Then ArgRecord[arg_count]; strings: symbol, library ("cublas"), and the
// arguments' names.
struct EntryPointRecord {
  static constexpr auto kKind = RecordKind::kEntryPoint;
  RecordHeader header;
  uint16_t id;           // >= kFirstEntryPointId
  uint8_t role;          // specs::Role
  uint8_t payload_bytes;
  uint8_t arg_count;
  uint8_t reserved[3];
};
struct ArgRecord {
  uint8_t offset;  // in the payload
  uint8_t width;   // 1, 2, 4, 8; kBytes: any
  uint8_t kind;    // ArgKind
  uint8_t reserved;
};

// One string. Ids begin at 1 and are shared by all names.
struct TextRecord {
  static constexpr auto kKind = RecordKind::kText;
  RecordHeader header;
  uint32_t id;
  uint32_t reserved;
};

// What a launch's function handle is called. Holds from here on: modules are
// unloaded and addresses reused.
struct KernelFunctionRecord {
  static constexpr auto kKind = RecordKind::kKernelFunction;
  RecordHeader header;
  uint64_t function;  // as launches record it
  uint64_t module;    // 0: unknown
  uint32_t text;
  uint32_t reserved;
};

struct KernelVariantRecord {
  static constexpr auto kKind = RecordKind::kKernelVariant;
  RecordHeader header;
  uint32_t id;
  uint32_t text;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];  // 0: no clusters
  uint32_t static_shared_bytes;
  uint32_t dynamic_shared_bytes;
  uint32_t local_bytes_per_thread;
  uint16_t registers_per_thread;
  uint16_t reserved[3];
};

// String: name. Zero: unknown.
struct DeviceRecord {
  static constexpr auto kKind = RecordKind::kDevice;
  RecordHeader header;
  uint32_t id;  // ordinal in the process
  uint32_t sms;
  uint8_t uuid[16];
  uint32_t pci_domain;
  uint16_t pci_bus;
  uint16_t pci_device;
  uint16_t compute_major;
  uint16_t compute_minor;
  uint32_t core_clock_khz;
  uint32_t memory_clock_khz;
  uint32_t memory_bus_bits;
  uint64_t memory_bytes;
  uint64_t l2_bytes;
};

struct StreamRecord {
  static constexpr auto kKind = RecordKind::kStream;
  RecordHeader header;
  uint32_t id;  // what activity records name
  uint32_t device;
  uint32_t context;
  uint32_t cupti_stream;
  int32_t priority;
  uint32_t flags;  // CUPTI's stream flag, 0: unknown
};

struct StreamHandleRecord {
  static constexpr auto kKind = RecordKind::kStreamHandle;
  RecordHeader header;
  uint64_t handle;  // cudaStream_t as calls name it
  uint32_t context;
  uint32_t cupti_stream;
};

// String: name.
struct ThreadRecord {
  static constexpr auto kKind = RecordKind::kThread;
  RecordHeader header;
  uint32_t index;  // what blocks and records name
  uint32_t is_main;
  uint64_t tid;
};

// Then node_count times OperationNode, each followed by its DimRecords.
struct OperationRecord {
  static constexpr auto kKind = RecordKind::kOperation;
  RecordHeader header;
  uint32_t id;  // begins at 1; what the argument `operation` names
  uint32_t node_count;
};
struct OperationNode {
  uint16_t kind;     // opmodel::OpKind
  uint8_t cell;      // opmodel::RnnCell
  uint8_t storage;   // opmodel::DType
  uint8_t math;      // opmodel::DType
  uint8_t dim_count;
  uint8_t reserved[2];
};
struct DimRecord {
  uint8_t dim;  // opmodel::Dim
  uint8_t reserved[7];
  int64_t value;
};

// As the libraries report them, 0: not loaded or unknown. Strings: framework
// ("torch 2.11.0", may be empty), driver text.
struct VersionsRecord {
  static constexpr auto kKind = RecordKind::kVersions;
  RecordHeader header;
  int32_t driver;
  int32_t runtime;
  int32_t cublas;
  int32_t cublaslt;
  int32_t cudnn;
  int32_t nccl;
  int32_t cupti;
  int32_t reserved;
};

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

enum class CopyKind : uint8_t {  // CUpti_ActivityMemcpyKind
  kUnknown = 0, kHtoD = 1, kDtoH = 2, kHtoA = 3, kAtoH = 4, kAtoA = 5,
  kAtoD = 6, kDtoA = 7, kDtoD = 8, kHtoH = 9, kPtoP = 10,
};
enum class MemoryKind : uint8_t {  // CUpti_ActivityMemoryKind
  kUnknown = 0, kPageable = 1, kPinned = 2, kDevice = 3, kArray = 4,
  kManaged = 5, kDeviceStatic = 6, kManagedStatic = 7,
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

// CUPTI's record of the API call that launched something.
struct LaunchApiRecord {
  static constexpr auto kKind = RecordKind::kLaunchApi;
  RecordHeader header;
  uint64_t start_ns;
  uint64_t correlation;
  uint64_t external;  // begin_ticks of the outermost library call; 0: none
  uint32_t duration_ns;
  uint32_t thread;
  uint32_t cbid;
  uint8_t domain;     // 1: driver, 2: runtime
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
  uint32_t type;    // CUpti_ActivitySynchronizationType
  uint32_t stream;  // kNoIndex: of a context
  uint32_t event;   // CUPTI's event id
};

// The clocks at one moment. 0: not read.
struct AnchorRecord {
  static constexpr auto kKind = RecordKind::kAnchor;
  RecordHeader header;
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
  uint64_t cupti_ns;
  uint64_t error_ns;  // between the first and the last of the reads
};

enum class ThreadState : uint8_t {  // of /proc/PID/task/TID/stat
  kUnknown = 0, kRunning = 1, kSleeping = 2, kDisk = 3, kStopped = 4,
  kEnded = 5,
};

struct CpuSampleRecord {
  static constexpr auto kKind = RecordKind::kCpuSample;
  RecordHeader header;
  uint64_t ticks;
  uint64_t cpu_time_ns;  // of the thread, cumulative
  uint32_t thread;
  uint8_t state;         // ThreadState
  uint8_t reserved[3];
};

struct ProcessSampleRecord {
  static constexpr auto kKind = RecordKind::kProcessSample;
  RecordHeader header;
  uint64_t ticks;
  uint64_t cpu_time_ns;     // of all threads, cumulative
  uint64_t resident_bytes;  // 0: not read
};

// All activity records of the device that end before this are written.
struct WatermarkRecord {
  static constexpr auto kKind = RecordKind::kWatermark;
  RecordHeader header;
  uint64_t complete_until_ns;  // CUPTI
  uint32_t device;             // kNoIndex: all
  uint32_t reserved;
};

enum class NotObservedCause : uint32_t {
  kYielded = 1,       // CUPTI was left to another profiler
  kDropped = 2,       // CUPTI dropped records
  kRecordingOff = 3,
};

struct NotObservedRecord {
  static constexpr auto kKind = RecordKind::kNotObserved;
  RecordHeader header;
  uint64_t begin_ns;  // CUPTI
  uint64_t end_ns;
  uint32_t device;    // kNoIndex: all
  uint32_t cause;     // NotObservedCause
};

// Cumulative: the last record of a kind counts. Zeros are written at the end.
struct LossRecord {
  static constexpr auto kKind = RecordKind::kLoss;
  RecordHeader header;
  uint32_t loss;  // LossKind
  uint32_t reserved;
  uint64_t count;
};

// Cumulative calls of a function of role `count` or `state`.
struct CallCountRecord {
  static constexpr auto kKind = RecordKind::kCallCount;
  RecordHeader header;
  uint32_t entry_point;
  uint32_t reserved;
  uint64_t calls;
};

enum class Level : uint8_t { kOff = 0, kHost = 1, kKernels = 2, kEvents = 3 };

// The level from here on. String: why not the one asked for; empty: it is.
struct LevelRecord {
  static constexpr auto kKind = RecordKind::kLevel;
  RecordHeader header;
  uint64_t ticks;
  uint8_t level;   // Level
  uint8_t wanted;  // Level
  uint8_t reserved[6];
};

// What dltap itself cost. Cumulative: the last one counts.
struct OverheadRecord {
  static constexpr auto kKind = RecordKind::kOverhead;
  RecordHeader header;
  uint64_t per_call_ps;       // measured in this process; 0: not measured
  uint64_t calls;             // recorded
  uint64_t collector_cpu_ns;  // of our own threads
  uint64_t cupti_cpu_ns;      // inside CUPTI's buffer callbacks
};

enum class EndReason : uint32_t {
  kExit = 1, kMaxMegabytes = 2, kWriteFailed = 3, kStopped = 4,
};

// Everything the session recorded lies before this.
struct EndRecord {
  static constexpr auto kKind = RecordKind::kEnd;
  RecordHeader header;
  uint64_t ticks;
  uint32_t reason;  // EndReason
  uint32_t reserved;
};

#define DLTAP_RECORD_SIZES(X)                                              \
  X(ProcessRecord, 40) X(ClockRecord, 24) X(EntryPointRecord, 16)          \
  X(ArgRecord, 4) X(TextRecord, 16) X(KernelFunctionRecord, 32)            \
  X(KernelVariantRecord, 72) X(DeviceRecord, 72) X(StreamRecord, 32)       \
  X(StreamHandleRecord, 24) X(ThreadRecord, 24) X(OperationRecord, 16)     \
  X(OperationNode, 8) X(DimRecord, 16) X(VersionsRecord, 40)               \
  X(KernelRecord, 48) X(MemcpyRecord, 64) X(MemsetRecord, 64)              \
  X(LaunchApiRecord, 48) X(GraphNodeRecord, 40) X(SyncRecord, 40)          \
  X(AnchorRecord, 48) X(CpuSampleRecord, 32) X(ProcessSampleRecord, 32)    \
  X(WatermarkRecord, 24) X(NotObservedRecord, 32) X(LossRecord, 24)        \
  X(CallCountRecord, 24) X(LevelRecord, 24) X(OverheadRecord, 40)          \
  X(EndRecord, 24)
#define X(type, size) \
  static_assert(sizeof(type) == (size), #type " is on disk; see FORMAT.md");
DLTAP_RECORD_SIZES(X)
#undef X
#undef DLTAP_RECORD_SIZES

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_RECORDS_H_
