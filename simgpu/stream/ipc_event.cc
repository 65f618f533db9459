// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/ipc_event.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "simgpu/base/other_process.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/event.h"
#include "simgpu/stream/host_executor.h"

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

std::unique_ptr<SharedEvent> SharedEvent::New() {
  MemoryFile* file = MemoryFile::Own();
  SharedSlot* slot = file == nullptr ? nullptr : file->NewSlot();
  if (slot == nullptr) return nullptr;
  std::shared_ptr<MemoryFile> own(file, [](MemoryFile*) {});
  return std::unique_ptr<SharedEvent>(
      new SharedEvent(std::move(own), slot, getpid()));
}

SharedEvent::~SharedEvent() {
  if (pid_ == getpid()) file_->FreeSlot(slot_);
}

void SharedEvent::Record(const EventMoment& moment) {
  if (HostWorkDone(moment.host_ticket)) {
    slot_->time_ns.store(moment.TimeNs());
  } else {
    slot_->pending.fetch_add(1);
    RunOnHost(
        moment.time_ns,
        [file = file_, slot = slot_, moment] {
          slot->time_ns.store(moment.TimeNs());
          slot->pending.fetch_sub(1);
        },
        moment.host_ticket);
  }
  slot_->recorded.store(1, std::memory_order_release);
}

SharedEvent::Moment SharedEvent::Read() const {
  return {slot_->recorded.load(std::memory_order_acquire) != 0,
          slot_->time_ns.load(), slot_->pending.load() != 0};
}

EventMoment SharedEvent::FollowPending() const {
  LaterTime later = NewLaterTime();
  const uint64_t ticket =
      PollOnHost([file = file_, slot = slot_, pid = pid_, later] {
        if (slot->pending.load() != 0 && !HasEnded(pid)) return false;
        *later = slot->time_ns.load();
        return true;
      });
  return {0, std::move(later), ticket};
}

Error GetEventHandle(Event& event, void* handle) {
  const SharedEvent* shared = event.shared.get();
  if (shared == nullptr || shared->pid_ != getpid()) {
    return Error::kInvalidHandle;
  }
  const MemoryFile& file = *shared->file_;
  const EventTicket ticket{.magic = kEventMagic,
                           .pid = shared->pid_,
                           .descriptor = file.descriptor(),
                           .device = event.device->ordinal,
                           .inode = file.inode(),
                           .id = shared->slot_->id.load(),
                           .slot = file.IndexOf(shared->slot_),
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
  std::unique_ptr<SharedEvent> shared(
      new SharedEvent(std::move(file), slot, ticket.pid));
  return AdoptSharedEvent(device, ticket.flags, std::move(shared), event);
}

}  // namespace dltap::simgpu
