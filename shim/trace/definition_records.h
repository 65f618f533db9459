// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_DEFINITION_RECORDS_H_
#define DLTAP_SHIM_TRACE_DEFINITION_RECORDS_H_

#include <cstdint>

#include "shim/trace/record_header.h"

// What ids stand for. Part of records.h.
namespace dltap::trace {

// Strings: machine, boot id, program, tap version, variables. The last is the
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
  uint64_t ticks_per_second;  // as the writer knew it; anchors are closer
  uint8_t clock;              // ClockKind
  uint8_t reserved[7];
};

// Then ArgRecord[arg_count]; strings: symbol, library ("cublas"), and the
// arguments' names.
struct EntryPointRecord {
  static constexpr auto kKind = RecordKind::kEntryPoint;
  RecordHeader header;
  uint16_t id;   // >= kFirstEntryPointId
  uint8_t role;  // specs::Role
  uint8_t payload_bytes;
  uint8_t arg_count;
  uint8_t reserved[3];
};
struct ArgRecord {
  uint8_t offset;   // in the payload
  uint8_t width;    // 1, 2, 4, 8; kBytes: any
  uint8_t kind;     // specs::ArgKind
  uint8_t meaning;  // specs::Meaning; 0 in format 1.0
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
  uint32_t stream;  // the source's number of it
  int32_t priority;
  uint32_t flags;  // as the source tells, 0: unknown
};

struct StreamHandleRecord {
  static constexpr auto kKind = RecordKind::kStreamHandle;
  RecordHeader header;
  uint64_t handle;  // as calls name the stream
  uint32_t context;
  uint32_t stream;
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
  uint16_t kind;    // specs::OpKind
  uint8_t cell;     // specs::RnnCell
  uint8_t storage;  // specs::DType
  uint8_t math;     // specs::DType
  uint8_t dim_count;
  uint8_t reserved[2];
};
struct DimRecord {
  uint8_t dim;  // specs::Dim
  uint8_t reserved[7];
  int64_t value;
};

// Of traces of version 1.0; Libraries replaces it. As the libraries report
// them, 0: not loaded or unknown. Strings: framework ("torch 2.11.0", may be
// empty), driver text.
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

// Then library_count times: string library ("cudnn", or a framework's name of
// frameworks.h), u64 version as the library numbers it (0: only the text is
// known), string version as a text (may be empty).
struct LibrariesRecord {
  static constexpr auto kKind = RecordKind::kLibraries;
  RecordHeader header;
  uint32_t library_count;
  uint32_t reserved;
};

// String: the program's arguments, each ended by a zero byte, as
// /proc/PID/cmdline had them when the session began.
struct CommandRecord {
  static constexpr auto kKind = RecordKind::kCommand;
  RecordHeader header;
  uint64_t whole_bytes;  // of the command line; more than the string: it is cut
};

// String: path of the process's ring file on its machine, while it lives.
struct RingNameRecord {
  static constexpr auto kKind = RecordKind::kRingName;
  RecordHeader header;
  uint64_t reserved;
};

// The path to calls: innermost frame first. Then frame_count times SiteFrame,
// then string_count strings, which frames name by number, 1 the first.
enum class SiteKind : uint8_t { kNative = 1, kPython = 2 };
struct SiteRecord {
  static constexpr auto kKind = RecordKind::kSite;
  RecordHeader header;
  uint32_t id;        // begins at 1; what the special slot names
  uint8_t kind;       // SiteKind
  uint8_t truncated;  // 1: the path goes on
  uint16_t frame_count;
  uint16_t string_count;
  uint16_t reserved[3];
};
static_assert(sizeof(SiteRecord) == 24, "on disk; see FORMAT.md");
struct SiteFrame {
  uint64_t address;  // native: where it returns to, in its object; else 0
  uint32_t line;     // Python; 0: none
  uint16_t name;     // Python: the function
  uint16_t place;    // Python: its file; native: its object
  uint16_t detail;   // Python: class of the module that is called; native:
                     // the object's build id, hex
  uint16_t reserved[3];
};
static_assert(sizeof(SiteFrame) == 24, "on disk; see FORMAT.md");

// How launch sites are taken from here on. String: why not as asked.
struct SiteModeRecord {
  static constexpr auto kKind = RecordKind::kSiteMode;
  RecordHeader header;
  uint8_t wanted;  // SiteKind, 0: none
  uint8_t kind;    // SiteKind, 0: none
  uint8_t reserved[6];
};
static_assert(sizeof(SiteModeRecord) == 16, "on disk; see FORMAT.md");

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_DEFINITION_RECORDS_H_
