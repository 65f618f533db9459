// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_SAMPLE_RECORDS_H_
#define DLTAP_SHIM_TRACE_SAMPLE_RECORDS_H_

#include <cstdint>

#include "shim/trace/record_header.h"

// What the collector sampled, and totals. Part of records.h.
namespace dltap::trace {

// The clocks at one moment. 0: not read.
struct AnchorRecord {
  static constexpr auto kKind = RecordKind::kAnchor;
  RecordHeader header;
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
  uint64_t activity_ns;
  uint64_t error_ns;  // between the first and the last of the reads
};

enum class ThreadState : uint8_t {  // of /proc/PID/task/TID/stat
  kUnknown = 0,
  kRunning = 1,
  kSleeping = 2,
  kDisk = 3,
  kStopped = 4,
  kEnded = 5,
};

struct CpuSampleRecord {
  static constexpr auto kKind = RecordKind::kCpuSample;
  RecordHeader header;
  uint64_t ticks;
  uint64_t cpu_time_ns;  // of the thread, cumulative
  uint32_t thread;
  uint8_t state;  // ThreadState
  uint8_t has_run_delay;
  uint8_t reserved[2];
  uint64_t run_delay_ns;  // ready to run without a CPU, cumulative
};

// A thread's context switches in a span, complete if none is lost.
//
// Tail: u64 each, in time: monotonic ns << 2 | ThreadSwitch. Its state at the
// span's begin is that of the switch before; kUnknown: none was seen.
enum class ThreadSwitch : uint8_t {
  kUnknown = 0,
  kRuns = 1,       // got a CPU
  kSleeps = 2,     // waits for something
  kPreempted = 3,  // would run on
};

struct SwitchesRecord {
  static constexpr auto kKind = RecordKind::kSwitches;
  RecordHeader header;
  uint64_t ticks;         // at `monotonic_ns`
  uint64_t monotonic_ns;  // of the reading of both clocks
  uint64_t begin_ns;      // monotonic; the span
  uint64_t end_ns;
  uint32_t thread;
  uint32_t count;  // in the tail
  uint32_t lost;   // overwritten before they were read
  uint8_t state;   // ThreadSwitch, at the span's begin
  uint8_t reserved[3];
};

// Which code of the interpreter a thread is in, by a look from outside.
struct ThreadFramesRecord {
  static constexpr auto kKind = RecordKind::kThreadFrames;
  RecordHeader header;
  uint64_t ticks;
  uint32_t thread;
  uint32_t site;  // the path; 0: not known
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
  uint64_t complete_until_ns;  // activity clock
  uint32_t device;             // kNoIndex: all
  uint32_t reserved;
};

enum class NotObservedCause : uint32_t {
  kYielded = 1,  // the source was left to another profiler
  kDropped = 2,  // the source dropped records
  kRecordingOff = 3,
};

struct NotObservedRecord {
  static constexpr auto kKind = RecordKind::kNotObserved;
  RecordHeader header;
  uint64_t begin_ns;  // activity clock
  uint64_t end_ns;
  uint32_t device;  // kNoIndex: all
  uint32_t cause;   // NotObservedCause
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
  uint64_t source_cpu_ns;     // of host threads in the source; 0: unknown
};

// What a run with delays does from here on. Outermost library calls of the
// class wait before they begin; each that did has kCallDelayed.
struct DelayRecord {
  static constexpr auto kKind = RecordKind::kDelay;
  RecordHeader header;
  uint64_t ticks;
  uint64_t delay_ns;    // 0: no call waits
  uint8_t layer_class;  // specs::LayerClass
  uint8_t source_off;  // 1: activities are not recorded, to see what that costs
  uint8_t reserved[6];
};

// Recording begins or stops here for all threads, decided by the collector; a
// host thread's decision is a special slot.
struct WindowRecord {
  static constexpr auto kKind = RecordKind::kWindow;
  RecordHeader header;
  uint64_t ticks;
  uint32_t recording;  // 1 begins, 0 stops
  uint32_t cause;      // WindowCause
};

enum class EndReason : uint32_t {
  kExit = 1,
  kMaxMegabytes = 2,
  kWriteFailed = 3,
  kStopped = 4,
};

// Everything the session recorded lies before this.
struct EndRecord {
  static constexpr auto kKind = RecordKind::kEnd;
  RecordHeader header;
  uint64_t ticks;
  uint32_t reason;  // EndReason
  uint32_t reserved;
};

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_SAMPLE_RECORDS_H_
