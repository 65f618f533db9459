// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SHARED_EVENT_H_
#define DLTAP_SIMGPU_STREAM_SHARED_EVENT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "simgpu/bytes/memory_file.h"
#include "simgpu/stream/event_moment.h"

namespace dltap::simgpu {

// The state of an interprocess event, which lies in the memory file of the
// process that made it. Times are of each process's own clock: in real mode the
// machine's, else a process that waits moves its clock to the other's.
class SharedEvent {
 public:
  // Of an event made here; null: no room.
  static std::unique_ptr<SharedEvent> New();
  SharedEvent(std::shared_ptr<MemoryFile> file, SharedSlot* slot, int pid)
      : file_(std::move(file)), slot_(slot), pid_(pid) {}
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  // Where its state lies.
  const MemoryFile& file() const { return *file_; }
  const SharedSlot& slot() const { return *slot_; }
  int pid() const { return pid_; }  // of the process that made it

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
  const std::shared_ptr<MemoryFile> file_;
  SharedSlot* const slot_;
  const int pid_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SHARED_EVENT_H_
