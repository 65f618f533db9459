// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_IPC_EVENT_H_
#define DLTAP_SIMGPU_MEMORY_IPC_EVENT_H_

#include <cstdint>
#include <memory>

#include "simgpu/base/error.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/stream/event_moment.h"

namespace dltap::simgpu {

struct Device;
struct Event;

// The state of an interprocess event, which lies in the memory file of the
// process that made it. Times are of each process's own clock: in real mode the
// machine's, else whoever waits moves its clock to the other's.
class SharedEvent {
 public:
  // Of an event made here; null: no room.
  static std::unique_ptr<SharedEvent> New();
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  // Recorded: over at the moment.
  void Record(const EventMoment& moment);

  struct Moment {
    bool recorded;
    int64_t time_ns;
    bool pending;  // follows host work that is not over: time_ns is too early
  };
  Moment Read() const;

  // The moment when nothing is pending any more, or the process that made the
  // event has ended.
  EventMoment FollowPending() const;

 private:
  friend Error GetEventHandle(Event& event, void* handle);
  friend Error OpenEventHandle(Device& device, const void* handle,
                               Event** event);
  SharedEvent(std::shared_ptr<MemoryFile> file, SharedSlot* slot, int pid)
      : file_(std::move(file)), slot_(slot), pid_(pid) {}

  const std::shared_ptr<MemoryFile> file_;
  SharedSlot* const slot_;
  const int pid_;  // of the process that made it
};

// `handle` is of kIpcHandleBytes. kInvalidHandle: the event was not made for
// it.
Error GetEventHandle(Event& event, void* handle);

// kInvalidContext: made in this process; kInvalidHandle: no handle;
// kMapFailed: the event is destroyed or its process has ended.
Error OpenEventHandle(Device& device, const void* handle, Event** event);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_IPC_EVENT_H_
