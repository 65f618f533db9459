// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/ipc_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/shared_memory.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/pool_state.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

constexpr uint32_t kMallocMagic = 0x73696d4d;
constexpr uint32_t kPoolPointerMagic = 0x73696d51;

// What the bytes of a handle say.
struct MemoryTicket {
  uint32_t magic;
  int32_t pid;
  int32_t descriptor;
  int32_t device;
  uint64_t inode;
  uint64_t id;  // of the slot
  uint64_t offset;
  uint64_t bytes;
  uint32_t slot;
};
static_assert(sizeof(MemoryTicket) <= kIpcHandleBytes);

struct Import {
  void* address;
  int references;
  std::shared_ptr<MemoryFile> file;
};

using ImportKey = std::pair<uint64_t, uint64_t>;  // inode, id

struct Imports {
  std::mutex mutex;
  std::map<ImportKey, Import> by_key;
};

Imports& All() {
  static auto* const imports = new Imports;
  return *imports;
}

MemoryTicket ReadTicket(const void* handle) {
  MemoryTicket ticket;
  std::memcpy(&ticket, handle, sizeof(ticket));
  return ticket;
}

// Gives the allocation a slot, the first time.
Error Export(const Allocation& allocation, uint32_t magic, void* handle) {
  NoteSharing();
  MemoryFile* file = MemoryFile::Own();
  SharedSlot* slot = nullptr;
  ChangeAllocation(reinterpret_cast<void*>(allocation.base),
                   [&](Allocation& known) {
                     if (known.slot == nullptr) known.slot = file->NewSlot();
                     slot = known.slot;
                   });
  if (slot == nullptr) return Error::kOutOfMemory;
  const MemoryTicket ticket{.magic = magic,
                            .pid = getpid(),
                            .descriptor = file->descriptor(),
                            .device = allocation.device,
                            .inode = file->inode(),
                            .id = slot->id.load(),
                            .offset = allocation.file_offset,
                            .bytes = allocation.bytes,
                            .slot = file->IndexOf(slot)};
  std::memset(handle, 0, kIpcHandleBytes);
  std::memcpy(handle, &ticket, sizeof(ticket));
  return Error::kSuccess;
}

bool IsAlive(MemoryFile& file, const MemoryTicket& ticket) {
  const SharedSlot* slot = file.SlotAt(ticket.slot);
  return slot != nullptr && slot->id.load() == ticket.id;
}

// Maps what the ticket names, or gives its mapping one more reference.
Error MapTicket(std::shared_ptr<MemoryFile> file, const MemoryTicket& ticket,
                MemoryOwner owner, MemoryPool* pool, void** address) {
  Imports& all = All();
  const std::lock_guard lock(all.mutex);
  const ImportKey key{ticket.inode, ticket.id};
  if (const auto known = all.by_key.find(key); known != all.by_key.end()) {
    ++known->second.references;
    *address = known->second.address;
    return Error::kSuccess;
  }
  if (!IsAlive(*file, ticket)) return Error::kMapFailed;
  NoteSharing();
  void* pages = file->Map(ticket.offset, RoundToPages(ticket.bytes));
  if (pages == nullptr) return Error::kMapFailed;
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages),
                 .bytes = ticket.bytes,
                 .kind = MemoryKind::kDevice,
                 .owner = owner,
                 .device = ticket.device,
                 .pool = pool,
                 .file = file.get(),
                 .file_offset = ticket.offset,
                 .slot = file->SlotAt(ticket.slot)});
  all.by_key[key] = {pages, 1, std::move(file)};
  *address = pages;
  return Error::kSuccess;
}

Error Unmap(void* address, Error unknown) {
  Imports& all = All();
  const std::lock_guard lock(all.mutex);
  for (auto at = all.by_key.begin(); at != all.by_key.end(); ++at) {
    if (at->second.address != address) continue;
    if (--at->second.references > 0) return Error::kSuccess;
    if (const auto removed = RemoveAllocation(address)) {
      munmap(address, RoundToPages(removed->bytes));
    }
    all.by_key.erase(at);
    return Error::kSuccess;
  }
  return unknown;
}

}  // namespace

Error GetMemoryHandle(const void* address, void* handle) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kMalloc ||
      allocation->kind != MemoryKind::kDevice) {
    return Error::kInvalidValue;
  }
  return Export(*allocation, kMallocMagic, handle);
}

Error OpenMemoryHandle(const void* handle, void** address) {
  const MemoryTicket ticket = ReadTicket(handle);
  if (ticket.magic != kMallocMagic) return Error::kInvalidHandle;
  if (ticket.pid == getpid()) return Error::kInvalidContext;
  if (FindDevice(ticket.device) == nullptr) return Error::kInvalidDevice;
  auto file =
      MemoryFile::OfProcess(ticket.pid, ticket.descriptor, ticket.inode);
  if (file == nullptr) return Error::kMapFailed;
  return MapTicket(std::move(file), ticket, MemoryOwner::kIpc, nullptr,
                   address);
}

Error CloseMemoryHandle(void* address) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kIpc) {
    return Error::kInvalidValue;
  }
  return Unmap(address, Error::kInvalidValue);
}

Error ExportPoolPointer(const void* address, void* data) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kPool ||
      allocation->file != MemoryFile::Own() ||
      allocation->pool->properties.handle_types == 0) {
    return Error::kInvalidValue;
  }
  return Export(*allocation, kPoolPointerMagic, data);
}

Error ImportPoolPointer(MemoryPool& pool, const void* data, void** address) {
  const MemoryTicket ticket = ReadTicket(data);
  if (pool.imported == nullptr || ticket.magic != kPoolPointerMagic ||
      ticket.inode != pool.imported->inode()) {
    return Error::kInvalidValue;
  }
  const Error error =
      MapTicket(pool.imported, ticket, MemoryOwner::kPool, &pool, address);
  return error == Error::kMapFailed ? Error::kInvalidValue : error;
}

Error ClosePoolPointer(void* address) {
  return Unmap(address, Error::kInvalidValue);
}

}  // namespace dltap::simgpu
