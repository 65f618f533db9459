// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_MEMORY_FILE_H_
#define DLTAP_SIMGPU_BYTES_MEMORY_FILE_H_

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dltap::simgpu {

// What two processes know together of an exported object. Lies in the memory
// file of the process that made it.
struct alignas(64) SharedSlot {
  std::atomic<uint64_t> id;          // never used twice; 0: the object is gone
  std::atomic<uint32_t> references;  // of physical memory, in all processes
  std::atomic<uint32_t> pending;     // host functions that an event follows
  std::atomic<uint32_t> recorded;    // an event was
  std::atomic<int64_t> time_ns;      // when the event is over
  // What another process wrote last into the memory: file offsets.
  std::atomic<uint64_t> written_begin;
  std::atomic<uint64_t> written_end;
};

// The memory of all devices in one process: one sparse anonymous file, mapped
// piece by piece. A file, so that another process can map the same bytes; one,
// so that a thousand allocations do not take a thousand descriptors. A freed
// range is punched out of it; but for small ones (page_segments.h) its offsets
// are never used again: the file has 2^62 bytes of room.
class MemoryFile {
 public:
  // This process's; null when the system gives none. Lives for ever.
  static MemoryFile* Own();

  // Another process's, by its descriptor there; null when the process has
  // ended or the descriptor is not that file any more.
  static std::shared_ptr<MemoryFile> OfProcess(pid_t pid, int descriptor,
                                               ino_t inode);
  // By a descriptor that was received; this object owns it from now on.
  static std::shared_ptr<MemoryFile> OfDescriptor(int descriptor);

  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  ino_t inode() const { return inode_; }

  // A range that reads as zero. `bytes` is a multiple of the page size.
  uint64_t NewRange(size_t bytes);
  // Maps a range; at `where` in place of what is there, if given.
  void* Map(uint64_t offset, size_t bytes, void* where = nullptr);
  // Gives the range's pages back: it reads as zero again.
  void Discard(uint64_t offset, size_t bytes);
  // Whether the page at `offset` holds data, and where that ends (at most
  // `end`). False and `end` when the system cannot tell holes.
  bool IsHole(uint64_t offset, uint64_t end, uint64_t* until) const;

  // A slot with a fresh id; null: all are taken. Own file only.
  SharedSlot* NewSlot();
  void FreeSlot(SharedSlot* slot);
  uint32_t IndexOf(const SharedSlot* slot) const;
  // Null when the index is out of range.
  SharedSlot* SlotAt(uint32_t index);

 private:
  MemoryFile(int descriptor, ino_t inode)
      : descriptor_(descriptor), inode_(inode) {}
  static MemoryFile* Create();
  bool MapSlots();

  const int descriptor_;
  const ino_t inode_;
  SharedSlot* slots_ = nullptr;
  std::atomic<uint64_t> end_{0};  // of what NewRange gave
  std::mutex slots_mutex_;
  std::vector<SharedSlot*> free_slots_;
  uint32_t used_slots_ = 0;
  uint64_t last_slot_id_ = 0;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_MEMORY_FILE_H_
