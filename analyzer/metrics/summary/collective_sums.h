// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_COLLECTIVE_SUMS_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_COLLECTIVE_SUMS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/collectives/collective_match.h"
#include "analyzer/metrics/collectives/collective_part.h"
#include "analyzer/metrics/devices/comm_times.h"
#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/windows/physical_device.h"

// What METRICS.md "Collectives" defines, as sums over the used steps.
namespace dltap::analyzer {

// As nccl-tests count them, for a communicator of that size; 0: unknown.
std::optional<int64_t> BytesOf(const CollectiveRun& run, int ranks);

struct CollectiveKey {
  std::string kind;              // "all_reduce"; empty: unknown
  std::string communicator;      // see CommunicatorSums
  std::string dtype;             // empty: unknown
  std::optional<int64_t> bytes;  // as nccl-tests count

  auto operator<=>(const CollectiveKey&) const = default;
};

// Kernels of all ranks.
struct CollectiveSums {
  uint64_t count = 0;
  CommTimes gpu;
  int64_t exposed_ns = 0;  // of gpu; the rest is hidden
  double bytes = 0;
  double bus_bytes = 0;       // bytes x the factor of nccl-tests
  uint64_t with_bus = 0;      // kernels whose ranks are known, for bus_bytes
  double link_ns_x_peak = 0;  // sum of time x the link's bytes per ns

  void Add(const CollectiveSums& other);

  auto operator<=>(const CollectiveSums&) const = default;
};

struct CommunicatorSums {
  int ranks = 0;  // 0: unknown
  uint64_t seen = 0;
  bool ambiguous = false;  // which ranks meet could not be told

  auto operator<=>(const CommunicatorSums&) const = default;
};

struct RankKey {
  std::string communicator;
  ProcessKey process;
  int device = 0;

  auto operator<=>(const RankKey&) const = default;
};

// How often a rank came last, by more than the clocks are unsure of.
struct LateSums {
  uint64_t collectives = 0;  // that it shared with others in the trace
  uint64_t last = 0;
  int64_t late_ns = 0;           // after the last but one
  int64_t waited_ns = 0;         // by this rank
  int64_t others_waited_ns = 0;  // for this rank

  void Add(const LateSums& other);

  auto operator<=>(const LateSums&) const = default;
};

struct CollectiveTallies {
  std::map<CollectiveKey, CollectiveSums> rows;
  std::map<std::string, CommunicatorSums> communicators;  // by name
  std::map<RankKey, LateSums> ranks;
  std::optional<int64_t> residual_ns;  // see CollectiveMatches; the largest

  void Add(const CollectiveTallies& other);

  auto operator<=>(const CollectiveTallies&) const = default;
};

// Collects the communication of a model, device by device.
class CollectiveKeeper {
 public:
  CollectiveKeeper(const TraceModel& model, CollectiveRuns runs,
                   CollectiveTallies& out);

  // What ran inside the device's windows. `exposed` are its spans of exposed
  // communication, in time; returned is what they are.
  CommTimes AddDevice(const PhysicalDevice& device,
                      const std::vector<Interval>& windows,
                      const std::vector<Interval>& exposed);

  // By process: what the replay of all ranks together has to know.
  std::vector<std::vector<CollectivePart>> Parts() const;

 private:
  std::vector<size_t> RunsOn(const PhysicalDevice& device) const;
  void AddRun(size_t run, const std::vector<Interval>& windows,
              const std::vector<Interval>& exposed);
  void AddRank(size_t run);
  CollectiveKey KeyOf(size_t run) const;

  const TraceModel& model_;
  const CollectiveRuns runs_;
  const CollectiveMatches matches_;
  const std::vector<std::string> names_;   // of communicators, as the next
  std::vector<double> link_bytes_per_ns_;  // 0: unknown
  CollectiveTallies& out_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_COLLECTIVE_SUMS_H_
