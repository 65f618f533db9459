// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/written_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "simgpu/bytes/shared_memory.h"
#include "simgpu/bytes/work_order.h"

namespace dltap::simgpu {
namespace {

// A known write's place in its line of work.
struct WriteStamp {
  size_t line = 0;
  uint64_t number = 0;
  friend bool operator==(const WriteStamp&, const WriteStamp&) = default;

  bool IsSpoilt(const OrderPoint& seen_from) const {
    return At(seen_from.spoilt, line) >= number;
  }
};

// Disjoint ranges of addresses, each with the write that filled it.
class WrittenRanges {
 public:
  void Add(uintptr_t begin, uintptr_t end, WriteStamp stamp) {
    Remove(begin, end);
    auto at = ranges_.lower_bound(begin);
    if (at != ranges_.end() && at->first == end && at->second.stamp == stamp) {
      end = at->second.end;
      at = ranges_.erase(at);
    }
    if (at != ranges_.begin()) {
      Range& before = std::prev(at)->second;
      if (before.end == begin && before.stamp == stamp) {
        before.end = end;
        return;
      }
    }
    ranges_.emplace_hint(at, begin, Range{end, stamp});
  }

  void Remove(uintptr_t begin, uintptr_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [old_begin, old] = *at;
      at = ranges_.erase(at);
      if (old_begin < begin) ranges_[old_begin] = {begin, old.stamp};
      if (old.end > end) ranges_[end] = {old.end, old.stamp};
    }
  }

  // All of the bytes, by writes of which is_good(stamp) holds.
  template <typename IsGood>
  bool Contains(uintptr_t begin, uintptr_t end, IsGood is_good) const {
    auto at = ranges_.upper_bound(begin);
    if (at == ranges_.begin()) return false;
    for (--at; at != ranges_.end() && at->first <= begin; ++at) {
      if (at->second.end <= begin || !is_good(at->second.stamp)) return false;
      begin = at->second.end;
      if (begin >= end) return true;
    }
    return false;
  }

  template <typename IsOld>
  void Forget(IsOld is_old) {
    std::erase_if(
        ranges_, [&](const auto& entry) { return is_old(entry.second.stamp); });
  }

  size_t size() const { return ranges_.size(); }
  void clear() { ranges_.clear(); }

 private:
  struct Range {
    uintptr_t end;
    WriteStamp stamp;
  };
  std::map<uintptr_t, Range> ranges_;  // by their begins
};

// Forgetting is allowed: a small read then sees zeroes.
constexpr size_t kMostRanges = 65536;
constexpr size_t kRangesToTidy = 1024;

struct WrittenMemory {
  std::mutex mutex;
  WrittenRanges until_unknown_kernel;
  WrittenRanges for_long;  // without stamps
  size_t tidy_at = kRangesToTidy;
};

// Whether the sets hold anything.
constinit std::atomic<bool> g_any{false};
constinit std::atomic<bool> g_any_for_long{false};

WrittenMemory& Written() {
  static auto* const written = new WrittenMemory;
  return *written;
}

uintptr_t BeginOf(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

// REQUIRES: written.mutex.
void Tidy(WrittenMemory& written, const OrderPoint& now) {
  WrittenRanges& ranges = written.until_unknown_kernel;
  if (ranges.size() < written.tidy_at) return;
  ranges.Forget([&](const WriteStamp& stamp) { return stamp.IsSpoilt(now); });
  if (ranges.size() > kMostRanges / 2) ranges.clear();
  written.tidy_at = std::max(kRangesToTidy, 2 * ranges.size());
}

}  // namespace

void MarkFresh(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  const Order order = OrderOfWrite();
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  const uintptr_t begin = BeginOf(address);
  Tidy(written, *order);
  written.until_unknown_kernel.Add(begin, begin + bytes,
                                   {order->line, order->write_number()});
  written.for_long.Remove(begin, begin + bytes);
  g_any.store(true, std::memory_order_release);
}

void MarkFreshForLong(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  written.for_long.Add(BeginOf(address), BeginOf(address) + bytes, {});
  g_any_for_long.store(true, std::memory_order_release);
  g_any.store(true, std::memory_order_release);
}

void MarkStale(const void* address, size_t bytes) {
  if (!g_any.load(std::memory_order_acquire)) return;
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  written.until_unknown_kernel.Remove(begin, begin + bytes);
  written.for_long.Remove(begin, begin + bytes);
  if (written.for_long.size() == 0) {
    g_any_for_long.store(false, std::memory_order_release);
  }
}

bool IsFresh(const void* address, size_t bytes) {
  if (!g_any.load(std::memory_order_acquire)) return false;
  const Order order = OrderOfRead();
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  return written.until_unknown_kernel.Contains(begin, begin + bytes,
                                               [&](const WriteStamp& stamp) {
                                                 return !stamp.IsSpoilt(*order);
                                               }) ||
         written.for_long.Contains(begin, begin + bytes,
                                   [](const WriteStamp&) { return true; });
}

bool AnythingFreshForLong() {
  return g_any_for_long.load(std::memory_order_relaxed);
}

}  // namespace dltap::simgpu
