// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/gpu/sm_sharing.h"

#include <algorithm>

#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/stream/stream.h"

namespace dltap::simgpu {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

int LevelOf(int priority) {
  static_assert(kLeastPriority - kGreatestPriority + 1 == SmProfile::kLevels);
  return priority - kGreatestPriority;
}

// The stream's part of all claims becomes `units`.
[[gnu::noinline, gnu::cold]] void Claim(Stream& stream, int units) {
  SmSharing& sharing = *stream.sm_sharing;
  const std::lock_guard lock(sharing.mutex);
  if (stream.sm_log == nullptr) stream.sm_log = std::make_unique<SmLog>();
  const int old = stream.sm_claim.exchange(units, kRelaxed);
  sharing.claimed.fetch_add(units - old, kRelaxed);
  if (old == 0) sharing.claimants.push_back(&stream);
}

// REQUIRES: sharing.mutex, for all that follows.

void ReadLog(Stream& stream, SmSharing& sharing) {
  const int level = LevelOf(stream.priority);
  stream.sm_log->TakeNew([&](const SmLog::Entry& entry) {
    sharing.profile.AddFixed(entry.place, entry.units, level);
  });
}

void DropClaim(Stream& stream, SmSharing& sharing) {
  sharing.claimed.fetch_sub(stream.sm_claim.exchange(0, kRelaxed), kRelaxed);
}

void ReadLogs(SmSharing& sharing, const Stream& own, int64_t now_ns) {
  for (Stream* stream : sharing.claimants) ReadLog(*stream, sharing);
  sharing.profile.Forget(now_ns);
  std::erase_if(sharing.claimants, [&](Stream* stream) {
    if (stream == &own || stream->sm_log->LastEnd() > now_ns) return false;
    DropClaim(*stream, sharing);
    return true;
  });
}

int64_t EndOfRunning(const SmSharing& sharing, int64_t now_ns) {
  int64_t end_ns = now_ns;
  for (const Stream* stream : sharing.claimants) {
    end_ns = std::max(end_ns, stream->sm_log->EndOfRunning(now_ns));
  }
  return end_ns;
}

[[gnu::noinline]] SmProfile::Place PlaceAmongOthers(Stream& stream,
                                                    const SmWork& work) {
  SmSharing& sharing = *stream.sm_sharing;
  const std::lock_guard lock(sharing.mutex);
  ReadLogs(sharing, stream, work.now_ns);
  if (work.in_order && stream.sm_log->LastEnd() <= work.now_ns) {
    // What the stream did before no longer matters.
    const int old = stream.sm_claim.exchange(work.units.launch, kRelaxed);
    sharing.claimed.fetch_add(work.units.launch - old, kRelaxed);
  }
  SmProfile::Request request{.begin_ns = work.begin_ns,
                             .duration_ns = work.duration_ns,
                             .units = work.units.launch,
                             .least_units = work.units.block,
                             .level = LevelOf(work.priority)};
  if (work.priority != kLeastPriority) {
    request.fixed_until_ns = EndOfRunning(sharing, work.now_ns);
  }
  const SmProfile::Place place = sharing.profile.Add(request);
  stream.sm_log->Add({place, work.units.launch});
  stream.sm_log->MarkTaken();
  return place;
}

}  // namespace

void SmLog::Add(const Entry& entry) {
  const uint64_t at = written_.load(kRelaxed);
  Slot& slot = slots_[at % kSlots];
  slot.begin_ns.store(entry.place.begin_ns, kRelaxed);
  slot.end_ns.store(entry.place.end_ns, kRelaxed);
  slot.units.store(entry.units, kRelaxed);
  written_.store(at + 1, std::memory_order_release);
}

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

SmProfile::Place TakeSms(Stream& stream, const SmWork& work) {
  SmSharing& sharing = *stream.sm_sharing;
  const int claim = work.in_order ? work.units.launch : SmProfile::kWhole + 1;
  if (stream.sm_claim.load(kRelaxed) < claim) [[unlikely]]
    Claim(stream, claim);
  if (sharing.claimed.load(kRelaxed) > SmProfile::kWhole) {
    return PlaceAmongOthers(stream, work);
  }
  const SmProfile::Place place{work.begin_ns, work.begin_ns + work.duration_ns};
  stream.sm_log->Add({place, work.units.launch});
  return place;
}

void LeaveSms(Stream& stream) {
  if (stream.sm_log == nullptr) return;
  SmSharing& sharing = *stream.sm_sharing;
  const std::lock_guard lock(sharing.mutex);
  ReadLog(stream, sharing);
  DropClaim(stream, sharing);
  std::erase(sharing.claimants, &stream);
}

}  // namespace dltap::simgpu
