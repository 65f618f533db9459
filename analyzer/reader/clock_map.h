// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_CLOCK_MAP_H_
#define DLTAP_ANALYZER_READER_CLOCK_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dltap::analyzer {

// Maps readings of one clock to another, piecewise linear through the anchors
// that were read of both at (nearly) the same moment. Beyond them the nearest
// piece goes on. With no anchor, readings count from 0.
class ClockMap {
 public:
  ClockMap() = default;

  // Used while there is at most one anchor; 1 if not set.
  void SetNsPerUnit(double ns_per_unit) { ns_per_unit_ = ns_per_unit; }

  // In any order; Finish() sorts, and drops anchors at which a clock stands
  // still or runs backwards.
  void Add(uint64_t from, int64_t to_ns);
  void Finish();

  bool known() const { return !points_.empty(); }
  size_t anchors() const { return points_.size(); }

  // Hot path. Readings that follow each other cost a comparison each.
  int64_t ToNs(uint64_t from) const {
    if (from < piece_begin_ || from >= piece_end_) FindPiece(from);
    const auto delta = static_cast<int64_t>(from - origin_);
    return origin_ns_ +
           static_cast<int64_t>(std::clamp(static_cast<double>(delta) * slope_,
                                           -kMaxNs, kMaxNs));
  }

  // How far an anchor lies from the line between its neighbours: the 95th
  // percentile. 0 with fewer than three anchors.
  int64_t ResidualNs() const;

 private:
  // Hostile readings stay far from the ends of int64_t.
  static constexpr double kMaxNs = 1ll << 60;

  struct Point {
    uint64_t from;
    int64_t to_ns;
  };

  void FindPiece(uint64_t from) const;

  double ns_per_unit_ = 1;
  std::vector<Point> points_;
  // The piece last used, [piece_begin_, piece_end_).
  mutable uint64_t piece_begin_ = 1;
  mutable uint64_t piece_end_ = 0;
  mutable uint64_t origin_ = 0;
  mutable int64_t origin_ns_ = 0;
  mutable double slope_ = 1;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_CLOCK_MAP_H_
