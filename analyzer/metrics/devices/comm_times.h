// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_COMM_TIMES_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_COMM_TIMES_H_

#include <compare>
#include <cstdint>

namespace dltap::analyzer {

// Time of communication: of the kernels, or what of it is exposed.
struct CommTimes {
  int64_t waiting_ns = 0;   // for the last rank
  int64_t transfer_ns = 0;  // all ranks are there
  int64_t unknown_ns = 0;   // not known which: not all ranks are in the trace

  void Add(const CommTimes& other) {
    waiting_ns += other.waiting_ns;
    transfer_ns += other.transfer_ns;
    unknown_ns += other.unknown_ns;
  }
  int64_t all_ns() const { return waiting_ns + transfer_ns + unknown_ns; }

  auto operator<=>(const CommTimes&) const = default;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_COMM_TIMES_H_
