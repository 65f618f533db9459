// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_sharing.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// A stream with so many kernels waiting books as much again.
constexpr int kQueue = 128;
// What takes longer is not launched so often that threads would meet. And what
// is booked keeps others waiting: a collective beside a queue of GEMMs must
// find its SMs behind one of them, not behind a hundred.
constexpr int64_t kLongestBookedNs = 20'000;
// After a booking that served so few kernels, as many get exact places.
constexpr int kFew = 16;
// A stream that launched nothing for so long gives its booking back.
constexpr int64_t kIdleNs = 100'000;
// Another thread that launched counts for so long.
constexpr int64_t kOthersNs = 100'000'000;
// Of the SMs, for a booking: with less, two streams could leave some idle.
constexpr double kLeastPart = 0.5;
// The mutex is held for less than a microsecond: too short a time to sleep.
constexpr int kTries = 100;

int LevelOf(int priority) {
  static_assert(kLeastPriority - kGreatestPriority + 1 == SmProfile::kLevels);
  return priority - kGreatestPriority;
}

int ClaimOf(const SmWork& work) {
  return work.in_order ? work.units.launch : SmProfile::kWhole + 1;
}

bool MayUseBooking(const SmWork& work) {
  return work.in_order && work.priority == kLeastPriority;
}

// REQUIRES: sharing.mutex, for all that follows.

void SetClaim(SmSharing& sharing, SmClaimant& own, int units) {
  const int old = own.claim.exchange(units, kRelaxed);
  sharing.claimed.fetch_add(units - old, kRelaxed);
  if (old == 0 && units > 0) sharing.claimants.push_back(&own);
}

void ReadLog(SmSharing& sharing, SmClaimant& claimant) {
  if (claimant.booking.open()) return;  // that took the room
  const int level = LevelOf(claimant.priority);
  claimant.log->TakeNew([&](const SmLog::Entry& entry) {
    sharing.profile.AddFixed(entry.place, entry.units, level);
  });
}

// REQUIRES: the stream's mutex.
void CloseBooking(SmSharing& sharing, SmClaimant& claimant) {
  if (!claimant.booking.open()) return;
  claimant.booking.Close(sharing.profile);
  claimant.log->MarkTaken();
  SetClaim(sharing, claimant, claimant.claim_without_booking);
}

// False: it still has one. A stream whose mutex is held launches.
bool CloseIdleBooking(SmSharing& sharing, SmClaimant& claimant,
                      int64_t now_ns) {
  if (!claimant.booking.open()) return true;
  if (now_ns - claimant.booking.last_taken_ns() <= kIdleNs) return false;
  const std::unique_lock lock(claimant.stream_mutex, std::try_to_lock);
  if (lock.owns_lock()) CloseBooking(sharing, claimant);
  return lock.owns_lock();
}

void ReadLogs(SmSharing& sharing, const SmClaimant& own, int64_t now_ns) {
  std::erase_if(sharing.claimants, [&](SmClaimant* claimant) {
    ReadLog(sharing, *claimant);
    if (claimant == &own || !CloseIdleBooking(sharing, *claimant, now_ns) ||
        claimant->log->LastEnd() > now_ns) {
      return false;
    }
    SetClaim(sharing, *claimant, 0);
    return true;
  });
  sharing.profile.Forget(now_ns);
}

int64_t EndOfRunning(const SmSharing& sharing, int64_t now_ns) {
  int64_t end_ns = now_ns;
  for (const SmClaimant* claimant : sharing.claimants) {
    end_ns = std::max(end_ns, claimant->log->EndOfRunning(now_ns));
  }
  return end_ns;
}

void SeeThread(SmSharing& sharing, int64_t now_ns) {
  const auto thread = std::this_thread::get_id();
  if (thread != sharing.last_thread) {
    sharing.last_thread = thread;
    sharing.others_ns = sharing.last_ns;
  }
  sharing.last_ns = now_ns;
}

// What the stream got the last time is a part of all that was placed since.
void UpdatePart(const SmSharing& sharing, SmClaimant& own) {
  const double got = own.booking.open()
                         ? static_cast<double>(own.booking.used())
                         : own.last_sm_time;
  if (got <= 0) return;
  const double others = sharing.placed - own.placed_before;
  own.part = (own.part + got / (got + others)) / 2;
}

void CountPlaced(SmSharing& sharing, SmClaimant& own, double sm_time) {
  sharing.placed += sm_time;
  own.placed_before = sharing.placed;
}

bool MayBook(const SmSharing& sharing, const SmClaimant& own,
             const SmWork& work) {
  if (!sharing.may_book) return false;
  if (own.booking.kernels() + own.kernels_since_booking < kFew) return false;
  return work.now_ns - sharing.others_ns < kOthersNs && MayUseBooking(work) &&
         work.duration_ns > 0 && work.duration_ns <= kLongestBookedNs &&
         own.log->HasWaiting(kQueue, work.now_ns);
}

void Book(SmSharing& sharing, SmClaimant& own, const SmWork& work) {
  const int claim = own.claim.load(kRelaxed);
  const double part = std::max(kLeastPart, own.part) * SmProfile::kWhole;
  const int units = std::min(claim, static_cast<int>(part));
  const auto& pieces =
      sharing.profile.Book({.begin_ns = own.booking.Next(work.begin_ns),
                            .duration_ns = kQueue * work.SmTime() / units,
                            .units = units,
                            .least_units = work.units.block},
                           SmBooking::kMaxPieces);
  own.booking.Open(pieces, claim, work.now_ns);
  CountPlaced(sharing, own, static_cast<double>(own.booking.Booked()));
  own.kernels_since_booking = 0;
  own.claim_without_booking = claim;
  // So that no launch goes by the booking.
  SetClaim(sharing, own, SmProfile::kWhole + 1);
}

SmProfile::Place PlaceExactly(SmSharing& sharing, SmClaimant& own,
                              const SmWork& work) {
  SmProfile::Request request{.begin_ns = work.begin_ns,
                             .duration_ns = work.duration_ns,
                             .units = work.units.launch,
                             .least_units = work.units.block,
                             .level = LevelOf(work.priority)};
  if (work.priority != kLeastPriority) {
    request.fixed_until_ns = EndOfRunning(sharing, work.now_ns);
  }
  own.last_sm_time = static_cast<double>(work.SmTime());
  CountPlaced(sharing, own, own.last_sm_time);
  ++own.kernels_since_booking;
  return sharing.profile.Add(request);
}

// The stream's part of all claims becomes `units`.
[[gnu::noinline, gnu::cold]] void Claim(SmSharing& sharing, SmClaimant& own,
                                        int units) {
  const std::lock_guard lock(sharing.mutex);
  if (own.log == nullptr) own.log = std::make_unique<SmLog>();
  SetClaim(sharing, own, units);
}

[[gnu::noinline]] SmProfile::Place PlaceAmongOthers(SmSharing& sharing,
                                                    SmClaimant& own,
                                                    const SmWork& work) {
  std::unique_lock lock(sharing.mutex, std::try_to_lock);
  for (int i = 0; i < kTries && !lock.owns_lock(); ++i) {
    __builtin_ia32_pause();
    lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return sharing.Place(own, work);
}

SmProfile::Place TakeAtOnce(SmClaimant& own, const SmWork& work) {
  const SmProfile::Place place{work.begin_ns, work.begin_ns + work.duration_ns};
  own.log->Add({place, work.units.launch});
  return place;
}

// What is left to do where claims are new, or do not fit the device.
[[gnu::noinline]] SmProfile::Place TakeClaimedSms(SmSharing& sharing,
                                                  SmClaimant& own,
                                                  const SmWork& work) {
  if (own.booking.open() && MayUseBooking(work)) {
    if (const auto place = own.booking.Take(work)) [[likely]] {
      own.log->Add({*place, work.units.launch});
      return *place;
    }
  }
  if (own.claim.load(kRelaxed) < ClaimOf(work)) [[unlikely]]
    Claim(sharing, own, ClaimOf(work));
  if (sharing.claimed.load(kRelaxed) > SmProfile::kWhole) {
    return PlaceAmongOthers(sharing, own, work);
  }
  return TakeAtOnce(own, work);
}

}  // namespace

SmProfile::Place SmSharing::Place(SmClaimant& own, const SmWork& work) {
  SeeThread(*this, work.now_ns);
  UpdatePart(*this, own);
  CloseBooking(*this, own);
  ReadLogs(*this, own, work.now_ns);
  // What the stream did before matters until it has run dry.
  const bool dry = work.in_order && own.log->LastEnd() <= work.now_ns;
  if (dry || own.claim.load(kRelaxed) < ClaimOf(work)) {
    SetClaim(*this, own, ClaimOf(work));
  }
  if (MayBook(*this, own, work)) {
    Book(*this, own, work);
    if (const auto place = own.booking.Take(work)) {
      own.log->Add({*place, work.units.launch});
      return *place;
    }
    CloseBooking(*this, own);
  }
  const SmProfile::Place place = PlaceExactly(*this, own, work);
  own.log->Add({place, work.units.launch});
  own.log->MarkTaken();
  return place;
}

SmProfile::Place TakeSms(SmSharing& sharing, SmClaimant& own,
                         const SmWork& work) {
  const int claim = own.claim.load(kRelaxed);
  if (work.in_order && work.units.launch <= claim &&
      sharing.claimed.load(kRelaxed) <= SmProfile::kWhole) [[likely]] {
    return TakeAtOnce(own, work);
  }
  return TakeClaimedSms(sharing, own, work);
}

void LeaveSms(SmSharing& sharing, SmClaimant& own) {
  if (own.log == nullptr) return;
  const std::lock_guard lock(sharing.mutex);
  CloseBooking(sharing, own);
  ReadLog(sharing, own);
  SetClaim(sharing, own, 0);
  std::erase(sharing.claimants, &own);
}

}  // namespace dltap::simgpu
