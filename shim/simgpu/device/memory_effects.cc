// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory_effects.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "shim/simgpu/device/ipc_memory.h"
#include "shim/simgpu/device/library_call.h"
#include "shim/simgpu/device/sparse_bytes.h"

namespace dltap::simgpu {
namespace {

// Ranges written since the last kernel launch.
struct FreshRanges {
  // More than this many writes without a launch: forgetting all is allowed,
  // a small read then sees zeroes.
  static constexpr size_t kLimit = 65536;

  std::mutex mutex;
  std::map<uintptr_t, size_t> bytes_by_base;
};

constinit std::atomic<bool> g_any_fresh{false};

FreshRanges& Fresh() {
  static auto* const fresh = new FreshRanges;
  return *fresh;
}

void MarkFresh(const void* address, size_t bytes) {
  TellExporter(address, bytes);
  FreshRanges& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  if (fresh.bytes_by_base.size() >= FreshRanges::kLimit) {
    fresh.bytes_by_base.clear();
  }
  size_t& known = fresh.bytes_by_base[reinterpret_cast<uintptr_t>(address)];
  if (known < bytes) known = bytes;
  g_any_fresh.store(true, std::memory_order_release);
}

bool IsFresh(const void* address, size_t bytes) {
  if (!g_any_fresh.load(std::memory_order_acquire)) return false;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  FreshRanges& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  // A small write may lie inside an older large one: look at a few before it.
  auto at = fresh.bytes_by_base.upper_bound(begin);
  for (int i = 0; i < 8 && at != fresh.bytes_by_base.begin(); ++i) {
    --at;
    if (begin + bytes <= at->first + at->second) return true;
  }
  return false;
}

bool IsPlain(const CopyWork& copy) {
  return copy.height == 1 && copy.depth == 1;
}

void MoveRows(const CopyWork& copy) {
  if (IsPlain(copy)) {
    MoveBytes(copy.destination, copy.source, copy.width);
    return;
  }
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      std::memmove(copy.destination + z * copy.destination_slice +
                       y * copy.destination_pitch,
                   copy.source + z * copy.source_slice + y * copy.source_pitch,
                   copy.width);
    }
  }
}

void FillRow(std::byte* row, const MemsetWork& set) {
  if (set.element_bytes == 1) {
    std::memset(row, static_cast<int>(set.value), set.width);
    return;
  }
  for (size_t i = 0; i < set.width; ++i) {
    std::memcpy(row + i * set.element_bytes, &set.value, set.element_bytes);
  }
}

}  // namespace

void PerformCopy(const CopyWork& copy) {
  if (copy.bytes() == 0) return;
  const bool from_device = copy.source_kind == MemoryKind::kDevice;
  const bool to_device = copy.destination_kind == MemoryKind::kDevice;
  if (from_device && !to_device && copy.bytes() <= kSmallReadBytes &&
      IsPlain(copy) && !IsFresh(copy.source, copy.bytes()) &&
      !WrittenElsewhere(copy.source, copy.bytes())) {
    std::memset(copy.destination, 0, copy.bytes());
    return;
  }
  MoveRows(copy);
  if (to_device && IsPlain(copy) &&
      (!from_device || IsFresh(copy.source, copy.bytes()))) {
    MarkFresh(copy.destination, copy.bytes());
  }
}

void PerformMemset(const MemsetWork& set) {
  if (set.bytes() == 0) return;
  const size_t row_bytes = set.width * set.element_bytes;
  const bool one_run = set.height == 1 || set.pitch == row_bytes;
  if (set.value == 0 && one_run) {
    ZeroBytes(set.destination, set.bytes());
  } else {
    for (size_t y = 0; y < set.height; ++y) {
      FillRow(set.destination + y * set.pitch, set);
    }
  }
  if (one_run) MarkFresh(set.destination, set.bytes());
}

void NoteKernelLaunch() {
  if (!g_any_fresh.load(std::memory_order_relaxed)) [[likely]]
    return;
  FreshRanges& fresh = Fresh();
  const std::lock_guard lock(fresh.mutex);
  fresh.bytes_by_base.clear();
  g_any_fresh.store(false, std::memory_order_release);
}

void MarkWritten(const void* address, size_t bytes) {
  MarkFresh(address, bytes);
}

}  // namespace dltap::simgpu
