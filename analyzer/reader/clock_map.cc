// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/clock_map.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace dltap::analyzer {

void ClockMap::Add(uint64_t from, int64_t to_ns) {
  constexpr int64_t kLimit = int64_t{1} << 60;
  points_.push_back({from, std::clamp(to_ns, -kLimit, kLimit)});
}

void ClockMap::Finish() {
  std::stable_sort(
      points_.begin(), points_.end(),
      [](const Point& a, const Point& b) { return a.from < b.from; });
  std::vector<Point> rising;
  for (const Point& point : points_) {
    if (rising.empty() || (point.from > rising.back().from &&
                           point.to_ns > rising.back().to_ns)) {
      rising.push_back(point);
    }
  }
  points_ = std::move(rising);
  piece_begin_ = 1;
  piece_end_ = 0;
}

void ClockMap::FindPiece(uint64_t from) const {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  if (points_.size() < 2) {
    piece_begin_ = 0;
    piece_end_ = kMax;
    origin_ = points_.empty() ? 0 : points_[0].from;
    origin_ns_ = points_.empty() ? 0 : points_[0].to_ns;
    slope_ = ns_per_unit_;
    return;
  }
  // The last point at or before `from`, but never the last of all.
  const auto after = std::upper_bound(
      points_.begin() + 1, points_.end() - 1, from,
      [](uint64_t value, const Point& point) { return value < point.from; });
  const Point& first = *(after - 1);
  const Point& last = *after;
  piece_begin_ = after - 1 == points_.begin() ? 0 : first.from;
  piece_end_ = after + 1 == points_.end() ? kMax : last.from;
  origin_ = first.from;
  origin_ns_ = first.to_ns;
  slope_ = static_cast<double>(last.to_ns - first.to_ns) /
           static_cast<double>(last.from - first.from);
}

int64_t ClockMap::ResidualNs() const {
  if (points_.size() < 3) return 0;
  std::vector<int64_t> distances;
  for (size_t i = 1; i + 1 < points_.size(); ++i) {
    const Point& before = points_[i - 1];
    const Point& after = points_[i + 1];
    const double share = static_cast<double>(points_[i].from - before.from) /
                         static_cast<double>(after.from - before.from);
    const auto expected =
        before.to_ns +
        static_cast<int64_t>(share *
                             static_cast<double>(after.to_ns - before.to_ns));
    distances.push_back(std::llabs(points_[i].to_ns - expected));
  }
  const size_t rank = distances.size() * 95 / 100;
  std::nth_element(distances.begin(), distances.begin() + rank,
                   distances.end());
  return distances[rank];
}

}  // namespace dltap::analyzer
