// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_GAP_H_
#define DLTAP_ANALYZER_METRICS_IDLE_GAP_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Why a device was idle; METRICS.md "Idle time", docs/design.md section 6.
enum class IdleCause : uint8_t {
  kWait,        // inside a synchronizing call
  kInput,       // the host made the next input
  kLibrary,     // inside a cuDNN, cuBLAS, NCCL call
  kLaunch,      // inside another call: a launch, a copy, an event
  kFramework,   // the host computed something else, on a CPU
  kPreempted,   // ready to run, without a CPU
  kBlocked,     // asleep
  kUnknown,     // between calls, and no CPU samples tell what the host did
  kProfiler,    // our own measured cost
  kDependency,  // device: waited for an event, a stream or a host function
  kLatency,     // device: between submission and start
  kCount
};
inline constexpr size_t kIdleCauses = static_cast<size_t>(IdleCause::kCount);
std::string_view Name(IdleCause cause);
using IdleTimes = std::array<int64_t, kIdleCauses>;  // ns by cause
constexpr bool IsHostCause(IdleCause cause) {
  return cause < IdleCause::kDependency;
}

// What had left the device without work when a gap began.
enum class DrainedBy : uint8_t {
  kSync,      // a synchronizing call: the host could not run ahead
  kPageable,  // a copy of pageable memory, which does the same
  kNone,      // nothing: the host never ran ahead
  kCount
};
inline constexpr size_t kDrainKinds = static_cast<size_t>(DrainedBy::kCount);
std::string_view Name(DrainedBy drained_by);
using DrainTimes = std::array<int64_t, kDrainKinds>;  // ns

// All host causes but the profiler: what the program itself made the device
// wait.
int64_t HostNs(const IdleTimes& idle_ns);
int64_t SumOf(const IdleTimes& idle_ns);

// What the thread that submits was at when a look found its frames.
enum class SeenIn : uint8_t { kInput, kBetweenCalls, kWait, kCall, kCount };
inline constexpr size_t kSeenIn = static_cast<size_t>(SeenIn::kCount);
std::string_view Name(SeenIn seen_in);
struct FramesLook {
  SeenIn in;
  SiteId site;  // not known(): no path is known
};

// A maximal idle interval of a device inside a window.
struct Gap {
  Interval span{};
  size_t ended_by = 0;         // activity; kNoActivity: the window's end
  size_t window = 0;           // into the windows
  bool between_steps = false;  // holds a step's first submission, or the
                               // reading of its result
  IdleTimes ns{};              // sums to the span
  // Of the host's part; nothing where the submitting call is not known.
  DrainedBy drained_by = DrainedBy::kNone;
  CallId drained_in;  // the call that kSync and kPageable mean
  int64_t host_ns = 0;
  // Between calls: by the innermost range (operator, Python frame) around.
  std::vector<std::pair<TextId, int64_t>> unknown_in;
  // Of the host's part: each look at the frames of the thread that submits.
  std::vector<FramesLook> looks;
};

// The activity whose class a gap is charged to: the layer that the activity
// which ends it belongs to; kNoActivity: none.
size_t ChargedTo(const ProcessAttribution& attribution, const Gap& gap);

// Host work in the windows of the threads that feed a device; see METRICS.md.
struct FeedersWork {
  // Only of windows that CPU samples cover, or, in a trace without
  // samples, all time outside of waits.
  int64_t host_work_ns = 0;
  int64_t host_work_wall_ns = 0;    // length of those windows
  bool host_work_is_bound = false;  // sleep can't be told from work
  // Samples of its main feeder while it feeds a step, and how many of them
  // found it runnable.
  uint64_t input_samples = 0;
  uint64_t input_runnable = 0;
  uint64_t cpu_samples = 0;  // of its main feeder
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_GAP_H_
