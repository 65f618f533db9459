// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_EFFICIENCY_H_
#define DLTAP_ANALYZER_METRICS_BASE_EFFICIENCY_H_

#include <compare>
#include <cstdint>
#include <optional>

#include "analyzer/attribution/base/attributed.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

// Arithmetic and traffic of the activities where they are known. All fields are
// sums. Those of the last group cover the activities whose executed FLOPs and
// bytes, and whose GPU's peaks, are known.
struct Efficiency {
  double flops = 0;     // algorithmic
  double known_ns = 0;  // device time of the activities
  double fp64_ns = 0;   // of those that compute in double precision

  double bytes = 0;        // compulsory traffic, at most
  double bytes_least = 0;  // and at least
  double bytes_ns = 0;

  double executed_flops = 0;  // by the algorithm that ran: Winograd does fewer
  double executed_ns = 0;     // where that is known

  // Of the device's own memory, and what its peak would have moved.
  double local_bytes = 0;
  double local_peak_bytes = 0;

  double rated_ns = 0;
  double rated_flops = 0;  // executed
  double rated_bytes = 0;
  double peak_flops = 0;  // what the peak would have done in their time
  double peak_bytes = 0;  // the same for the memory

  void Add(const Efficiency& other);
  // 1e12 FLOP/s over the time of these activities; nullopt: none known.
  std::optional<double> tflops() const;
  std::optional<double> executed_tflops() const;
  // 1e9 B/s, likewise.
  std::optional<double> bandwidth_gbs() const;
  // Shares of the two peaks, the first by executed FLOPs; nullopt: no work, or
  // no peak, known.
  std::optional<double> of_peak() const;
  std::optional<double> of_bandwidth() const;

  auto operator<=>(const Efficiency&) const = default;
};

// The share of its work that one activity does in `inside_ns` of its time: its
// part of the kernel time of its library call or operator, else what its launch
// tells. Empty when that is not known, and for communication, whose time is
// that of the network and of the other ranks. `gpu` may be null: not in the
// table, no peaks.
Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Activity& activity, const Attributed& attributed,
                        int64_t inside_ns, const opmodel::GpuSpec* gpu);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_EFFICIENCY_H_
