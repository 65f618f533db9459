// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_booking.h"

#include <algorithm>

#include "simgpu/stream/gaps.h"

namespace dltap::simgpu {
namespace {

int64_t DividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

void SmBooking::Open(const std::vector<SmProfile::Piece>& pieces,
                     int most_units, int64_t now_ns) {
  count_ = std::min(pieces.size(), kMaxPieces);
  std::copy_n(pieces.begin(), count_, pieces_.begin());
  current_ = 0;
  most_units_ = most_units;
  used_ = 0;
  kernels_ = 0;
  last_taken_ns_.store(now_ns, std::memory_order_relaxed);
}

int64_t SmBooking::Next(int64_t begin_ns) const {
  return std::max(next_ns_, begin_ns - kKernelGapNs);
}

SmProfile::Place SmBooking::TakeUntil(int64_t end_ns, int64_t begin_ns,
                                      const SmWork& work) {
  next_ns_ = end_ns;
  used_ += work.SmTime();
  ++kernels_;
  last_taken_ns_.store(work.now_ns, std::memory_order_relaxed);
  begin_ns = std::max(begin_ns, work.begin_ns);
  return {begin_ns, std::max(end_ns, begin_ns + work.duration_ns)};
}

std::optional<SmProfile::Place> SmBooking::Take(const SmWork& work) {
  // Mostly it is the piece of the last one.
  const auto& [booked, units] = pieces_[current_];
  const int64_t begin_ns = std::max(Next(work.begin_ns), booked.begin_ns);
  const int64_t end_ns = begin_ns + DividedUp(work.SmTime(), units);
  if (end_ns > booked.end_ns || work.units.block > units ||
      work.units.launch > most_units_) [[unlikely]] {
    return TakeFurther(work);
  }
  return TakeUntil(end_ns, begin_ns, work);
}

std::optional<SmProfile::Place> SmBooking::TakeFurther(const SmWork& work) {
  if (work.units.launch > most_units_) return std::nullopt;
  int64_t rest = work.SmTime();
  std::optional<int64_t> begin_ns;
  for (size_t i = current_; i < count_; ++i) {
    const auto& [booked, units] = pieces_[i];
    const int64_t at_ns = std::max(Next(work.begin_ns), booked.begin_ns);
    if (at_ns >= booked.end_ns || units < work.units.block) continue;
    if (!begin_ns) begin_ns = at_ns;
    const int64_t end_ns = at_ns + DividedUp(rest, units);
    if (end_ns <= booked.end_ns) {
      current_ = i;
      return TakeUntil(end_ns, *begin_ns, work);
    }
    rest -= (booked.end_ns - at_ns) * units;
  }
  return std::nullopt;
}

int64_t SmBooking::Booked(int64_t until_ns) const {
  int64_t booked = 0;
  for (size_t i = 0; i < count_; ++i) {
    const auto& [place, units] = pieces_[i];
    const int64_t end_ns = std::min(place.end_ns, until_ns);
    booked += std::max<int64_t>(0, end_ns - place.begin_ns) * units;
  }
  return booked;
}

void SmBooking::Close(SmProfile& profile) {
  constexpr int kLeast = SmProfile::kLevels - 1;
  const int64_t passed = Booked(next_ns_);
  const double unused = passed == 0 ? 0
                                    : static_cast<double>(passed - used_) /
                                          static_cast<double>(passed);
  for (size_t i = 0; i < count_; ++i) {
    const auto& [place, units] = pieces_[i];
    const int64_t middle_ns =
        std::clamp(next_ns_, place.begin_ns, place.end_ns);
    profile.GiveBack(
        {{place.begin_ns, middle_ns}, static_cast<int>(unused * units)}, kLeast,
        0);
    profile.GiveBack({{middle_ns, place.end_ns}, units}, kLeast, 1);
  }
  count_ = 0;
}

}  // namespace dltap::simgpu
