// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_EFFICIENCY_H_
#define DLTAP_ANALYZER_METRICS_EFFICIENCY_H_

#include <compare>
#include <cstdint>
#include <optional>

#include "analyzer/attribution/attributed.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

// Arithmetic of the activities whose FLOPs are known. All fields are sums.
// Those of the last group cover the activities whose executed FLOPs, and whose
// GPU's peaks, are known.
struct Efficiency {
  double flops = 0;     // algorithmic
  double bytes = 0;     // compulsory traffic
  double known_ns = 0;  // device time of the activities

  double executed_flops = 0;  // by the algorithm that ran: Winograd does fewer
  double executed_ns = 0;     // where that is known

  double rated_ns = 0;
  double rated_flops = 0;  // executed
  double rated_bytes = 0;
  double peak_flops = 0;  // what the peak would have done in their time
  double peak_bytes = 0;  // the same for the memory

  void Add(const Efficiency& other);
  // 1e12 FLOP/s over the time of these activities; nullopt: none known.
  std::optional<double> tflops() const;
  std::optional<double> executed_tflops() const;
  // Shares of the two peaks, the first by executed FLOPs; nullopt: no FLOPs, or
  // no peak, known.
  std::optional<double> of_peak() const;
  std::optional<double> of_peak_bytes() const;

  auto operator<=>(const Efficiency&) const = default;
};

// The share of its work that one activity does: its part of the work's kernel
// time. Empty when the work's cost is not known, and for communication, whose
// time is that of the network and of the other ranks. `gpu` may be null: not in
// the table, no peaks.
Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Attributed& attributed, int64_t duration_ns,
                        const opmodel::GpuSpec* gpu);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_EFFICIENCY_H_
