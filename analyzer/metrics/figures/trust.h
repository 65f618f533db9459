// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_TRUST_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_TRUST_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {

// How far the other numbers can be trusted; METRICS.md "Trust".
struct TrustFigures {
  std::map<std::string, uint64_t> lost;     // by cause
  uint64_t lost_records = 0;                // of causes that count records
  std::optional<double> classified_share;   // of device time: class is known
  std::optional<double> flops_known_share;  // of device time
  std::optional<double> bytes_known_share;
  std::array<std::optional<double>, kClassFromCount> class_from_share;
  // Numbers that the program looked at and that the simulation did not compute,
  // by the place in its code.
  std::map<std::string, uint64_t> uncomputed_reads;
  bool reads_are_plausible = false;  // small random numbers, not zeroes
  uint64_t launches_without_kernel = 0;
  uint64_t kernels_without_launch = 0;
  std::string level;
  std::string level_reason;
  std::optional<int64_t> overhead_ns;  // own, where it was measured
  // Of the activity source; nullopt: not measured in each process with work.
  std::optional<int64_t> source_overhead_ns;
  uint64_t recorded_launches = 0;
  uint64_t cut_processes = 0;     // without an end record
  std::optional<CutTail> cut;     // the one of them that lacks most
  int64_t clock_residual_ns = 0;  // the largest of the processes
  int64_t composite_ns = 0;
  int64_t not_observed_ns = 0;
};

// Those of all places.
uint64_t UncomputedReads(const TrustFigures& trust);

// Whether a cause of losses counts bytes: nobody knows of how many records.
bool IsLossOfBytes(std::string_view cause);

// `totals` are those of `summary`.
TrustFigures TrustOf(const Summary& summary, const Totals& totals);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_TRUST_H_
