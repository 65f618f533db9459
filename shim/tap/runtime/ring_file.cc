// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/ring_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shim/tap/runtime/files.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kPageBytes = 4096;
// A record may run over a ring's end before its tail is copied to the front.
constexpr uint64_t kSlackBytes = kPageBytes;
static_assert(trace::kMaxSlotsPerCall * trace::kSlotBytes <= kSlackBytes);

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// Every range that is mapped, for Abandon().
struct MappedRange {
  void* memory;
  uint64_t bytes;
};
constexpr uint32_t kMaxRanges = RingFile::kMaxRings + RingFile::kLogChunks + 1;
constinit MappedRange g_ranges[kMaxRanges];
constinit uint32_t g_range_count = 0;

constexpr uint64_t RoundUp(uint64_t bytes) {
  return (bytes + kPageBytes - 1) & ~(kPageBytes - 1);
}

}  // namespace

// Room for the program itself must stay: its own shared memory, when it is
// full, is a SIGBUS.
bool RingFile::SharedMemoryHasRoom() {
  constexpr uint64_t kLeast = uint64_t{256} << 20;
  struct statfs status;
  if (statfs(kSharedMemory, &status) != 0 || status.f_type != TMPFS_MAGIC) {
    return false;
  }
  const auto block = static_cast<uint64_t>(status.f_bsize);
  const uint64_t available = status.f_bavail * block;
  return available >= kLeast && available >= status.f_blocks * block / 4;
}

// Kept open, with a high number: opening takes the lowest one for a moment, and
// the program may be counting on it. A program may close everything, though.
// -1: the file there is not ours.
int RingFile::Descriptor() {
  if (fd_ >= 0 && InodeOf(fd_) == inode_) return fd_;
  fd_ = -1;
  const int fd = open(path_, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  if (InodeOf(fd) == inode_) return fd_ = MoveDescriptorUp(fd);
  close(fd);
  return -1;
}

void* RingFile::MapRange(int fd, uint64_t offset, uint64_t bytes) {
  if (AllocateBytes(fd, offset, bytes, true) != 0) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return nullptr;
  // The program has given the number to a file of its own meanwhile, whose
  // pages these may be.
  if (InodeOf(fd) != inode_) {
    munmap(memory, bytes);
    return nullptr;
  }
  madvise(memory, bytes, MADV_DONTDUMP);
  if (g_range_count < kMaxRanges) g_ranges[g_range_count++] = {memory, bytes};
  file_bytes_ = offset + bytes;
  return memory;
}

void* RingFile::AddRange(uint64_t bytes) {
  if (in_shared_memory_ && !SharedMemoryHasRoom()) return nullptr;
  for (int tries = 0; tries < 2; ++tries) {
    const int fd = Descriptor();
    if (fd < 0) return nullptr;
    void* memory = MapRange(fd, file_bytes_, bytes);
    if (memory != nullptr || InodeOf(fd) == inode_) return memory;
  }
  return nullptr;
}

int RingFile::Create(const char* path, const trace::FileHeader& header,
                     const char* data_file) {
  Close();  // of a parent
  *this = RingFile{};
  g_range_count = 0;
  // Readers take the file for a ring when its header is whole.
  if (strlen(path) >= sizeof(path_)) return ENAMETOOLONG;
  strcpy(path_, path);
  in_shared_memory_ =
      strncmp(path, kSharedMemory, sizeof(kSharedMemory) - 1) == 0;
  fd_ = CreateOwnFile(AT_FDCWD, path);
  if (fd_ < 0) return errno;
  inode_ = InodeOf(fd_);
  const int error = Fill(fd_, header, data_file);
  if (error != 0) Unlink();
  return error;
}

int RingFile::Fill(int fd, const trace::FileHeader& header,
                   const char* data_file) {
  const uint64_t rings_offset = RoundUp(sizeof(trace::RingFileHeader));
  const uint64_t definitions_offset =
      rings_offset + kMaxRings * sizeof(trace::RingHeader);
  const uint64_t log_offset = definitions_offset + DefinitionArea::kBytes;
  const uint64_t log_bytes =
      RoundUp(kLogChunks * sizeof(trace::DefinitionChunk));
  errno = 0;
  auto* memory = static_cast<uint8_t*>(MapRange(fd, 0, log_offset + log_bytes));
  if (memory == nullptr) return errno != 0 ? errno : ENOSPC;
  header_ = reinterpret_cast<trace::RingFileHeader*>(memory);
  rings_ = reinterpret_cast<trace::RingHeader*>(memory + rings_offset);
  log_ = reinterpret_cast<trace::DefinitionChunk*>(memory + log_offset);
  header_->ring_count = kMaxRings;
  header_->ring_header_bytes = sizeof(trace::RingHeader);
  header_->rings_offset = rings_offset;
  header_->definitions_offset = definitions_offset;
  header_->definitions_capacity = DefinitionArea::kBytes;
  header_->log_offset = log_offset;
  header_->log_chunks = kLogChunks;
  header_->pid_namespace = PidNamespace();
  header_->file_space = FileSpace();
  strncpy(header_->data_file, data_file, sizeof(header_->data_file) - 1);
  trace::FileHeader sealed = header;
  trace::Seal(sealed, trace::FileKind::kRing);
  header_->file = sealed;
  definitions_.Open(header_, memory + definitions_offset);
  return 0;
}

bool RingFile::AddRing(uint32_t capacity_slots, Ring* ring) {
  if (ring_count_ >= kMaxRings) return false;
  const uint64_t offset = file_bytes_;
  const uint64_t bytes =
      uint64_t{capacity_slots} * trace::kSlotBytes + kSlackBytes;
  void* memory = AddRange(bytes);
  if (memory == nullptr) return false;
  trace::RingHeader* header = &rings_[ring_count_++];
  header->data_offset = offset;
  header->capacity_slots = capacity_slots;
  *ring = {header, static_cast<trace::CallSlot*>(memory), capacity_slots};
  return true;
}

// MAP_POPULATE would map shared pages read-only, and every first write would
// still fault.
void RingFile::Populate(const Ring& ring) {
  const uint64_t bytes =
      uint64_t{ring.capacity_slots} * trace::kSlotBytes + kSlackBytes;
  if (madvise(ring.slots, bytes, MADV_POPULATE_WRITE) == 0) return;
  // Linux before 5.14: an atomic that changes nothing.
  auto* page = reinterpret_cast<uint32_t*>(ring.slots);
  for (uint64_t at = 0; at < bytes; at += kPageBytes) {
    std::atomic_ref(page[at / sizeof(*page)])
        .fetch_or(0, std::memory_order_relaxed);
  }
}

void RingFile::Assign(const Ring& ring, uint32_t thread_index,
                      uint64_t first_slot) {
  trace::RingHeader* header = ring.header;
  header->head = first_slot;
  header->tail = first_slot;
  header->base = 0;  // slot s lies at s % capacity
  header->open_call = 0;
  header->dropped = 0;
  header->tid = 0;
  header->thread_index = thread_index;
  std::atomic_ref(header->state)
      .store(static_cast<uint32_t>(trace::RingState::kInUse),
             std::memory_order_release);
}

void RingFile::Release(const Ring& ring) {
  std::atomic_ref(ring.header->state)
      .store(static_cast<uint32_t>(trace::RingState::kFree),
             std::memory_order_release);
}

bool RingFile::PrepareLogChunk(uint32_t chunk) {
  if (log_memory_[chunk] != nullptr) return true;
  const uint64_t offset = file_bytes_;
  void* memory = AddRange(kLogChunkBytes);
  log_memory_[chunk] = static_cast<uint8_t*>(memory);
  if (memory != nullptr) log_[chunk].offset = offset;
  return memory != nullptr;
}

uint8_t* RingFile::AppendToLog(uint32_t chunk,
                               std::span<const uint8_t> record) {
  if (log_memory_[chunk] == nullptr && !PrepareLogChunk(chunk)) return nullptr;
  const uint64_t used = log_[chunk].bytes;
  if (record.size() > kLogChunkBytes - used) return nullptr;
  uint8_t* at = log_memory_[chunk] + used;
  memcpy(at, record.data(), record.size());
  std::atomic_ref(log_[chunk].bytes)
      .store(used + record.size(), std::memory_order_release);
  return at;
}

std::span<const uint8_t> RingFile::LogChunk(uint32_t chunk) const {
  return {log_memory_[chunk], static_cast<size_t>(log_[chunk].bytes)};
}

void RingFile::ClearLogChunk(uint32_t chunk) {
  std::atomic_ref(log_[chunk].bytes).store(0, std::memory_order_release);
}

// In place, so that a thread inside a wrapper meets no hole.
void RingFile::Abandon() {
  for (uint32_t i = 0; i < g_range_count; ++i) {
    mmap(g_ranges[i].memory, g_ranges[i].bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  g_range_count = 0;
  Close();
}

void RingFile::Close() { CloseIfOwn(&fd_, inode_); }

void RingFile::Unlink() {
  if (Descriptor() < 0) return;
  unlink(path_);
  Close();
}

}  // namespace dltap::shim
