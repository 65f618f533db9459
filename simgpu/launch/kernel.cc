// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/kernel.h"

#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/base/interned_name.h"

namespace dltap::simgpu {
namespace {

// Open addressing. Slots only ever go from empty to a stub; a full table is
// replaced by a larger one and kept, since readers may still be in it.
struct StubTable {
  struct Slot {
    std::atomic<const void*> stub{nullptr};
    std::atomic<Kernel*> kernel{nullptr};
  };

  explicit StubTable(size_t slot_count)
      : mask(slot_count - 1), slots(new Slot[slot_count]) {}

  Slot& Find(const void* stub) const {
    size_t at = (reinterpret_cast<uintptr_t>(stub) * 0x9e3779b97f4a7c15u) >> 20;
    for (;; ++at) {
      Slot& slot = slots[at & mask];
      const void* there = slot.stub.load(std::memory_order_acquire);
      if (there == stub || there == nullptr) return slot;
    }
  }

  const size_t mask;
  const std::unique_ptr<Slot[]> slots;
  size_t used = 0;
};

constexpr size_t kInitialSlots = 1 << 12;

std::mutex& RegistryMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

constinit std::atomic<StubTable*> g_table{nullptr};

// REQUIRES: the registry mutex.
StubTable& TableWithRoom() {
  StubTable* old = g_table.load(std::memory_order_relaxed);
  if (old == nullptr) {
    g_table.store(new StubTable(kInitialSlots), std::memory_order_release);
    return *g_table.load();
  }
  if (old->used * 2 < old->mask) return *old;
  auto* larger = new StubTable((old->mask + 1) * 4);
  for (size_t i = 0; i <= old->mask; ++i) {
    const StubTable::Slot& from = old->slots[i];
    if (from.stub.load() == nullptr) continue;
    StubTable::Slot& to = larger->Find(from.stub.load());
    to.kernel.store(from.kernel.load());
    to.stub.store(from.stub.load());
    ++larger->used;
  }
  g_table.store(larger, std::memory_order_release);
  return *larger;
}

// REQUIRES: the registry mutex.
void Enter(const void* stub, Kernel* kernel) {
  StubTable& table = TableWithRoom();
  StubTable::Slot& slot = table.Find(stub);
  if (slot.stub.load(std::memory_order_relaxed) == nullptr) ++table.used;
  slot.kernel.store(kernel, std::memory_order_release);
  slot.stub.store(stub, std::memory_order_release);
}

}  // namespace

void RegisterKernel(const void* host_stub, const char* name, int thread_limit) {
  auto* kernel = HandlePool<Kernel>::New(name, nullptr);
  if (thread_limit > 0) kernel->max_threads_per_block = thread_limit;
  const std::lock_guard lock(RegistryMutex());
  Enter(host_stub, kernel);
}

Kernel* LibraryKernelHandle(const char* name) {
  if (Kernel* known = FindKernel(name)) return known;
  const std::lock_guard lock(RegistryMutex());
  if (Kernel* known = FindKernel(name)) return known;
  auto* kernel = HandlePool<Kernel>::New(name, nullptr);
  kernel->takes_library_kernel = true;
  Enter(name, kernel);
  return kernel;
}

void UnregisterKernel(const void* host_stub) {
  const std::lock_guard lock(RegistryMutex());
  StubTable* table = g_table.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  Kernel* kernel = table->Find(host_stub).kernel.exchange(nullptr);
  if (kernel == nullptr) return;
  // Records of its last launches may still be read; its library is about to be
  // unmapped.
  kernel->name = InternName(kernel->name);
  static auto* const retired = new std::vector<Kernel*>;
  retired->push_back(kernel);
}

Kernel* FindKernel(const void* host_stub) {
  const StubTable* table = g_table.load(std::memory_order_acquire);
  if (table == nullptr || host_stub == nullptr) return nullptr;
  const StubTable::Slot& slot = table->Find(host_stub);
  return slot.stub.load(std::memory_order_acquire) == nullptr
             ? nullptr
             : slot.kernel.load(std::memory_order_acquire);
}

Kernel* ResolveKernel(const void* stub_or_handle) {
  if (Kernel* kernel = FindKernel(stub_or_handle)) return kernel;
  return FromHandle<Kernel>(stub_or_handle);
}

}  // namespace dltap::simgpu
