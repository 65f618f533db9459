// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_LIMIT_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_LIMIT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures/class_figures.h"
#include "analyzer/metrics/figures/collective_figures.h"
#include "analyzer/metrics/idle/gaps.h"
#include "analyzer/metrics/path/path_sums.h"
#include "analyzer/metrics/summary/totals.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

enum class LimitKind : uint8_t {
  kIdle,           // the device waits; idle_cause says for what
  kCommunication,  // kernels wait for other ranks
  kClass           // one class takes most GPU time; bound says why
};
std::string_view Name(LimitKind kind);

// Whose doing idle time is; METRICS.md "Limit".
enum class Fault : uint8_t {
  kLoader,      // the next input is not ready
  kWaits,       // the program waits for the device, which then has no work
  kLaunching,   // framework, libraries and launches take longer than the work
  kSleep,       // the host sleeps outside of such waits
  kPreemption,  // other threads have its CPU
  kDependency,  // other streams, events, host functions
  kLatency,     // between submission and start
  kUnknown,     // the host between calls, and no samples
  kCount
};
inline constexpr size_t kFaults = static_cast<size_t>(Fault::kCount);
std::string_view Name(Fault fault);

// What a step would be shorter without.
struct Limit {
  LimitKind kind;
  std::optional<LayerClass> layer_class;  // not of kIdle
  std::optional<Fault> fault;             // of kIdle, as the next three
  std::optional<IdleCause> idle_cause;    // the fault's largest
  std::optional<LayerClass> charged_to;   // the class with most of it
  bool between_steps = false;             // most of it is between steps
  LimitedBy bound = LimitedBy::kUnknown;  // of kClass
  // kClass: too small to fill the GPU; kIdle: too short to hide launches.
  bool small_kernels = false;
  double share = 0;  // of the observed time; kClass: of the GPU time
  int64_t ns = 0;    // over all used steps
  double step_ns = 0;
  // Of kCommunication: exposed waiting for the last rank, where most of it is
  // that, and the rank that most of it is for.
  std::optional<double> waiting_step_ns = std::nullopt;
  std::optional<RankKey> straggler = std::nullopt;
  std::optional<double> straggler_last_share = std::nullopt;
  // What that rank does longer a step than the others: idle for this fault, or,
  // without one, computing. nullopt: nothing that explains it.
  std::optional<double> late_step_ns = std::nullopt;
  std::optional<Fault> late_fault = std::nullopt;
};

// Our own cost is nobody's fault: it is out of the observed time.
std::array<int64_t, kFaults> ByFault(const IdleTimes& idle_ns);

// What limits are found in.
struct LimitFacts {
  const Totals& totals;
  const std::vector<ClassRow>& rows;   // those of `totals`
  const PathSums& path;                // of the same windows; empty: not known
  std::optional<double> wait_gain_ns;  // what a step could lose without waits
  // The rank for which the others wait most; nullptr: none.
  const RankRow* straggler = nullptr;
};

// The limits worth a word, the first to work on first; two at most: the second
// is the best one behind a first that may be the machine's doing. Empty when
// nothing was observed or nothing stands out.
std::vector<Limit> FindLimits(const LimitFacts& facts);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_LIMIT_H_
