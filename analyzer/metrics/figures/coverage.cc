// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/coverage.h"

#include <algorithm>
#include <utility>

#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

std::vector<Interval> WindowsOf(const Summary& summary) {
  std::vector<Interval> all;
  for (const DeviceSummary& device : summary.devices) {
    all.insert(all.end(), device.windows.begin(), device.windows.end());
  }
  if (summary.devices.size() == 1) return all;
  std::sort(all.begin(), all.end());
  std::vector<Interval> united;
  for (const Interval& span : all) {
    if (united.empty() || span.begin_ns >= united.back().end_ns) {
      united.push_back(span);
    } else {
      united.back().end_ns = std::max(united.back().end_ns, span.end_ns);
    }
  }
  return united;
}

std::vector<std::string> LargestReasons(const Outside& outside) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<int64_t, std::string>> found;
  for (const auto& [reason, sums] : outside.left_out) {
    if (sums.gpu_ns == 0 || reason == kNotSelected) continue;
    found.emplace_back(-sums.gpu_ns, reason);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> reasons;
  for (auto& [_, reason] : found) {
    if (reasons.size() < kMost) reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace

Coverage CoverageOf(const Summary& summary, const Totals& totals) {
  Coverage coverage;
  coverage.used_gpu_ns = totals.all.gpu_ns;
  coverage.outside_gpu_ns = summary.outside.total_ns();
  const auto used = static_cast<double>(coverage.used_gpu_ns);
  const auto outside = static_cast<double>(coverage.outside_gpu_ns);
  const double left_out =
      outside - static_cast<double>(summary.outside.not_selected_ns());
  coverage.share = Ratio(used, used + outside);
  coverage.left_out_share = Ratio(left_out, used + left_out);
  coverage.left_out_reasons = LargestReasons(summary.outside);
  coverage.windows = WindowsOf(summary);
  return coverage;
}

}  // namespace dltap::analyzer
