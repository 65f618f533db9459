// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/ipc_event.h"

#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

#include "simgpu/bytes/shared_memory.h"
#include "simgpu/stream/device_state.h"
#include "simgpu/stream/event.h"

namespace dltap::simgpu {
namespace {

constexpr uint32_t kEventMagic = 0x73696d45;

struct EventTicket {
  uint32_t magic;
  int32_t pid;
  int32_t descriptor;
  int32_t device;
  uint64_t inode;
  uint64_t id;  // of the slot
  uint32_t slot;
  uint32_t flags;
};
static_assert(sizeof(EventTicket) <= kIpcHandleBytes);

}  // namespace

Error GetEventHandle(Event& event, void* handle) {
  const SharedEvent* shared = event.shared.get();
  if (shared == nullptr || shared->pid() != getpid()) {
    return Error::kInvalidHandle;
  }
  const MemoryFile& file = shared->file();
  const EventTicket ticket{.magic = kEventMagic,
                           .pid = shared->pid(),
                           .descriptor = file.descriptor(),
                           .device = event.device->ordinal,
                           .inode = file.inode(),
                           .id = shared->slot().id.load(),
                           .slot = file.IndexOf(&shared->slot()),
                           .flags = event.flags};
  std::memset(handle, 0, kIpcHandleBytes);
  std::memcpy(handle, &ticket, sizeof(ticket));
  return Error::kSuccess;
}

Error OpenEventHandle(Device& device, const void* handle, Event** event) {
  EventTicket ticket;
  std::memcpy(&ticket, handle, sizeof(ticket));
  if (ticket.magic != kEventMagic) return Error::kInvalidHandle;
  if (ticket.pid == getpid()) return Error::kInvalidContext;
  auto file =
      MemoryFile::OfProcess(ticket.pid, ticket.descriptor, ticket.inode);
  SharedSlot* slot = file == nullptr ? nullptr : file->SlotAt(ticket.slot);
  if (slot == nullptr || slot->id.load() != ticket.id) {
    return Error::kMapFailed;
  }
  auto shared =
      std::make_unique<SharedEvent>(std::move(file), slot, ticket.pid);
  return AdoptSharedEvent(device, ticket.flags, std::move(shared), event);
}

}  // namespace dltap::simgpu
