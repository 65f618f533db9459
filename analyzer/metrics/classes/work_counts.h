// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CLASSES_WORK_COUNTS_H_
#define DLTAP_ANALYZER_METRICS_CLASSES_WORK_COUNTS_H_

#include <compare>
#include <cstdint>

namespace dltap::analyzer {

// What was started on a device, counted.
struct WorkCounts {
  uint64_t launches = 0;  // of kernels; a graph that runs is one
  uint64_t kernels = 0;
  uint64_t copies = 0;
  uint64_t memsets = 0;
  uint64_t copied_bytes = 0;

  void Add(const WorkCounts& other) {
    launches += other.launches;
    kernels += other.kernels;
    copies += other.copies;
    memsets += other.memsets;
    copied_bytes += other.copied_bytes;
  }

  auto operator<=>(const WorkCounts&) const = default;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CLASSES_WORK_COUNTS_H_
