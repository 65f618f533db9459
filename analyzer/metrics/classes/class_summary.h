// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CLASSES_CLASS_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_CLASSES_CLASS_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/idle/gaps.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

inline constexpr size_t kDirectionCount =
    static_cast<size_t>(Direction::kCount);
inline constexpr size_t kJoinedByCount = static_cast<size_t>(JoinedBy::kCount);
inline constexpr size_t kClassFromCount =
    static_cast<size_t>(ClassFrom::kCount);

// One layer class inside the windows of one device, or a sum of such. Only
// sums, so that summaries add up.
struct ClassSummary {
  int64_t gpu_ns = 0;        // sum of its activities' time
  int64_t busy_ns = 0;       // union of its intervals, per device
  int64_t exclusive_ns = 0;  // instants at which only this class ran
  int64_t exposed_ns = 0;    // comm, copies: the part of busy_ns that the
                             // device's state is; compute: 0
  uint64_t calls = 0;        // library calls and annotated operators
  uint64_t kernels = 0;      // activities: kernels, copies, memsets
  IdleTimes idle_ns{};       // of gaps charged to it
  DrainTimes drained_ns{};   // the host's part of them
  // The operators and Python frames that ran in the unknown part of them.
  std::map<std::string, int64_t> unknown_in_ns;
  std::array<int64_t, kDirectionCount> direction_ns{};
  std::array<int64_t, kJoinedByCount> joined_by_ns{};
  std::array<int64_t, kClassFromCount> class_from_ns{};
  Efficiency efficiency;

  int64_t of(Direction direction) const;
  int64_t backward_ns() const;  // all kinds of backward, recomputing too
  int64_t hidden_ns() const { return busy_ns - exposed_ns; }
  // host / (busy + host); nullopt when both are 0.
  std::optional<double> cpu_dependency() const;
  void Add(const ClassSummary& other);

  auto operator<=>(const ClassSummary&) const = default;
};

// What limits a class; kUnknown when neither FLOPs nor bytes tell.
enum class LimitedBy : uint8_t {
  kUnknown,
  kCompute,
  kMemory,
  kLatency,
  kInterconnect
};
std::string_view Name(LimitedBy bound);

// The larger share of the two peaks when one is near; latency when the
// activities are too short to reach either. What crosses a link is bound by
// that; communication, which also waits for other ranks, by nothing known.
LimitedBy LimitOf(LayerClass layer_class, const ClassSummary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CLASSES_CLASS_SUMMARY_H_
