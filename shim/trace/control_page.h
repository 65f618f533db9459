// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_CONTROL_PAGE_H_
#define DLTAP_SHIM_TRACE_CONTROL_PAGE_H_

#include <atomic>
#include <cstdint>

// What a recorded process and `dltap ctl` share: one page, in a memory file of
// that process called kControlName, which only its user can reach, through
// /proc/PID/fd. Both map it. The tap looks at it in each pass of its collector
// and never waits for the other side.
namespace dltap::trace {

inline constexpr char kControlName[] = "dltap-control";
inline constexpr uint32_t kControlMagic = 0x4C544344;  // "DCTL"
inline constexpr uint32_t kControlVersion = 1;
inline constexpr uint32_t kControlBytes = 4096;

enum class ControlRequest : uint32_t {
  kNone = 0,
  kStart = 1,   // record
  kStop = 2,    // do not record
  kFlush = 3,   // everything recorded so far goes to the data file
  kStatus = 4,  // only bring the figures up to date
};

enum class ControlState : uint32_t {
  kRecording = 1,
  kPaused = 2,
  kEnded = 3,  // for good: size limit, write error, end of the process
};

struct ControlPage {
  uint32_t magic;    // written last when the page is set up
  uint32_t version;  // kControlVersion
  uint32_t pid;      // as the process sees itself: a forked child that still
                     // holds its parent's page can be told from the parent
  uint32_t reserved;

  // `dltap ctl` writes `request`, then raises `asked`. The tap does it, brings
  // the figures below up to date, then sets `answered` to the same number.
  std::atomic<uint32_t> request;  // ControlRequest
  std::atomic<uint32_t> asked;
  std::atomic<uint32_t> answered;

  // Written by the tap in each pass.
  std::atomic<uint32_t> state;         // ControlState
  std::atomic<uint32_t> level;         // trace::Level in force
  std::atomic<uint32_t> is_ring;       // the oldest gives way at the limit
  std::atomic<uint64_t> pass_ns;       // CLOCK_MONOTONIC of the last pass
  std::atomic<uint64_t> started_ns;    // of the session
  std::atomic<uint64_t> limit_bytes;   // of the data files together
  std::atomic<uint64_t> calls;         // recorded
  std::atomic<uint64_t> lost;          // all causes together
  std::atomic<uint64_t> own_cpu_ns;    // see own_cost.h
  std::atomic<uint64_t> total_cpu_ns;  // of the whole process

  // The data file's folder, absolute, and the name of its first segment.
  // Written once; terminated. How much was written, its size says.
  char directory[2048];
  char file[256];
};
static_assert(sizeof(ControlPage) <= kControlBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_CONTROL_PAGE_H_
