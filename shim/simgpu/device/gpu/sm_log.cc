// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/gpu/sm_log.h"

namespace dltap::simgpu {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

SmLog::Entry SmLog::Read(uint64_t at) const {
  const Slot& slot = slots_[at % kSlots];
  return {{slot.begin_ns.load(kRelaxed), slot.end_ns.load(kRelaxed)},
          slot.units.load(kRelaxed)};
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
