// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/written_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "simgpu/base/config.h"
#include "simgpu/bytes/plausible_values.h"
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
  std::vector<uint64_t> fills;  // with plausible numbers, of each line
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

void MarkWritten(const void* address, size_t bytes, Freshness freshness,
                 NumberType type = NumberType::kUnknown) {
  TellExporter(address, bytes);
  if (!GetConfig().plausible_seed) type = NumberType::kUnknown;
  const Order order = OrderOfWrite();
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  const uintptr_t begin = BeginOf(address);
  Tidy(written, *order);
  written.until_unknown_kernel.Add(begin, begin + bytes,
                                   {order->line, order->write_number(),
                                    written.unknown_kernels, freshness, type});
  written.for_long.Remove(begin, begin + bytes);
  g_any.store(true, std::memory_order_release);
}

// REQUIRES: written.mutex.
void NoteWhetherAnyForLong(const WrittenMemory& written) {
  g_any_for_long.store(written.for_long.size() > 0, std::memory_order_release);
}

// Stale bytes, and what numbers they are.
struct Unwritten {
  uintptr_t begin;
  uintptr_t end;
  NumberType type;
};

// By what the reader and the last writer take the numbers for. A truth value is
// random only where its writer is one that leaves some: a condition that nobody
// decided does not hold.
NumberType ReadType(NumberType read, NumberType written) {
  if (read == NumberType::kUnknown) return written;
  const bool nobody_left_some =
      read == NumberType::kBool && written != NumberType::kBool;
  return nobody_left_some ? NumberType::kUnknown : read;
}

// Zeroes, or plausible numbers that are others for each fill of a line, so that
// two runs whose lines do the same have the same ones.
// REQUIRES: written.mutex.
void FillStale(std::span<std::byte> bytes, NumberType type,
               const OrderPoint& order, WrittenMemory& written) {
  const auto& seed = GetConfig().plausible_seed;
  if (!seed || type == NumberType::kUnknown ||
      bytes.size() > kMostPlausibleBytes) {
    return ZeroBytes(bytes.data(), bytes.size());
  }
  if (written.fills.size() <= order.line) written.fills.resize(order.line + 1);
  const uint64_t fill = ++written.fills[order.line];
  FillPlausible(bytes, type, Mixed(Mixed(*seed + order.line) + fill));
}

}  // namespace

void MarkFresh(const void* address, size_t bytes, NumberType type) {
  MarkWritten(address, bytes, Freshness::kFresh, type);
}

void MarkAssumed(const void* address, size_t bytes, NumberType type) {
  MarkWritten(address, bytes, Freshness::kAssumed, type);
}

void MarkFreshForLong(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  written.for_long.Add(BeginOf(address), BeginOf(address) + bytes, {});
  NoteWhetherAnyForLong(written);
  g_any.store(true, std::memory_order_release);
}

void MarkStale(const void* address, size_t bytes, NumberType type) {
  if (type != NumberType::kUnknown && GetConfig().plausible_seed) {
    MarkWritten(address, bytes, Freshness::kStale, type);
    return;
  }
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
  const bool typed = GetConfig().plausible_seed.has_value();
  if (!typed && !g_any.load(std::memory_order_acquire)) return;
  WrittenMemory& written = Written();
  {
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
  for (const WriteTarget& target : targets) {
    if (!typed || target.type == NumberType::kUnknown) continue;
    const uintptr_t begin = BeginOf(target.address);
    MarkStale(target.address,
              target.bytes > 0 ? target.bytes
                               : WrittenRanges::EndOfBlock(begin) - begin,
              target.type);
  }
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

NumberType KnownTypeAt(const void* address) {
  const Order order = OrderOfRead();
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  NumberType type = NumberType::kUnknown;
  written.until_unknown_kernel.ForEachPart(
      begin, begin + 1, [&](uintptr_t, uintptr_t, const WriteStamp* stamp) {
        if (stamp != nullptr && !stamp->IsSpoilt(*order)) type = stamp->type;
      });
  return type;
}

void AssumeValues(std::byte* address, size_t bytes, NumberType type) {
  const Order order = OrderOfWrite();
  const uintptr_t begin = BeginOf(address);
  WrittenMemory& written = Written();
  const std::lock_guard lock(written.mutex);
  std::vector<Unwritten> stale;
  written.until_unknown_kernel.ForEachPart(
      begin, begin + bytes,
      [&](uintptr_t from, uintptr_t to, const WriteStamp* stamp) {
        if (FreshnessOfPart(written, from, to, stamp, *order) !=
            Freshness::kStale) {
          return;
        }
        // Whatever has run since may have left another type there, but not
        // likely where the program reads just one number of this one.
        const bool is_told =
            stamp != nullptr &&
            (!stamp->IsSpoilt(*order) || bytes == BytesOf(stamp->type));
        const NumberType told = is_told ? stamp->type : NumberType::kUnknown;
        written.for_long.ForEachPart(
            from, to,
            [&](uintptr_t begin, uintptr_t end, const WriteStamp* by) {
              if (by == nullptr)
                stale.push_back({begin, end, ReadType(type, told)});
            });
      });
  for (const Unwritten& part : stale) {
    const size_t count = part.end - part.begin;
    FillStale({address + (part.begin - begin), count}, part.type, *order,
              written);
    written.until_unknown_kernel.Add(
        part.begin, part.end,
        {order->line, order->write_number(), written.unknown_kernels,
         Freshness::kAssumed});
  }
  g_any.store(true, std::memory_order_release);
}

bool AnythingFreshForLong() {
  return g_any_for_long.load(std::memory_order_relaxed);
}

}  // namespace dltap::simgpu
