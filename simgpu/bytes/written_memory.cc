// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/written_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "simgpu/bytes/shared_memory.h"
#include "simgpu/bytes/sparse_bytes.h"
#include "simgpu/bytes/work_order.h"
#include "simgpu/bytes/written_ranges.h"

namespace dltap::simgpu {
namespace {

// Forgetting is allowed: a small read then sees zeroes.
constexpr size_t kMostRanges = 65536;
constexpr size_t kRangesToTidy = 1024;

struct WrittenMemory {
  std::mutex mutex;
  WrittenRanges until_unknown_kernel;
  WrittenRanges for_long;  // without stamps
  uint64_t unknown_kernels = 0;
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

// REQUIRES: written.mutex.
Freshness FreshnessOfPart(const WrittenMemory& written, uintptr_t begin,
                          uintptr_t end, const WriteStamp* stamp,
                          const OrderPoint& now) {
  if (stamp != nullptr && !stamp->IsSpoilt(now)) return stamp->freshness;
  bool kept = true;
  written.for_long.ForEachPart(begin, end,
                               [&](uintptr_t, uintptr_t, const WriteStamp* by) {
                                 kept &= by != nullptr;
                               });
  return kept ? Freshness::kFresh : Freshness::kStale;
}

void MarkWritten(const void* address, size_t bytes, Freshness freshness) {
  TellExporter(address, bytes);
  const Order order = OrderOfWrite();
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  const uintptr_t begin = BeginOf(address);
  Tidy(written, *order);
  written.until_unknown_kernel.Add(
      begin, begin + bytes,
      {order->line, order->write_number(), written.unknown_kernels, freshness});
  written.for_long.Remove(begin, begin + bytes);
  g_any.store(true, std::memory_order_release);
}

// REQUIRES: written.mutex.
void NoteWhetherAnyForLong(const WrittenMemory& written) {
  g_any_for_long.store(written.for_long.size() > 0, std::memory_order_release);
}

}  // namespace

void MarkFresh(const void* address, size_t bytes) {
  MarkWritten(address, bytes, Freshness::kFresh);
}

void MarkAssumed(const void* address, size_t bytes) {
  MarkWritten(address, bytes, Freshness::kAssumed);
}

void MarkFreshForLong(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  written.for_long.Add(BeginOf(address), BeginOf(address) + bytes, {});
  NoteWhetherAnyForLong(written);
  g_any.store(true, std::memory_order_release);
}

void MarkStale(const void* address, size_t bytes) {
  if (!g_any.load(std::memory_order_acquire)) return;
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  written.until_unknown_kernel.Remove(begin, begin + bytes);
  written.for_long.Remove(begin, begin + bytes);
  NoteWhetherAnyForLong(written);
}

void Mark(const void* address, size_t bytes, Freshness freshness) {
  if (freshness == Freshness::kStale) return MarkStale(address, bytes);
  MarkWritten(address, bytes, freshness);
}

void MarkStale(std::span<const WriteTarget> targets) {
  if (!g_any.load(std::memory_order_acquire)) return;
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  ++written.unknown_kernels;
  for (const WriteTarget& target : targets) {
    const uintptr_t begin = BeginOf(target.address);
    for (WrittenRanges* ranges :
         {&written.until_unknown_kernel, &written.for_long}) {
      if (target.bytes == 0) {
        ranges->RemoveFrom(begin);
      } else {
        ranges->Remove(begin, begin + target.bytes);
      }
    }
  }
  NoteWhetherAnyForLong(written);
}

Freshness FreshnessOf(const void* address, size_t bytes) {
  if (!g_any.load(std::memory_order_acquire)) return Freshness::kStale;
  const Order order = OrderOfRead();
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  Freshness least = Freshness::kFresh;
  written.until_unknown_kernel.ForEachPart(
      begin, begin + bytes,
      [&](uintptr_t from, uintptr_t to, const WriteStamp* stamp) {
        least =
            std::min(least, FreshnessOfPart(written, from, to, stamp, *order));
      });
  return least;
}

bool IsFreshSinceUnknownKernel(const void* address, size_t bytes) {
  if (!IsFresh(address, bytes)) return false;
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  bool is_so = true;
  written.until_unknown_kernel.ForEachPart(
      begin, begin + bytes, [&](uintptr_t, uintptr_t, const WriteStamp* stamp) {
        is_so &= stamp == nullptr ||
                 stamp->unknown_kernels == written.unknown_kernels;
      });
  return is_so;
}

void AssumeZero(std::byte* address, size_t bytes) {
  const Order order = OrderOfWrite();
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  std::vector<std::pair<uintptr_t, uintptr_t>> stale;
  written.until_unknown_kernel.ForEachPart(
      begin, begin + bytes,
      [&](uintptr_t from, uintptr_t to, const WriteStamp* stamp) {
        if (FreshnessOfPart(written, from, to, stamp, *order) ==
            Freshness::kStale) {
          written.for_long.ForEachPart(
              from, to,
              [&](uintptr_t begin, uintptr_t end, const WriteStamp* by) {
                if (by == nullptr) stale.emplace_back(begin, end);
              });
        }
      });
  for (const auto& [from, to] : stale) {
    ZeroBytes(address + (from - begin), to - from);
    written.until_unknown_kernel.Add(
        from, to,
        {order->line, order->write_number(), written.unknown_kernels,
         Freshness::kAssumed});
  }
  g_any.store(true, std::memory_order_release);
}

bool AnythingFreshForLong() {
  return g_any_for_long.load(std::memory_order_relaxed);
}

}  // namespace dltap::simgpu
