// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/path_sums.h"

#include <numeric>

#include "analyzer/metrics/base/add_arrays.h"

namespace dltap::analyzer {

int64_t PathSums::of(LayerClass layer_class) const {
  const auto& by_direction = work_ns[static_cast<size_t>(layer_class)];
  return std::accumulate(by_direction.begin(), by_direction.end(), int64_t{0});
}

int64_t PathSums::total_ns() const {
  int64_t ns = SumOf(idle_ns);
  for (const auto& by_direction : work_ns) {
    ns = std::accumulate(by_direction.begin(), by_direction.end(), ns);
  }
  return ns;
}

void PathSums::Add(const PathSums& other) {
  AddTo(idle_ns, other.idle_ns);
  for (size_t i = 0; i < work_ns.size(); ++i) {
    AddTo(work_ns[i], other.work_ns[i]);
  }
}

void WhatIfSums::Add(const WhatIfSums& other) {
  windows += other.windows;
  measured_ns += other.measured_ns;
  replayed_ns += other.replayed_ns;
  unsigned_error_ns += other.unsigned_error_ns;
  for (const auto& [scenario, ns] : other.saved_ns) saved_ns[scenario] += ns;
}

}  // namespace dltap::analyzer
