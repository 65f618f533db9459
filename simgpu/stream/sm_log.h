// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SM_LOG_H_
#define DLTAP_SIMGPU_STREAM_SM_LOG_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "simgpu/stream/sm_profile.h"

namespace dltap::simgpu {

// The last kernels of one stream. Written under the stream's mutex, read under
// SmSharing's. Of what is older than the ring the SM time is known: it is taken
// to lie before the others, in a row, as dense as they are.
class SmLog {
 public:
  struct Entry {
    SmProfile::Place place;
    int units;

    uint64_t SmTime() const {
      return static_cast<uint64_t>((place.end_ns - place.begin_ns) * units);
    }
  };

  void Add(const Entry& entry) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const uint64_t at = written_.load(kRelaxed);
    Slot& slot = slots_[at % kSlots];
    slot.begin_ns.store(entry.place.begin_ns, kRelaxed);
    slot.end_ns.store(entry.place.end_ns, kRelaxed);
    slot.units.store(entry.units, kRelaxed);
    slot.sm_time_before.store(sm_time_, kRelaxed);
    sm_time_ += entry.SmTime();
    written_.store(at + 1, std::memory_order_release);
  }
  // No longer to be read by TakeNew(). REQUIRES: the stream's mutex.
  void MarkTaken() {
    taken_ = written_.load(std::memory_order_relaxed);
    taken_sm_time_ = sm_time_;
  }

  // Calls visit(entry) for those added since the last time.
  template <typename Visit>
  void TakeNew(Visit visit) {
    const uint64_t written = written_.load(std::memory_order_acquire);
    if (written == taken_) return;
    uint64_t at = taken_;
    if (written > at + kReadable) {
      at = written - kReadable;
      visit(Forgotten(at, written - 1));
    }
    for (; at < written; ++at) visit(Read(at));
    taken_ = written;
    taken_sm_time_ = SmTimeBefore(written - 1) + Read(written - 1).SmTime();
  }

  int64_t LastEnd() const;
  // When the kernel that runs at this time will end; 0: none does.
  int64_t EndOfRunning(int64_t now_ns) const;
  // At least so many have not begun at this time.
  bool HasWaiting(uint64_t kernels, int64_t now_ns) const;

 private:
  static constexpr uint64_t kSlots = 1024;
  // The rest is what a writer may add during a read.
  static constexpr uint64_t kReadable = kSlots - 128;

  struct Slot {
    std::atomic<int64_t> begin_ns;
    std::atomic<int64_t> end_ns;
    std::atomic<uint64_t> sm_time_before;  // of all kernels before
    std::atomic<int> units;
  };

  Entry Read(uint64_t at) const;
  uint64_t SmTimeBefore(uint64_t at) const;
  // What was not taken before `first`, from what follows up to `last`.
  Entry Forgotten(uint64_t first, uint64_t last) const;

  std::atomic<uint64_t> written_{0};
  uint64_t sm_time_ = 0;  // of all, in units x ns; may wrap round
  // Under SmSharing's mutex.
  uint64_t taken_ = 0;
  uint64_t taken_sm_time_ = 0;
  std::array<Slot, kSlots> slots_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SM_LOG_H_
