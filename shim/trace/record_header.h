// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_RECORD_HEADER_H_
#define DLTAP_SHIM_TRACE_RECORD_HEADER_H_

#include <cstdint>

// What every record begins with; the records are in records.h.
namespace dltap::trace {

enum class RecordKind : uint16_t {
  kUnwritten = 0,  // in a ring file: room that a thread has taken to define
  // Definitions. Repeating one is allowed and changes nothing, except Thread
  // (a new name) and Libraries, Process, Command (more is known): the last one
  // counts.
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
  kVersions = 12,  // of version 1.0
  kLibraries = 13,
  kCommand = 14,
  kRingName = 15,
  kSite = 16,
  kSiteMode = 17,
  // Activities. Times are of the activity clock, ns.
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
  kDelay = 74,
  kWindow = 75,
  kSwitches = 76,
  kThreadFrames = 77,
};

inline constexpr RecordKind kLastDefinition = RecordKind::kSiteMode;

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

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_RECORD_HEADER_H_
