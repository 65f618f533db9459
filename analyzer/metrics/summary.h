// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/device_timeline.h"
#include "analyzer/metrics/gaps.h"
#include "analyzer/metrics/step_finder.h"
#include "analyzer/model/trace_model.h"

// All metrics of METRICS.md over a trace's used steps, as plain numbers.
// Reports arrange them; nothing here formats.
namespace dltap::analyzer {

inline constexpr size_t kDirectionCount =
    static_cast<size_t>(Direction::kCount);
inline constexpr size_t kJoinedByCount = static_cast<size_t>(JoinedBy::kCount);
inline constexpr size_t kClassFromCount =
    static_cast<size_t>(ClassFrom::kCount);

// What limits a class; kUnknown when neither FLOPs nor bytes are known.
enum class LimitedBy : uint8_t { kUnknown, kCompute, kMemory, kLatency };

// Arithmetic of the activities whose FLOPs are known.
struct Efficiency {
  double flops = 0;       // algorithmic
  double bytes = 0;       // compulsory traffic
  double known_ns = 0;    // device time of the activities it covers
  double peak_flops = 0;  // what the peak would have done in known_ns
  double peak_bytes = 0;  // the same for the memory

  void Add(const Efficiency& other);
};

// One layer class, summed over devices and used steps.
struct ClassSummary {
  int64_t gpu_ns = 0;        // sum of its activities' time
  int64_t busy_ns = 0;       // union of its intervals, per device
  int64_t exclusive_ns = 0;  // instants at which only this class ran
  uint64_t calls = 0;        // library calls and annotated operators
  uint64_t kernels = 0;      // activities: kernels, copies, memsets
  std::array<int64_t, kIdleCauses> idle_ns{};  // of gaps that it ended
  std::array<int64_t, kDirectionCount> direction_ns{};
  std::array<int64_t, kJoinedByCount> joined_by_ns{};
  std::array<int64_t, kClassFromCount> class_from_ns{};
  Efficiency efficiency;

  int64_t host_ns() const;  // waits for the host, without the profiler
  // host / (busy + host); nullopt when both are 0.
  std::optional<double> cpu_dependency() const;
  void Add(const ClassSummary& other);
};

struct DeviceSummary {
  size_t process;  // into TraceModel::processes
  DeviceId device;
  int64_t wall_ns = 0;  // of the windows
  std::array<int64_t, static_cast<size_t>(DeviceState::kCount)> state_ns{};
  PerClass<ClassSummary> classes;
  std::array<int64_t, kIdleCauses> between_steps_ns{};

  // compute / (wall - not observed - own overhead); nullopt: nothing observed.
  std::optional<double> utilization() const;
};

enum class Phase : uint8_t {
  kIo,
  kH2d,
  kForward,
  kBackward,
  kUpdate,
  kComm,
  kAutotune,
  kOther,
  kCount
};
inline constexpr size_t kPhaseCount = static_cast<size_t>(Phase::kCount);
std::string_view Name(Phase phase);

struct StepSummary {
  StepsFoundBy found_by = StepsFoundBy::kNone;
  size_t found = 0;
  size_t left_out[5] = {};   // by StepUse
  std::vector<size_t> used;  // indices of the steps
  std::vector<int64_t> ns;   // durations of the used steps
  double mean_ns = 0;
  double stddev_ns = 0;
};

struct ApiSummary {
  std::string name;
  uint64_t calls = 0;
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
};

struct KernelSummary {
  std::string name;  // demangled
  LayerClass layer_class;
  uint64_t count = 0;
  int64_t gpu_ns = 0;
};

struct OpSummary {
  std::string name;  // entry point and its scalars
  LayerClass layer_class;
  Direction direction;
  uint64_t count = 0;
  int64_t gpu_ns = 0;
  Efficiency efficiency;
};

struct TrustSummary {
  std::map<std::string, uint64_t> lost;  // by cause
  double classified_share = 0;           // of device time: class is known
  double flops_known_share = 0;          // of device time of arithmetic classes
  uint64_t launches_without_kernel = 0;
  uint64_t kernels_without_launch = 0;
  std::string level;
  std::string level_reason;
  std::optional<int64_t> overhead_ns;  // own, in the windows; unknown: none
  int64_t clock_residual_ns = 0;
  int64_t composite_ns = 0;
  int64_t not_observed_ns = 0;
};

struct Summary {
  std::vector<DeviceSummary> devices;  // with any activity
  StepSummary steps;                   // of the first process with a device
  size_t windows = 0;                  // used steps over all devices, or runs
  PerClass<ClassSummary> classes;      // over all devices
  ClassSummary total;
  std::array<int64_t, kIdleCauses> between_steps_ns{};
  std::array<int64_t, kPhaseCount> phases_ns{};
  std::vector<ApiSummary> apis;        // by cpu_ns, descending
  std::vector<KernelSummary> kernels;  // by gpu_ns, descending
  std::vector<OpSummary> ops;          // by gpu_ns, descending
  TrustSummary trust;
};

Summary Summarise(const TraceModel& model, const Attribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_H_
