// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/step_series.h"

#include <algorithm>
#include <numeric>

namespace dltap::analyzer {

Pass PassOf(Direction direction) {
  switch (direction) {
    case Direction::kForward: return Pass::kForward;
    case Direction::kUpdate: return Pass::kUpdate;
    case Direction::kBackward:
    case Direction::kBackwardData:
    case Direction::kBackwardWeight:
    case Direction::kRecompute: return Pass::kBackward;
    default: return Pass::kNone;
  }
}

std::string_view Name(Pass pass) {
  constexpr std::string_view kNames[] = {"", "forward", "backward", "update"};
  return kNames[static_cast<size_t>(pass)];
}

std::vector<int64_t>& StepSeries::Of(SeriesKey key) {
  std::vector<int64_t>& values = of_[key];
  values.resize(windows_);
  return values;
}

void StepSeries::Append(const StepSeries& later) {
  const size_t all = windows_ + later.windows_;
  for (const auto& [key, values] : later.of_) {
    std::vector<int64_t>& into = of_[key];
    into.resize(windows_);
    into.insert(into.end(), values.begin(), values.end());
  }
  for (auto& [key, values] : of_) values.resize(all);
  windows_ = all;
}

void StepSeries::JoinWindows() {
  for (auto& [key, values] : of_) {
    values = {std::accumulate(values.begin(), values.end(), int64_t{0})};
  }
  windows_ = std::min<size_t>(windows_, 1);
}

void StepSeries::AddWindow(size_t window, const StepSeries& from, size_t of) {
  for (const auto& [key, values] : from.of_) {
    if (values[of] != 0) Of(key)[window] += values[of];
  }
}

}  // namespace dltap::analyzer
