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

#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/losses.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kPageBytes = 4096;
// A record may run over a ring's end before its tail is copied to the front.
constexpr uint64_t kSlackBytes = kPageBytes;
static_assert(trace::kMaxSlotsPerCall * trace::kSlotBytes <= kSlackBytes);

// Definitions that are taken at once: a buffer of the collector holds more.
constexpr uint64_t kMostTaken = uint64_t{256} << 10;

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// A record's header is written at once, last, and commits the record.
trace::RecordHeader LoadHeader(const uint8_t* at) {
  auto* word = reinterpret_cast<uint64_t*>(const_cast<uint8_t*>(at));
  const uint64_t value = std::atomic_ref(*word).load(std::memory_order_acquire);
  trace::RecordHeader header;
  static_assert(sizeof(header) == sizeof(value));
  memcpy(&header, &value, sizeof(header));
  return header;
}

void StoreHeader(uint8_t* at, const trace::RecordHeader& header) {
  uint64_t value;
  memcpy(&value, &header, sizeof(value));
  std::atomic_ref(*reinterpret_cast<uint64_t*>(at))
      .store(value, std::memory_order_release);
}

bool IsCommitted(const trace::RecordHeader& header) {
  return header.kind != static_cast<uint16_t>(trace::RecordKind::kUnwritten);
}

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
  const uint64_t log_offset = definitions_offset + kDefinitionBytes;
  const uint64_t log_bytes =
      RoundUp(kLogChunks * sizeof(trace::DefinitionChunk));
  errno = 0;
  auto* memory = static_cast<uint8_t*>(MapRange(fd, 0, log_offset + log_bytes));
  if (memory == nullptr) return errno != 0 ? errno : ENOSPC;
  header_ = reinterpret_cast<trace::RingFileHeader*>(memory);
  rings_ = reinterpret_cast<trace::RingHeader*>(memory + rings_offset);
  definitions_ = memory + definitions_offset;
  log_ = reinterpret_cast<trace::DefinitionChunk*>(memory + log_offset);
  header_->ring_count = kMaxRings;
  header_->ring_header_bytes = sizeof(trace::RingHeader);
  header_->rings_offset = rings_offset;
  header_->definitions_offset = definitions_offset;
  header_->definitions_capacity = kDefinitionBytes;
  header_->log_offset = log_offset;
  header_->log_chunks = kLogChunks;
  header_->pid_namespace = PidNamespace();
  header_->file_space = FileSpace();
  strncpy(header_->data_file, data_file, sizeof(header_->data_file) - 1);
  trace::FileHeader sealed = header;
  trace::Seal(sealed, trace::FileKind::kRing);
  header_->file = sealed;
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

uint8_t* RingFile::TakeRoom(size_t bytes) {
  if (header_ == nullptr) return nullptr;
  const std::atomic_ref area_head(header_->definitions_head);
  uint64_t head = area_head.load(std::memory_order_relaxed);
  do {
    if (bytes > kDefinitionBytes - head) return nullptr;
  } while (!area_head.compare_exchange_weak(head, head + bytes,
                                            std::memory_order_acq_rel));
  uint8_t* at = definitions_ + head;
  StoreHeader(at, {static_cast<uint16_t>(trace::RecordKind::kUnwritten),
                   sizeof(trace::RecordHeader), static_cast<uint32_t>(bytes)});
  return at;
}

void RingFile::Commit(uint8_t* at, const trace::RecordHeader& header) {
  StoreHeader(at, header);
  if (DefinitionsCrowd()) WakeCollector();
}

// The first one's header commits all of them.
bool RingFile::AppendDefinitions(std::span<const uint8_t> records) {
  uint8_t* at = TakeRoom(records.size());
  if (at == nullptr) {
    CountLostDefinition();
    return false;
  }
  trace::RecordHeader first;
  memcpy(&first, records.data(), sizeof(first));
  memcpy(at + sizeof(first), records.data() + sizeof(first),
         records.size() - sizeof(first));
  Commit(at, first);
  return true;
}

void RingFile::CountLostDefinition() {
  CountLoss(trace::LossKind::kDefinitionLost);
}

bool RingFile::DefinitionsCrowd() const {
  return header_ != nullptr &&
         std::atomic_ref(header_->definitions_head)
                 .load(std::memory_order_relaxed) > kDefinitionBytes / 2;
}

std::span<const uint8_t> RingFile::TakeDefinitions() {
  for (uint32_t i = 0; i < unwritten_count_; ++i) {
    const Unwritten place = unwritten_[i];
    if (!IsCommitted(LoadHeader(definitions_ + place.offset))) continue;
    --unwritten_count_;
    memmove(unwritten_ + i, unwritten_ + i + 1,
            (unwritten_count_ - i) * sizeof(place));
    return {definitions_ + place.offset, place.bytes};
  }
  const uint64_t head = std::atomic_ref(header_->definitions_head)
                            .load(std::memory_order_acquire);
  uint64_t begin = taken_;
  while (taken_ < head && taken_ - begin < kMostTaken) {
    const trace::RecordHeader header = LoadHeader(definitions_ + taken_);
    if (header.bytes == 0) break;  // taken just now
    if (!IsCommitted(header)) {
      if (taken_ > begin || unwritten_count_ == kMaxUnwritten) break;
      unwritten_[unwritten_count_++] = {taken_, header.bytes};
      begin += header.bytes;
    }
    taken_ += header.bytes;
  }
  return {definitions_ + begin, taken_ - begin};
}

// Starts again at the front, which is zero as at first, when all is taken. A
// process may be killed when only the head has gone back, below the tail: what
// was defined since lies at the front. (It is lost if so much was that the head
// has come to the tail again, before this thread went on.)
void RingFile::DropDefinitions() {
  const std::atomic_ref area_head(header_->definitions_head);
  const std::atomic_ref area_tail(header_->definitions_tail);
  const bool all = unwritten_count_ == 0;
  area_tail.store(all ? taken_ : unwritten_[0].offset,
                  std::memory_order_release);
  uint64_t head = taken_;
  if (!all || head == 0 || area_head.load(std::memory_order_relaxed) != head) {
    return;
  }
  memset(definitions_, 0, head);
  if (!area_head.compare_exchange_strong(head, 0, std::memory_order_acq_rel)) {
    return;
  }
  area_tail.store(0, std::memory_order_release);
  taken_ = 0;
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
