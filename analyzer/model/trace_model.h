// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_TRACE_MODEL_H_
#define DLTAP_ANALYZER_MODEL_TRACE_MODEL_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/layer_class.h"
#include "analyzer/model/strong_id.h"
#include "analyzer/model/text_pool.h"
#include "opmodel/operation.h"
#include "vocabulary.h"

namespace dltap::specs {
struct EntryPointInfo;  // shim/specs/entry_point.h
}

// The in-memory trace: what a reader or an importer fills and everything
// later only reads. One clock: all `_ns` are on the trace's time line, 0 is
// the earliest event of the merged trace. Knows nothing of layers or metrics.
namespace dltap::analyzer {

using ThreadId = StrongId<struct ThreadTag>;
using CallId = StrongId<struct CallTag>;
using EntryPointId = StrongId<struct EntryPointTag>;
using DeviceId = StrongId<struct DeviceTag>;
using StreamId = StrongId<struct StreamTag>;
using ActivityId = StrongId<struct ActivityTag>;
using OperationId = StrongId<struct OperationTag>;
using RangeId = StrongId<struct RangeTag>;
using SiteId = StrongId<struct SiteTag>;

using specs::ArgKind;
using specs::CopyKind;
using specs::Meaning;

// One argument of an entry point as its record keeps it.
struct ArgLayout {
  std::string name;
  uint8_t offset;  // in the call's payload, bytes
  uint8_t width;   // 1, 2, 4, 8; kBytes: any
  ArgKind kind;
  Meaning meaning = Meaning::kNone;
};

// A wrapped function, as the trace itself names it.
struct EntryPoint {
  std::string symbol;   // "cublasSgemm_v2"
  std::string library;  // "cublas"
  std::vector<ArgLayout> args;
  const specs::EntryPointInfo* info = nullptr;  // null: not in our specs
};

// One host call of a wrapped function (imported: one CUDA API event).
struct Call {
  int64_t begin_ns;
  int64_t end_ns;
  ThreadId thread;
  EntryPointId entry;
  OperationId operation;        // what it computes; none: arguments tell
  TextId function;              // launches: the kernel's name, where known
  uint32_t payload_offset = 0;  // into Process::payloads
  uint8_t payload_bytes = 0;
  uint8_t depth = 0;  // 0: outermost
  bool failed = false;
  bool capturing = false;    // made while its stream was captured
  uint64_t correlation = 0;  // imported traces; 0: not known here
  uint64_t begin_ticks = 0;  // own traces: the external correlation id
};

// A call that had not returned when the process died, or was looked at.
struct OpenCall {
  int64_t begin_ns;  // to within 2^16 ticks
  ThreadId thread;
  EntryPointId entry;
};

enum class ActivityKind : uint8_t { kKernel, kMemcpy, kMemset };
enum class MemoryKind : uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged
};

// Where and how a kernel was launched; shared by all equal launches.
struct LaunchShape {
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  uint16_t registers_per_thread = 0;
};

// One span of work on a device.
struct Activity {
  int64_t begin_ns;
  int64_t end_ns;
  uint64_t correlation = 0;  // of the API record that caused it
  uint64_t bytes = 0;        // copies and memsets
  uint64_t graph_node = 0;   // 0: not from a graph
  uint32_t graph = 0;
  TextId name;         // kernels: as recorded, mangled or not
  uint32_t shape = 0;  // into Process::launch_shapes
  DeviceId device;
  StreamId stream;
  RangeId annotation;  // imported: framework operator of External id
  ActivityKind kind;
  CopyKind copy = CopyKind::kUnknown;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind target = MemoryKind::kUnknown;
  uint16_t stated = 0;  // into Process::stated_classes
};

// What a trace says itself of the class of an activity: one that dltap wrote
// for another tool, without the arguments that the class came from.
struct StatedClass {
  LayerClass layer_class = LayerClass::kUnattributed;
  Direction direction = Direction::kNone;
  ClassFrom class_from = ClassFrom::kNone;
  bool autotune = false;

  auto operator<=>(const StatedClass&) const = default;
};

// The source's record of the API call that launched something: the bridge
// between a call of ours and the activities with the same correlation id.
struct LaunchRecord {
  int64_t begin_ns;
  int64_t end_ns;
  uint64_t correlation;
  uint64_t external = 0;  // begin_ticks of the outermost library call; 0: none
  ThreadId thread;
  uint32_t api = 0;  // as the source numbers the function
};

// The call in force when a graph node was captured or added.
struct GraphNodeOrigin {
  uint64_t node;
  uint64_t original_node = 0;  // clone: follow
  ThreadId thread;
  uint64_t call_begin_ticks = 0;
};

enum class RangeKind : uint8_t {
  kNvtx,
  kStep,
  kFrameworkOp,
  kUserAnnotation,
  kPython,
  kDataLoader  // a loader makes the next batch
};

// A named span on a host thread: NVTX, framework operator, step marker.
struct Range {
  int64_t begin_ns;
  int64_t end_ns;
  ThreadId thread;
  TextId name;
  TextId domain;
  RangeKind kind;
  bool backward = false;  // framework says it runs in its backward pass
  OperationId operation;  // shapes, where the source has them
  // What the source says beside the name, a line or more for each of its texts:
  // of XLA, the instruction, its lines of source, the computation it calls.
  TextId detail;
  // Of autograd's nodes: a forward operation has that of the node it makes, and
  // the node's backward operation the same. -1: not recorded.
  int64_t sequence = -1;
};

enum class SyncKind : uint8_t {
  kUnknown,
  kEvent,
  kStreamWaitEvent,  // a stream waits, the host goes on
  kStream,
  kContext
};

// Memory taken or given back, where the source has records of that. Own traces
// show it in their calls.
struct MemoryEvent {
  int64_t at_ns;
  uint64_t address;
  int64_t bytes;  // below 0: given back
  // Of the device after it, by a framework's allocator: in tensors, and held
  // for tensors. -1: unknown, and then the memory is the driver's.
  int64_t allocated_bytes = -1;
  int64_t reserved_bytes = -1;
  ThreadId thread;
  DeviceId device;
  MemoryKind kind = MemoryKind::kDevice;
  bool refused = false;  // nothing was taken; `bytes` was asked for
};

// A wait as an imported trace records it, with what it waited for. The call
// that waited has the same correlation id.
struct Sync {
  int64_t begin_ns;
  int64_t end_ns;
  uint64_t correlation = 0;        // 0: unknown
  uint64_t event = 0;              // the source's id of the event; 0: none
  uint64_t event_correlation = 0;  // of the call that recorded the event
  StreamId event_stream;           // in which it was recorded
  DeviceId device;                 // none: unknown
  StreamId stream;                 // none: of the whole context, or unknown
  SyncKind kind = SyncKind::kUnknown;
};

// A communication kernel as an imported trace describes it.
struct CollectiveRecord {
  uint64_t correlation;      // of the kernel
  TextId name;               // "allreduce", as the source spells it
  TextId communicator;       // the same on all its ranks; none: unknown
  int64_t elements_in = -1;  // -1: unknown, as the next
  int64_t elements_out = -1;
  int64_t sequence = -1;  // n-th of the communicator
  int ranks = 0;          // of the communicator; 0: unknown
  opmodel::DType dtype = opmodel::DType::kUnknown;
};

struct CpuSample {
  int64_t at_ns;
  ThreadId thread;
  bool on_cpu;          // running or runnable
  int64_t cpu_time_ns;  // of the thread, cumulative
  // Ready to run without a CPU, cumulative; nullopt: unknown.
  std::optional<int64_t> run_delay_ns = std::nullopt;
};

// A span in which a thread has no CPU.
struct OffCpu {
  int64_t begin_ns;
  int64_t end_ns;
  ThreadId thread;
  bool preempted;  // it would run on; else it sleeps
};

// A span of which all of a thread's OffCpu are known.
struct SwitchesKnown {
  int64_t begin_ns;
  int64_t end_ns;
  ThreadId thread;
};

// A look at the path that a thread's code is in, by the interpreter's frames.
struct FramesSeen {
  int64_t at_ns;
  ThreadId thread;
  SiteId site;  // not known(): in some code of the interpreter's
};

struct ProcessSample {
  int64_t at_ns;
  int64_t cpu_time_ns;     // of all threads, cumulative
  int64_t resident_bytes;  // 0: unknown
};

// A span of a run with delays, and what was done in it.
struct DelayWindow {
  int64_t begin_ns;
  int64_t end_ns;
  int64_t delay_ns;  // 0: no call waited
  specs::LayerClass layer_class = specs::LayerClass::kUnattributed;
  bool source_off = false;  // activities were not recorded
};

enum class NotObservedCause : uint8_t {
  kAfterWatermark,
  kYielded,
  kDropped,
  kRecordingOff
};
struct NotObserved {
  DeviceId device;
  int64_t begin_ns;
  int64_t end_ns;
  NotObservedCause cause;
};

struct Thread {
  uint64_t tid = 0;
  std::string name;
};

struct Device {
  int ordinal = 0;   // as the process numbers it
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string uuid;  // hex; empty: unknown
  int compute_major = 0;
  int compute_minor = 0;
  int sms = 0;
  int64_t memory_bytes = 0;
  bool simulated = false;
};

struct Stream {
  DeviceId device;
  uint64_t number = 0;  // the source's stream id
  uint32_t context = 0;
};

struct Loss {
  std::string cause;  // key of losses.h
  std::string meaning;
  uint64_t count;
};

// A library and its version: as a number of its own counting, or as a text.
struct LibraryVersion {
  std::string library;  // "cudnn"; "cuda" is the driver
  uint64_t number = 0;  // 0: unknown
  std::string text;     // empty: unknown
};

enum class SiteKind : uint8_t { kNone, kNative, kPython };

// One function of the path to a call.
struct SiteFrame {
  std::string function;  // empty: unknown
  std::string place;     // Python: the file; native: the object's path
  std::string detail;    // Python: class of the module called; native: build id
  int64_t line = 0;      // Python; 0: none
  uint64_t address = 0;  // native: where it returns to, in its object

  auto operator<=>(const SiteFrame&) const = default;
};

// The path to a call, innermost frame first.
struct LaunchSite {
  SiteKind kind = SiteKind::kNone;
  bool truncated = false;  // it goes on
  std::vector<SiteFrame> frames;

  auto operator<=>(const LaunchSite&) const = default;
};

// Where an outermost call was made.
struct CallSite {
  ThreadId thread;
  uint64_t begin_ticks;  // the call's
  SiteId site;
};

struct CountedCall {  // functions of role `count`: no records, a total
  EntryPointId entry;
  uint64_t calls;
};

// What the times of host calls are.
enum class HostClock : uint8_t {
  kMeasured,
  kFixedCosts  // of a simulation: each call costs what it says
};

// All that one process recorded.
struct Process {
  std::string host;
  std::string program;
  std::vector<std::string> command;  // its arguments, any bytes; may be empty
  bool command_is_cut = false;       // it was longer than the trace keeps
  int64_t pid = 0;
  std::optional<int> rank;
  std::optional<int> world_size;
  // "torch 2.11.0", "torch 2.11.0, jax 0.8.0"; empty: none is known
  std::string framework;
  std::vector<LibraryVersion> libraries;
  std::string level;         // "host", "kernels"; imported: "kernels"
  std::string level_reason;  // why not the level asked for; else empty
  // From then on kernels were not recorded; nullopt: they were to the end.
  std::optional<int64_t> recorded_until_ns;
  int64_t begin_ns = 0;  // first and last event
  int64_t end_ns = 0;
  HostClock host_clock = HostClock::kMeasured;
  int64_t clock_residual_ns = 0;      // of the device-to-host clock map
  int64_t per_call_overhead_ns = -1;  // measured; -1: unknown
  int64_t collector_cpu_ns = 0;
  bool complete = true;  // the session ended by itself
  bool has_cpu_samples = false;
  int cpus = 0;  // that it may run on; 0: unknown

  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Stream> streams;
  std::vector<Call> calls;  // by (thread, begin_ns, depth)
  std::vector<std::byte> payloads;
  std::vector<LaunchShape> launch_shapes;
  std::vector<Activity> activities;  // by begin_ns
  // Empty, or the first says nothing.
  std::vector<StatedClass> stated_classes;
  std::vector<LaunchRecord> launches;  // by (thread, begin_ns)
  std::vector<CallSite> call_sites;    // empty: none were taken
  SiteKind sites_wanted = SiteKind::kNone;
  SiteKind sites_taken = SiteKind::kNone;
  std::string sites_reason;  // why not as wanted
  std::vector<GraphNodeOrigin> graph_nodes;
  std::vector<Range> ranges;                   // by (thread, begin_ns)
  std::vector<Sync> syncs;                     // imported; by begin_ns
  std::vector<CollectiveRecord> collectives;   // imported; by correlation
  std::vector<MemoryEvent> memory_events;      // imported; by at_ns
  std::vector<CpuSample> cpu_samples;          // by at_ns
  std::vector<OffCpu> off_cpu;                 // by begin_ns
  std::vector<SwitchesKnown> switches_known;   // by begin_ns
  std::vector<FramesSeen> frames_seen;         // by at_ns
  std::vector<ProcessSample> process_samples;  // by at_ns
  std::vector<DelayWindow> delays;     // by begin_ns; empty: an ordinary run
  std::vector<int64_t> delayed_calls;  // when they began, sorted
  std::vector<NotObserved> not_observed;
  std::vector<OpenCall> open_calls;  // of a killed or running process
  std::vector<CountedCall> counted;
  std::vector<Loss> losses;
};

enum class SourceFormat : uint8_t { kDltap, kKineto, kNsys };

// Operation nodes of one library call: one, or a cuDNN graph's several.
using OperationNodes = std::vector<opmodel::Operation>;

struct TraceModel {
  SourceFormat format = SourceFormat::kDltap;
  bool simulated = false;  // any device is
  std::vector<std::string> files;
  // What 0 is on the clock that the events came with: ns since the Unix epoch
  // in own traces, and wherever it looks like that.
  int64_t origin_ns = 0;
  std::vector<Process> processes;
  std::vector<EntryPoint> entry_points;
  std::vector<OperationNodes> operations;
  std::vector<LaunchSite> sites;
  TextPool texts;
};

// Value of an argument of a call, by its position in EntryPoint::args; nullopt
// when the record lacks it.
std::optional<int64_t> IntArg(const EntryPoint& entry, const Process& process,
                              const Call& call, size_t arg);

// When the process was last known to live: its last event or sample.
int64_t LastSeenNs(const Process& process);

// Brings the vectors of every process into the orders stated above, sets
// begin_ns / end_ns and shifts the time line so that the earliest event is 0.
// Readers and importers call it once, last.
void Normalise(TraceModel& model);

// Its two halves, of one process: order and extent; all times `by` later.
void SortEvents(Process& process);
void ShiftTimes(Process& process, int64_t by);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_TRACE_MODEL_H_
