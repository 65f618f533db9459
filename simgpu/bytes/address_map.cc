// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/address_map.h"

#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace dltap::simgpu {
namespace {

struct AddressMap {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> by_base;
  uint64_t last_id = 0;
};

AddressMap& Map() {
  static auto* const map = new AddressMap;
  return *map;
}

}  // namespace

bool OverlapsAllocation(const void* address, size_t bytes) {
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const auto next = map.by_base.lower_bound(begin);
  if (next != map.by_base.end() && next->first - begin < bytes) return true;
  if (next == map.by_base.begin()) return false;
  const Allocation& before = std::prev(next)->second;
  return begin - before.base < before.bytes;
}

std::vector<void*> BasesOf(int device, MemoryOwner owner) {
  std::vector<void*> bases;
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  for (const auto& [base, allocation] : map.by_base) {
    if (allocation.owner == owner && allocation.device == device) {
      bases.push_back(reinterpret_cast<void*>(base));
    }
  }
  return bases;
}

uint64_t EnterAllocation(Allocation allocation) {
  AddressMap& map = Map();
  const std::unique_lock lock(map.mutex);
  allocation.id = ++map.last_id;
  map.by_base[allocation.base] = allocation;
  return allocation.id;
}

std::optional<Allocation> EraseAllocation(const void* base) {
  AddressMap& map = Map();
  const std::unique_lock lock(map.mutex);
  const auto found = map.by_base.find(reinterpret_cast<uintptr_t>(base));
  if (found == map.by_base.end()) return std::nullopt;
  Allocation erased = found->second;
  map.by_base.erase(found);
  return erased;
}

AllocationLock::AllocationLock(const void* base) : allocation_(nullptr) {
  AddressMap& map = Map();
  map.mutex.lock();
  const auto found = map.by_base.find(reinterpret_cast<uintptr_t>(base));
  if (found != map.by_base.end()) allocation_ = &found->second;
}

AllocationLock::~AllocationLock() { Map().mutex.unlock(); }

std::optional<Allocation> FindAllocation(const void* address) {
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  auto next = map.by_base.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (next == map.by_base.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (!allocation.Contains(address)) return std::nullopt;
  return allocation;
}

bool IsInBounds(const void* address, size_t bytes) {
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  auto at = map.by_base.upper_bound(begin);
  if (at == map.by_base.begin()) return true;
  --at;
  if (!at->second.Contains(address)) return true;
  uintptr_t end = at->first;
  for (; at != map.by_base.end() && at->first == end; ++at) {
    if (!at->second.accessible) return false;
    end += at->second.bytes;
    if (bytes <= end - begin) return true;
    if (at->second.owner != MemoryOwner::kMapped) return false;
  }
  return false;
}

}  // namespace dltap::simgpu
