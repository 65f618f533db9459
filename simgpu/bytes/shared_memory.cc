// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/shared_memory.h"

#include <atomic>

#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/memory_file.h"

namespace dltap::simgpu {
namespace {

// No need to look up addresses in a program that shares nothing.
constinit std::atomic<bool> g_any_shared{false};

}  // namespace

bool IsAnyShared() { return g_any_shared.load(std::memory_order_relaxed); }

void NoteSharing() { g_any_shared.store(true, std::memory_order_relaxed); }

bool WrittenElsewhere(const void* address, size_t bytes) {
  if (!g_any_shared.load(std::memory_order_relaxed)) return false;
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->slot == nullptr) return false;
  if (allocation->file != MemoryFile::Own()) return true;
  const uint64_t begin = allocation->file_offset +
                         reinterpret_cast<uintptr_t>(address) -
                         allocation->base;
  return allocation->slot->written_begin.load() <= begin &&
         begin + bytes <= allocation->slot->written_end.load();
}

void TellExporter(const void* address, size_t bytes) {
  if (!g_any_shared.load(std::memory_order_relaxed)) return;
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->slot == nullptr ||
      allocation->file == MemoryFile::Own()) {
    return;
  }
  const uint64_t begin = allocation->file_offset +
                         reinterpret_cast<uintptr_t>(address) -
                         allocation->base;
  allocation->slot->written_begin.store(begin);
  allocation->slot->written_end.store(begin + bytes);
}

}  // namespace dltap::simgpu
