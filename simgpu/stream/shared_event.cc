// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/shared_event.h"

#include <unistd.h>

#include "simgpu/base/other_process.h"
#include "simgpu/stream/host_executor.h"

namespace dltap::simgpu {

std::unique_ptr<SharedEvent> SharedEvent::New() {
  MemoryFile* file = MemoryFile::Own();
  SharedSlot* slot = file == nullptr ? nullptr : file->NewSlot();
  if (slot == nullptr) return nullptr;
  std::shared_ptr<MemoryFile> own(file, [](MemoryFile*) {});
  return std::make_unique<SharedEvent>(std::move(own), slot, getpid());
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

}  // namespace dltap::simgpu
