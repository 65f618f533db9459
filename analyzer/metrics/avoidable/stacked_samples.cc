// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/stacked_samples.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLeastSamples = 8;
// Most of what was done, some of it twice: chance decides what a sample goes
// through.
constexpr double kMostOfAll = 0.8;
// Rewards of one time after the other are less, and wait for each other.
constexpr double kLeastBytes = 1 << 17;
// What joins them moves as much as a kernel over all of them.
constexpr double kLeastJoined = 0.5;

}  // namespace

void StackedSamples::Begin() {
  launches_.clear();
  kernels_ = 0;
  has_layers_ = false;
}

void StackedSamples::AddLayer() {
  launches_.clear();
  has_layers_ = true;
}

void StackedSamples::AddOther(const Kernel& kernel) {
  if (has_layers_) return;
  ++kernels_;
  OfLaunch& launch = launches_[kernel.launch];
  ++launch.times;
  launch.bytes += kernel.bytes;
  launch.bytes_ns += kernel.bytes_ns;
  launch.sums.count += kernel.is_new ? 1 : 0;
  launch.sums.ns += kernel.ns;
  launch.sums.worst_ns +=
      std::min(kernel.ns, kernel.work_ns.value_or(kernel.ns));
}

// One kernel of each launch stays, over all samples.
StackedSamples::Sums StackedSamples::AddConcatenation(double ns) {
  Sums sums;
  uint64_t of_samples = 0;
  double bytes = 0;
  double longest_ns = 0;
  for (const auto& [_, launch] : launches_) {
    if (launch.times < kLeastSamples) continue;
    const double one_ns = launch.sums.ns / static_cast<double>(launch.times);
    of_samples += launch.times;
    bytes += launch.bytes;
    longest_ns = std::max(longest_ns, launch.bytes_ns);
    sums.count += launch.sums.count;
    sums.ns += launch.sums.ns;
    sums.best_ns += one_ns;
    sums.worst_ns += std::min(launch.sums.ns, one_ns + launch.sums.worst_ns);
  }
  const bool are_most = static_cast<double>(of_samples) >=
                        kMostOfAll * static_cast<double>(kernels_);
  const bool are_large = bytes >= kLeastBytes * static_cast<double>(of_samples);
  launches_.clear();
  kernels_ = 0;
  const bool joins_them = ns >= kLeastJoined * longest_ns;
  return are_most && are_large && joins_them ? sums : Sums{};
}

}  // namespace dltap::analyzer
