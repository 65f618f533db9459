// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory/written_memory.h"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "shim/simgpu/device/memory/ipc_memory.h"

namespace dltap::simgpu {
namespace {

// A set of addresses as disjoint ranges.
class AddressRanges {
 public:
  // Forgetting is allowed: a small read then sees zeroes.
  static constexpr size_t kLimit = 65536;

  void Add(uintptr_t begin, uintptr_t end) {
    if (end_by_begin_.size() >= kLimit) end_by_begin_.clear();
    auto at = end_by_begin_.upper_bound(begin);
    if (at != end_by_begin_.begin() && std::prev(at)->second >= begin) --at;
    while (at != end_by_begin_.end() && at->first <= end) {
      if (at->first < begin) begin = at->first;
      if (at->second > end) end = at->second;
      at = end_by_begin_.erase(at);
    }
    end_by_begin_[begin] = end;
  }

  void Remove(uintptr_t begin, uintptr_t end) {
    auto at = end_by_begin_.upper_bound(begin);
    if (at != end_by_begin_.begin() && std::prev(at)->second > begin) --at;
    while (at != end_by_begin_.end() && at->first < end) {
      const auto [old_begin, old_end] = *at;
      at = end_by_begin_.erase(at);
      if (old_begin < begin) end_by_begin_[old_begin] = begin;
      if (old_end > end) end_by_begin_[end] = old_end;
    }
  }

  bool Contains(uintptr_t begin, uintptr_t end) const {
    const auto next = end_by_begin_.upper_bound(begin);
    return next != end_by_begin_.begin() && std::prev(next)->second >= end;
  }

  bool empty() const { return end_by_begin_.empty(); }
  void clear() { end_by_begin_.clear(); }

 private:
  std::map<uintptr_t, uintptr_t> end_by_begin_;
};

struct FreshMemory {
  std::mutex mutex;
  AddressRanges until_unknown_kernel;
  AddressRanges for_long;
};

// Whether the two sets hold anything.
constinit std::atomic<bool> g_any_until_unknown_kernel{false};
constinit std::atomic<bool> g_any_for_long{false};

FreshMemory& Fresh() {
  static auto* const fresh = new FreshMemory;
  return *fresh;
}

uintptr_t BeginOf(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

}  // namespace

void MarkFresh(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  FreshMemory& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  const uintptr_t begin = BeginOf(address);
  fresh.until_unknown_kernel.Add(begin, begin + bytes);
  fresh.for_long.Remove(begin, begin + bytes);
  g_any_until_unknown_kernel.store(true, std::memory_order_release);
}

void MarkFreshForLong(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  FreshMemory& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  fresh.for_long.Add(BeginOf(address), BeginOf(address) + bytes);
  g_any_for_long.store(true, std::memory_order_release);
}

void MarkStale(const void* address, size_t bytes) {
  if (!AnythingFresh()) return;
  const uintptr_t begin = BeginOf(address);
  FreshMemory& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  fresh.until_unknown_kernel.Remove(begin, begin + bytes);
  fresh.for_long.Remove(begin, begin + bytes);
  if (fresh.until_unknown_kernel.empty()) {
    g_any_until_unknown_kernel.store(false, std::memory_order_release);
  }
  if (fresh.for_long.empty()) {
    g_any_for_long.store(false, std::memory_order_release);
  }
}

void MarkAllStale() {
  if (!g_any_until_unknown_kernel.load(std::memory_order_relaxed)) [[likely]]
    return;
  FreshMemory& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  fresh.until_unknown_kernel.clear();
  g_any_until_unknown_kernel.store(false, std::memory_order_release);
}

bool IsFresh(const void* address, size_t bytes) {
  if (!AnythingFresh()) return false;
  const uintptr_t begin = BeginOf(address);
  FreshMemory& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  return fresh.until_unknown_kernel.Contains(begin, begin + bytes) ||
         fresh.for_long.Contains(begin, begin + bytes);
}

bool AnythingFreshForLong() {
  return g_any_for_long.load(std::memory_order_relaxed);
}

bool AnythingFresh() {
  return g_any_until_unknown_kernel.load(std::memory_order_acquire) ||
         g_any_for_long.load(std::memory_order_acquire);
}

}  // namespace dltap::simgpu
