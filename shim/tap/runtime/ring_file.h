// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RING_FILE_H_
#define DLTAP_SHIM_TAP_RUNTIME_RING_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/tap/runtime/definition_area.h"
#include "shim/trace/layout.h"

namespace dltap::shim {

inline constexpr uint32_t kSmallRingSlots = 2048;   // 64 KiB
inline constexpr uint32_t kLargeRingSlots = 32768;  // 1 MiB

inline constexpr int kMaxRingPathBytes = 4096 + 512;
inline constexpr char kSharedMemory[] = "/dev/shm";

// A ring's parts in the mapped file. Never unmapped while the process lives.
struct Ring {
  trace::RingHeader* header;
  trace::CallSlot* slots;
  uint32_t capacity_slots;
};

// The shared memory that survives a killed process: rings of call slots, an
// area of definitions that are not in the data file yet, and the log of those
// that a bounded data file repeats (FORMAT.md, "Ring file"). Created, grown and
// emptied by one thread at a time: the one that starts the session, then the
// collector.
class RingFile {
 public:
  static constexpr uint32_t kMaxRings = 4096;
  static constexpr uint32_t kLogChunks = 64;
  static constexpr uint64_t kLogChunkBytes = uint64_t{512} << 10;

  // Creates the file at that absolute path and maps its tables. Space is
  // allocated before it is mapped, so that a full disk is an error here and not
  // a SIGBUS later. 0 or errno.
  int Create(const char* path, const trace::FileHeader& header,
             const char* data_file);

  // Whether shared memory (a tmpfs) has room for rings, and will have for the
  // program beside them.
  static bool SharedMemoryHasRoom();

  // A new ring; its pages are not there yet. False when the table or the disk
  // is full.
  bool AddRing(uint32_t capacity_slots, Ring* ring);

  // Takes the page faults now, also while a thread writes into the ring.
  static void Populate(const Ring& ring);

  // Gives a ring, new or drained, to a thread.
  static void Assign(const Ring& ring, uint32_t thread_index,
                     uint64_t first_slot);
  // Its thread has ended or left it, and all slots are drained.
  static void Release(const Ring& ring);

  DefinitionArea& definitions() { return definitions_; }

  // The log (definition_log.h): chunks of records, memory taken when first
  // prepared. Appending commits; nullptr: the chunk is full or not prepared.
  bool PrepareLogChunk(uint32_t chunk);
  uint8_t* AppendToLog(uint32_t chunk, std::span<const uint8_t> record);
  std::span<const uint8_t> LogChunk(uint32_t chunk) const;
  void ClearLogChunk(uint32_t chunk);

  // Removes the file: everything is in the data file. The memory stays mapped.
  void Unlink();

  // Nothing reads the rings any more: their memory goes back to the system.
  // What threads still write goes nowhere.
  void Abandon();

  bool exists() const { return header_ != nullptr; }
  const char* path() const { return path_; }

 private:
  int Fill(int fd, const trace::FileHeader& header, const char* data_file);
  int Descriptor();
  void Close();
  void* MapRange(int fd, uint64_t offset, uint64_t bytes);
  void* AddRange(uint64_t bytes);

  trace::RingFileHeader* header_ = nullptr;
  trace::RingHeader* rings_ = nullptr;
  DefinitionArea definitions_;
  trace::DefinitionChunk* log_ = nullptr;
  uint8_t* log_memory_[kLogChunks] = {};
  uint64_t file_bytes_ = 0;
  uint64_t inode_ = 0;
  int fd_ = -1;
  uint32_t ring_count_ = 0;
  bool in_shared_memory_ = false;
  char path_[kMaxRingPathBytes] = {};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RING_FILE_H_
