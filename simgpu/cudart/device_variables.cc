// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/device_variables.h"

#include <array>
#include <mutex>
#include <unordered_map>

#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

struct Variable {
  size_t bytes = 0;
  void* managed = nullptr;
  std::array<void*, kMaxDevices> by_device{};
};

struct Variables {
  std::mutex mutex;
  std::unordered_map<const void*, Variable> by_shadow;
};

Variables& All() {
  static auto* const variables = new Variables;
  return *variables;
}

// Variables lie in the module's image, not in the device's free memory.
void* MakeStorage(size_t bytes, MemoryKind kind, int device) {
  void* pages = MapPages(bytes);
  if (pages == nullptr) return nullptr;
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages),
                 .bytes = bytes,
                 .kind = kind,
                 .owner = MemoryOwner::kModule,
                 .device = device});
  return pages;
}

}  // namespace

void RegisterVariable(const void* host_shadow, size_t bytes) {
  Variables& all = All();
  const std::lock_guard lock(all.mutex);
  all.by_shadow[host_shadow].bytes = bytes;
}

void ForgetVariable(const void* host_shadow) {
  Variables& all = All();
  const std::lock_guard lock(all.mutex);
  all.by_shadow.erase(host_shadow);
}

Error FindVariable(Device& device, const void* host_shadow,
                   VariablePlace* place) {
  Variables& all = All();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_shadow.find(host_shadow);
  if (found == all.by_shadow.end()) return Error::kInvalidSymbol;
  Variable& variable = found->second;
  void*& storage = variable.managed != nullptr
                       ? variable.managed
                       : variable.by_device[device.ordinal];
  if (storage == nullptr) {
    storage = MakeStorage(variable.bytes, MemoryKind::kDevice, device.ordinal);
    if (storage == nullptr) return Error::kOutOfMemory;
  }
  *place = {storage, variable.bytes};
  return Error::kSuccess;
}

void* ManagedAddressOf(const void* host_shadow) {
  Variables& all = All();
  const std::lock_guard lock(all.mutex);
  Variable& variable = all.by_shadow[host_shadow];
  if (variable.managed == nullptr) {
    variable.managed = MakeStorage(variable.bytes, MemoryKind::kManaged, 0);
  }
  return variable.managed;
}

}  // namespace dltap::simgpu
