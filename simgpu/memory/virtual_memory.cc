// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/virtual_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "simgpu/bytes/shareable_handle.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/device_memory.h"

namespace dltap::simgpu {
namespace {

constexpr int kHost = -1;

struct Mapping {
  PhysicalMemory* memory;
  size_t bytes;
  std::array<Access, kMaxDevices + 1> access{};  // the host's is the last
};

struct AddressSpace {
  std::mutex mutex;
  std::map<uintptr_t, size_t> reservations;  // bytes by base
  std::map<uintptr_t, Mapping> mappings;     // by base
};

AddressSpace& Space() {
  static auto* const space = new AddressSpace;
  return *space;
}

bool IsMultiple(size_t bytes) {
  return bytes != 0 && bytes % kAllocationGranularity == 0;
}

Access& AccessOf(Mapping& mapping, int device) {
  return mapping.access[device == kHost ? kMaxDevices : device];
}

// Addresses that nothing may touch.
void* Reserve(void* where, size_t bytes, int extra_flags) {
  void* pages =
      mmap(where, bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | extra_flags, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// The last process to let go of exported memory gives its pages back.
void DropReference(PhysicalMemory& memory) {
  if (memory.references.fetch_sub(1) != 1) return;
  SharedSlot* slot = memory.slot.load();
  const bool last = slot == nullptr || slot->references.fetch_sub(1) == 1;
  if (last) {
    memory.file->Discard(memory.offset, memory.bytes);
    if (!memory.imported) memory.file->FreeSlot(slot);
  }
  if (!memory.imported && memory.properties.device != nullptr) {
    ReleaseBytes(*memory.properties.device, memory.bytes);
  }
  HandlePool<PhysicalMemory>::Delete(&memory);
}

// REQUIRES: the space's mutex.
bool IsReserved(const AddressSpace& space, uintptr_t begin, size_t bytes) {
  auto at = space.reservations.upper_bound(begin);
  if (at == space.reservations.begin()) return false;
  --at;
  const uintptr_t offset = begin - at->first;
  return offset < at->second && bytes <= at->second - offset;
}

// REQUIRES: the space's mutex.
bool OverlapsMapping(const AddressSpace& space, uintptr_t begin, size_t bytes) {
  auto at = space.mappings.lower_bound(begin);
  if (at != space.mappings.end() && at->first < begin + bytes) return true;
  if (at == space.mappings.begin()) return false;
  --at;
  return at->first + at->second.bytes > begin;
}

// Calls visit(base, mapping) for the mappings that make up the range, in
// order; false, and nothing called, unless whole mappings fill it.
// REQUIRES: the space's mutex.
template <typename Visit>
bool ForEachMapping(AddressSpace& space, uintptr_t begin, size_t bytes,
                    Visit visit) {
  const auto first = space.mappings.find(begin);
  uintptr_t end = begin;
  auto at = first;
  for (; at != space.mappings.end() && at->first == end && end < begin + bytes;
       ++at) {
    end += at->second.bytes;
  }
  if (bytes == 0 || end != begin + bytes) return false;
  for (auto each = first; each != at; ++each) visit(each->first, each->second);
  return true;
}

}  // namespace

Error CreatePhysical(const PhysicalProperties& properties, size_t bytes,
                     PhysicalMemory** memory) {
  if (!IsMultiple(bytes)) return Error::kInvalidValue;
  MemoryFile* file = MemoryFile::Own();
  if (file == nullptr || (properties.device != nullptr &&
                          !ReserveBytes(*properties.device, bytes))) {
    return Error::kOutOfMemory;
  }
  *memory = HandlePool<PhysicalMemory>::New(
      properties, std::shared_ptr<MemoryFile>(file, [](MemoryFile*) {}),
      file->NewRange(bytes), bytes, false);
  return Error::kSuccess;
}

Error ReleasePhysical(PhysicalMemory& memory) {
  DropReference(memory);
  return Error::kSuccess;
}

Error ReserveAddresses(size_t bytes, size_t alignment, void** address) {
  if (!IsMultiple(bytes)) return Error::kInvalidValue;
  if (alignment < kAllocationGranularity) alignment = kAllocationGranularity;
  if ((alignment & (alignment - 1)) != 0) return Error::kInvalidValue;
  void* pages = Reserve(nullptr, bytes + alignment, 0);
  if (pages == nullptr) return Error::kOutOfMemory;
  const auto begin = reinterpret_cast<uintptr_t>(pages);
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned > begin) munmap(pages, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + bytes), begin + alignment - aligned);
  *address = reinterpret_cast<void*>(aligned);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  space.reservations[aligned] = bytes;
  return Error::kSuccess;
}

Error FreeAddresses(void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  const auto found = space.reservations.find(begin);
  if (found == space.reservations.end() || found->second != bytes ||
      OverlapsMapping(space, begin, bytes)) {
    return Error::kInvalidValue;
  }
  space.reservations.erase(found);
  munmap(address, bytes);
  return Error::kSuccess;
}

bool FindReservation(const void* address, uintptr_t* base, size_t* bytes) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  auto next = space.reservations.upper_bound(at);
  if (next == space.reservations.begin()) return false;
  --next;
  if (at - next->first >= next->second) return false;
  *base = next->first;
  *bytes = next->second;
  return true;
}

Error MapPhysical(void* address, size_t bytes, size_t offset,
                  PhysicalMemory& memory) {
  if (!IsMultiple(bytes) || offset % kAllocationGranularity != 0 ||
      offset > memory.bytes || bytes > memory.bytes - offset) {
    return Error::kInvalidValue;
  }
  const auto begin = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  if (!IsReserved(space, begin, bytes) ||
      OverlapsMapping(space, begin, bytes)) {
    return Error::kInvalidValue;
  }
  const uint64_t file_offset = memory.offset + offset;
  if (memory.file->Map(file_offset, bytes, address) == nullptr) {
    return Error::kMapFailed;
  }
  memory.references.fetch_add(1);
  space.mappings[begin] = {&memory, bytes, {}};
  const Device* device = memory.properties.device;
  AddAllocation(
      {.base = begin,
       .bytes = bytes,
       .kind = device == nullptr ? MemoryKind::kPinned : MemoryKind::kDevice,
       .owner = MemoryOwner::kMapped,
       .device = device == nullptr ? 0 : device->ordinal,
       .accessible = false,
       .file = memory.file.get(),
       .file_offset = file_offset,
       .slot = memory.slot.load()});
  return Error::kSuccess;
}

Error UnmapPhysical(void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  const bool whole = ForEachMapping(
      space, begin, bytes, [](uintptr_t base, const Mapping& mapping) {
        RemoveAllocation(reinterpret_cast<void*>(base));
        DropReference(*mapping.memory);
      });
  if (!whole) return Error::kInvalidValue;
  space.mappings.erase(space.mappings.find(begin),
                       space.mappings.lower_bound(begin + bytes));
  Reserve(address, bytes, MAP_FIXED);
  return Error::kSuccess;
}

Error SetMappedAccess(void* address, size_t bytes, int device, Access access) {
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  const bool whole = ForEachMapping(
      space, reinterpret_cast<uintptr_t>(address), bytes,
      [&](uintptr_t base, Mapping& mapping) {
        AccessOf(mapping, device) = access;
        const bool any = mapping.access != decltype(mapping.access){};
        ChangeAllocation(reinterpret_cast<void*>(base),
                         [&](Allocation& known) { known.accessible = any; });
      });
  return whole ? Error::kSuccess : Error::kInvalidValue;
}

Error GetMappedAccess(const void* address, int device, Access* access) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  auto next = space.mappings.upper_bound(at);
  if (next == space.mappings.begin()) return Error::kInvalidValue;
  --next;
  if (at - next->first >= next->second.bytes) return Error::kInvalidValue;
  *access = AccessOf(next->second, device);
  return Error::kSuccess;
}

PhysicalMemory* RetainMapped(const void* address) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kMapped) return nullptr;
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  const auto found = space.mappings.find(allocation->base);
  if (found == space.mappings.end()) return nullptr;
  found->second.memory->references.fetch_add(1);
  return found->second.memory;
}

namespace {

// The slot by which other processes know the memory; null: there is no room.
SharedSlot* Publish(PhysicalMemory& memory) {
  NoteSharing();
  AddressSpace& space = Space();
  const std::lock_guard lock(space.mutex);
  if (SharedSlot* known = memory.slot.load()) return known;
  SharedSlot* slot = memory.file->NewSlot();
  if (slot == nullptr) return nullptr;
  slot->references = 1;
  memory.slot.store(slot);
  for (const auto& [base, mapping] : space.mappings) {
    if (mapping.memory != &memory) continue;
    ChangeAllocation(reinterpret_cast<void*>(base),
                     [&](Allocation& known) { known.slot = slot; });
  }
  return slot;
}

}  // namespace

Error ExportPhysical(PhysicalMemory& memory, int* descriptor) {
  if ((memory.properties.handle_types & kPosixDescriptorHandles) == 0) {
    return Error::kInvalidValue;
  }
  const SharedSlot* slot = Publish(memory);
  if (slot == nullptr) return Error::kOutOfMemory;
  const Device* device = memory.properties.device;
  ShareableRecord record{.magic = kPhysicalRecord,
                         .slot = memory.file->IndexOf(slot),
                         .id = slot->id.load(),
                         .offset = memory.offset,
                         .bytes = memory.bytes,
                         .device = device == nullptr ? kHost : device->ordinal,
                         .exporter = getpid()};
  static_assert(sizeof(record.properties) == sizeof(memory.properties.given));
  std::memcpy(record.properties, memory.properties.given.data(),
              sizeof(record.properties));
  *descriptor = MakeShareable(record, *memory.file);
  return *descriptor < 0 ? Error::kOutOfMemory : Error::kSuccess;
}

Error ImportPhysical(int descriptor, PhysicalMemory** memory) {
  ShareableRecord record;
  auto file = ReadShareable(descriptor, kPhysicalRecord, &record);
  SharedSlot* slot = file == nullptr ? nullptr : file->SlotAt(record.slot);
  if (slot == nullptr || slot->id.load() != record.id) {
    return Error::kInvalidValue;
  }
  PhysicalProperties properties{.device = FindDevice(record.device),
                                .handle_types = kPosixDescriptorHandles};
  if (properties.device == nullptr && record.device != kHost) {
    return Error::kInvalidDevice;
  }
  std::memcpy(properties.given.data(), record.properties,
              sizeof(record.properties));
  NoteSharing();
  slot->references.fetch_add(1);
  // Counted by the exporting process.
  *memory = HandlePool<PhysicalMemory>::New(
      properties, std::move(file), record.offset, size_t{record.bytes}, true);
  (*memory)->slot.store(slot);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
