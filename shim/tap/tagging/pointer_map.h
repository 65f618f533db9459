// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_POINTER_MAP_H_
#define DLTAP_SHIM_TAP_TAGGING_POINTER_MAP_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "shim/tap/tagging/spin_lock.h"

namespace dltap::shim {

// Addresses of vendor objects -> a non-zero word. Fixed size, zero-filled, so
// that a global one costs no memory before its first use. Find() takes no
// lock; Insert() and Erase() lock one of 2^kShardBits shards.
//
// Invariants of a shard: a key lies within kWindow slots after its home; every
// slot between home and key is live or a tombstone (Find stops at an empty
// one); a slot's value is written before its key, and is 0 in those that have
// none, so that nothing is found for the keys 0 and 1.
template <int kShardBits, int kSlotBits>
class PointerMap {
 public:
  // 0: absent.
  uint64_t Find(uint64_t key) const {
    const uint64_t hash = Hash(key);
    const Shard& shard = shards_[hash & (kShards - 1)];
    const Slot& home = shard.slots[Index(hash, 0)];
    const uint64_t found = home.key.load(std::memory_order_acquire);
    if (found == key) return home.value.load(std::memory_order_relaxed);
    return found == kEmpty ? 0 : FindBehindHome(shard, hash, key);
  }

  // Overwrites. False when the neighbourhood is full or the lock is not to be
  // had; keys 0 and 1 and the value 0 are refused.
  bool Insert(uint64_t key, uint64_t value) {
    if (key <= kTombstone || value == 0) return false;
    const uint64_t hash = Hash(key);
    Shard& shard = shards_[hash & (kShards - 1)];
    SpinGuard guard(shard.lock);
    if (!guard) return false;
    Slot* free = nullptr;
    for (uint32_t i = 0; i < kWindow; ++i) {
      Slot& slot = shard.slots[Index(hash, i)];
      const uint64_t found = slot.key.load(std::memory_order_relaxed);
      if (found == key) {
        slot.value.store(value, std::memory_order_relaxed);
        return true;
      }
      if (free == nullptr && found <= kTombstone) free = &slot;
      if (found == kEmpty) break;
    }
    if (free == nullptr) return false;
    free->value.store(value, std::memory_order_relaxed);
    free->key.store(key, std::memory_order_release);
    return true;
  }

  // The value that was there, or 0.
  uint64_t Erase(uint64_t key) {
    if (key <= kTombstone) return 0;
    const uint64_t hash = Hash(key);
    Shard& shard = shards_[hash & (kShards - 1)];
    SpinGuard guard(shard.lock);
    if (!guard) return 0;
    for (uint32_t i = 0; i < kWindow; ++i) {
      const uint32_t index = Index(hash, i);
      const uint64_t found =
          shard.slots[index].key.load(std::memory_order_relaxed);
      if (found == kEmpty) return 0;
      if (found != key) continue;
      const uint64_t value =
          shard.slots[index].value.load(std::memory_order_relaxed);
      shard.slots[index].value.store(0, std::memory_order_relaxed);
      shard.slots[index].key.store(kTombstone, std::memory_order_relaxed);
      ClearTombstones(shard, index);
      return value;
    }
    return 0;
  }

 private:
  struct Slot {
    std::atomic<uint64_t> key{0};
    std::atomic<uint64_t> value{0};
  };
  static constexpr uint32_t kShards = 1u << kShardBits;
  static constexpr uint32_t kSlots = 1u << kSlotBits;
  static constexpr uint32_t kWindow = kSlots < 64 ? kSlots : 64;
  static constexpr uint64_t kEmpty = 0;
  static constexpr uint64_t kTombstone = 1;
  struct Shard {
    SpinLock lock;
    std::array<Slot, kSlots> slots;
  };

  // Out of line: the code of the hot path stays small.
  [[gnu::noinline]] static uint64_t FindBehindHome(const Shard& shard,
                                                   uint64_t hash,
                                                   uint64_t key) {
    for (uint32_t i = 1; i < kWindow; ++i) {
      const Slot& slot = shard.slots[Index(hash, i)];
      const uint64_t found = slot.key.load(std::memory_order_acquire);
      if (found == key) return slot.value.load(std::memory_order_relaxed);
      if (found == kEmpty) return 0;
    }
    return 0;
  }

  static uint64_t Hash(uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 32);
  }
  static uint32_t Index(uint64_t hash, uint32_t i) {
    return static_cast<uint32_t>((hash >> kShardBits) + i) & (kSlots - 1);
  }

  // Nothing is reached through tombstones that an empty slot follows.
  static void ClearTombstones(Shard& shard, uint32_t index) {
    const Slot& next = shard.slots[(index + 1) & (kSlots - 1)];
    if (next.key.load(std::memory_order_relaxed) != kEmpty) return;
    while (shard.slots[index].key.load(std::memory_order_relaxed) ==
           kTombstone) {
      shard.slots[index].key.store(kEmpty, std::memory_order_relaxed);
      index = (index - 1) & (kSlots - 1);
    }
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_POINTER_MAP_H_
