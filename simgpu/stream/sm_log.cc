// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_log.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

SmLog::Entry SmLog::Read(uint64_t at) const {
  const Slot& slot = slots_[at % kSlots];
  return {{slot.begin_ns.load(kRelaxed), slot.end_ns.load(kRelaxed)},
          slot.units.load(kRelaxed)};
}

uint64_t SmLog::SmTimeBefore(uint64_t at) const {
  return slots_[at % kSlots].sm_time_before.load(kRelaxed);
}

SmLog::Entry SmLog::Forgotten(uint64_t first, uint64_t last) const {
  const uint64_t before = SmTimeBefore(first);
  const int64_t end_ns = Read(first).place.begin_ns;
  const int64_t span_ns = Read(last).place.begin_ns - end_ns;
  const double units =
      std::clamp<double>(static_cast<double>(SmTimeBefore(last) - before) /
                             static_cast<double>(std::max<int64_t>(1, span_ns)),
                         1, SmProfile::kWhole);
  const double length_ns = static_cast<double>(before - taken_sm_time_) / units;
  return {{end_ns - static_cast<int64_t>(length_ns), end_ns},
          static_cast<int>(units)};
}

int64_t SmLog::LastEnd() const {
  const uint64_t written = written_.load(std::memory_order_acquire);
  return written == 0 ? 0 : Read(written - 1).place.end_ns;
}

int64_t SmLog::EndOfRunning(int64_t now_ns) const {
  const uint64_t written = written_.load(std::memory_order_acquire);
  const uint64_t first = written > kReadable ? written - kReadable : 0;
  for (uint64_t at = written; at > first; --at) {
    const SmProfile::Place place = Read(at - 1).place;
    if (place.begin_ns <= now_ns) return place.end_ns;
  }
  return 0;
}

bool SmLog::HasWaiting(uint64_t kernels, int64_t now_ns) const {
  const uint64_t written = written_.load(std::memory_order_acquire);
  return written >= kernels && Read(written - kernels).place.begin_ns > now_ns;
}

}  // namespace dltap::simgpu
