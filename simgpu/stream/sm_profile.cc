// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_profile.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();

// More than these and neighbours are joined: about 250 kernels in the queue.
constexpr size_t kMaxSegments = 512;

// Forgotten segments are erased by so many at a time.
constexpr size_t kForgottenAtOnce = 256;

}  // namespace

int SmProfile::Segment::TotalUnits() const {
  int total = 0;
  for (const int level_units : units) total += level_units;
  return total;
}

size_t SmProfile::IndexAt(int64_t time_ns) const {
  // Most work comes at the end.
  if (segments_.back().begin_ns <= time_ns) return segments_.size() - 1;
  const auto after = std::upper_bound(
      segments_.begin() + static_cast<std::ptrdiff_t>(first_), segments_.end(),
      time_ns,
      [](int64_t time, const Segment& s) { return time < s.begin_ns; });
  const auto index = static_cast<size_t>(after - segments_.begin());
  return index == first_ ? first_ : index - 1;
}

size_t SmProfile::SplitAt(int64_t time_ns) {
  const size_t index = IndexAt(time_ns);
  if (segments_[index].begin_ns >= time_ns) return index;
  Segment rest = segments_[index];
  rest.begin_ns = time_ns;
  segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                   rest);
  return index + 1;
}

int SmProfile::FreeUnits(const Segment& segment, const Request& request) const {
  if (segment.kernels >= max_kernels_) return 0;
  int taken = 0;
  const bool all = segment.begin_ns < request.fixed_until_ns;
  const int levels = all ? kLevels : request.level + 1;
  for (int level = 0; level < levels; ++level) taken += segment.units[level];
  const int free = std::min(request.units, kWhole - taken);
  return free < std::min(request.least_units, request.units) ? 0 : free;
}

void SmProfile::FindRoom(const Request& request) {
  pieces_.clear();
  if (request.fixed_until_ns > request.begin_ns &&
      request.fixed_until_ns != kEndless) {
    SplitAt(request.fixed_until_ns);
  }
  int64_t rest = request.duration_ns * request.units;
  for (size_t i = IndexAt(request.begin_ns);; ++i) {
    const int64_t begin_ns = std::max(segments_[i].begin_ns, request.begin_ns);
    const int64_t end_ns =
        i + 1 < segments_.size() ? segments_[i + 1].begin_ns : kEndless;
    const int64_t units = FreeUnits(segments_[i], request);
    if (units == 0 || begin_ns >= end_ns) continue;
    const int64_t needed_ns = (rest + units - 1) / units;
    const bool done = needed_ns <= end_ns - begin_ns;
    const Place place{begin_ns, done ? begin_ns + needed_ns : end_ns};
    if (!pieces_.empty() && pieces_.back().units == units &&
        pieces_.back().place.end_ns == begin_ns) {
      pieces_.back().place.end_ns = place.end_ns;
    } else {
      pieces_.push_back({place, static_cast<int>(units)});
    }
    if (done) return;
    rest -= (end_ns - begin_ns) * units;
  }
}

int64_t SmProfile::Take(const Piece& piece, int level) {
  if (piece.place.begin_ns >= piece.place.end_ns) return 0;
  const size_t begin = SplitAt(piece.place.begin_ns);
  const size_t end = SplitAt(piece.place.end_ns);
  int64_t given_twice = 0;
  for (size_t i = begin; i < end; ++i) {
    Segment& segment = segments_[i];
    const int free = std::max(0, kWhole - segment.TotalUnits());
    segment.units[level] += piece.units;
    ++segment.kernels;
    given_twice += (segments_[i + 1].begin_ns - segment.begin_ns) *
                   std::max(0, piece.units - free);
  }
  return given_twice;
}

SmProfile::Place SmProfile::Add(const Request& request) {
  if (request.duration_ns <= 0) return {request.begin_ns, request.begin_ns};
  FindRoom(request);
  const Place place{pieces_.front().place.begin_ns,
                    pieces_.back().place.end_ns};
  int64_t debt = 0;
  for (const Piece& piece : pieces_) debt += Take(piece, request.level);
  if (debt > 0) {
    FindRoom({.begin_ns = place.end_ns,
              .duration_ns = (debt + kWhole - 1) / kWhole,
              .units = kWhole});
    for (const Piece& piece : pieces_) Take(piece, kLevels - 1);
  }
  if (segment_count() > kMaxSegments) Coarsen();
  return place;
}

void SmProfile::AddFixed(Place place, int units, int level) {
  Take({place, units}, level);
  if (segment_count() > kMaxSegments) Coarsen();
}

const std::vector<SmProfile::Piece>& SmProfile::Book(const Request& request,
                                                     size_t max_pieces) {
  FindRoom(request);
  if (pieces_.size() > max_pieces) pieces_.resize(max_pieces);
  for (const Piece& piece : pieces_) Take(piece, request.level);
  if (segment_count() > kMaxSegments) Coarsen();
  return pieces_;
}

void SmProfile::GiveBack(const Piece& piece, int level, int kernels) {
  if (piece.place.begin_ns >= piece.place.end_ns || piece.units == 0) return;
  const size_t begin = SplitAt(piece.place.begin_ns);
  const size_t end = SplitAt(piece.place.end_ns);
  for (size_t i = begin; i < end; ++i) {
    Segment& segment = segments_[i];
    // A coarse segment may hold less than was taken here.
    segment.units[level] = std::max(0, segment.units[level] - piece.units);
    segment.kernels = std::max(0, segment.kernels - kernels);
  }
  if (segment_count() > kMaxSegments) Coarsen();
}

void SmProfile::Coarsen() {
  size_t kept = 0;
  // The first may begin at the beginning of time, the last has no end.
  segments_[kept++] = segments_[first_];
  size_t at = first_ + 1;
  for (; at + 2 < segments_.size(); at += 2) {
    const Segment& a = segments_[at];
    const Segment& b = segments_[at + 1];
    const auto a_ns = static_cast<double>(b.begin_ns - a.begin_ns);
    const auto b_ns =
        static_cast<double>(segments_[at + 2].begin_ns - b.begin_ns);
    const auto mean = [&](int of_a, int of_b) {
      if (of_a == of_b) return of_a;  // mostly 0
      return static_cast<int>((of_a * a_ns + of_b * b_ns) / (a_ns + b_ns) +
                              0.5);
    };
    Segment joined{a.begin_ns, {}, mean(a.kernels, b.kernels)};
    for (int level = 0; level < kLevels; ++level) {
      joined.units[level] = mean(a.units[level], b.units[level]);
    }
    segments_[kept++] = joined;
  }
  for (; at < segments_.size(); ++at) segments_[kept++] = segments_[at];
  segments_.resize(kept);
  first_ = 0;
}

void SmProfile::Forget(int64_t before_ns) {
  while (first_ + 1 < segments_.size() &&
         segments_[first_ + 1].begin_ns <= before_ns) {
    ++first_;
  }
  if (first_ < kForgottenAtOnce || first_ * 2 < segments_.size()) return;
  segments_.erase(segments_.begin(),
                  segments_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

}  // namespace dltap::simgpu
