// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CLASSES_WORK_SUMS_H_
#define DLTAP_ANALYZER_METRICS_CLASSES_WORK_SUMS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

// Sums of kernels, copies and memsets that can be added up further: over
// steps, devices, ranks and runs.
namespace dltap::analyzer {

struct WorkSum {
  uint64_t kernels = 0;
  int64_t gpu_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  std::optional<double> flops = {};  // of those that are known
  std::optional<double> bytes = {};

  void Add(int64_t ns);
};

struct ClassKey {
  size_t device;
  std::optional<size_t> step;  // in which the host submitted it
  LayerClass layer_class;
  Direction direction;

  auto operator<=>(const ClassKey&) const = default;
};
std::map<ClassKey, WorkSum> ClassSums(const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps);

// Times in [2^(bucket / 4), 2^((bucket + 1) / 4)) ns; of 0 ns: bucket 0.
int DurationBucket(int64_t ns);

struct DurationKey {
  size_t device;
  LayerClass layer_class;
  Direction direction;
  size_t like;  // an activity of the same name and kind
  int bucket;

  auto operator<=>(const DurationKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const DurationKey& key) {
    return H::combine(std::move(hash), key.device, key.layer_class,
                      key.direction, key.like, key.bucket);
  }
};
std::map<DurationKey, WorkSum> DurationSums(
    const Process& process, const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CLASSES_WORK_SUMS_H_
