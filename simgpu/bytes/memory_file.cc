// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>

namespace dltap::simgpu {
namespace {

constexpr off_t kFileBytes = off_t{1} << 62;
constexpr uint32_t kSlotCount = 16384;
constexpr size_t kSlotBytes = kSlotCount * sizeof(SharedSlot);

struct Imports {
  std::mutex mutex;
  std::map<ino_t, std::weak_ptr<MemoryFile>> by_inode;
};

Imports& AllImports() {
  static auto* const imports = new Imports;
  return *imports;
}

bool IsMemoryFile(int descriptor, ino_t* inode) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size != kFileBytes) {
    return false;
  }
  *inode = status.st_ino;
  return true;
}

}  // namespace

MemoryFile* MemoryFile::Create() {
  const int descriptor = memfd_create("simgpu", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  ino_t inode = 0;
  if (ftruncate(descriptor, kFileBytes) != 0 ||
      !IsMemoryFile(descriptor, &inode)) {
    close(descriptor);
    return nullptr;
  }
  auto* file = new MemoryFile(descriptor, inode);
  if (file->MapSlots()) {
    file->end_.store(kSlotBytes);
    return file;
  }
  delete file;
  return nullptr;
}

MemoryFile* MemoryFile::Own() {
  static MemoryFile* const file = Create();
  return file;
}

std::shared_ptr<MemoryFile> MemoryFile::OfProcess(pid_t pid, int descriptor,
                                                  ino_t inode) {
  {
    Imports& imports = AllImports();
    const std::lock_guard lock(imports.mutex);
    const auto known = imports.by_inode.find(inode);
    if (known != imports.by_inode.end()) {
      // A file that is still mapped here may have lost its process.
      if (auto file = known->second.lock()) return file;
    }
  }
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, descriptor);
  const int own = open(path, O_RDWR | O_CLOEXEC);
  if (own < 0) return nullptr;
  ino_t found = 0;
  if (!IsMemoryFile(own, &found) || found != inode) {
    close(own);
    return nullptr;
  }
  return OfDescriptor(own);
}

std::shared_ptr<MemoryFile> MemoryFile::OfDescriptor(int descriptor) {
  ino_t inode = 0;
  if (!IsMemoryFile(descriptor, &inode)) {
    close(descriptor);
    return nullptr;
  }
  if (MemoryFile* own = Own(); own != nullptr && own->inode_ == inode) {
    close(descriptor);
    return {own, [](MemoryFile*) {}};
  }
  Imports& imports = AllImports();
  const std::lock_guard lock(imports.mutex);
  std::weak_ptr<MemoryFile>& known = imports.by_inode[inode];
  if (auto file = known.lock()) {
    close(descriptor);
    return file;
  }
  std::shared_ptr<MemoryFile> file(new MemoryFile(descriptor, inode));
  if (!file->MapSlots()) return nullptr;
  known = file;
  return file;
}

MemoryFile::~MemoryFile() {
  if (slots_ != nullptr) munmap(slots_, kSlotBytes);
  close(descriptor_);
}

bool MemoryFile::MapSlots() {
  slots_ = static_cast<SharedSlot*>(Map(0, kSlotBytes));
  return slots_ != nullptr;
}

uint64_t MemoryFile::NewRange(size_t bytes) { return end_.fetch_add(bytes); }

void* MemoryFile::Map(uint64_t offset, size_t bytes, void* where) {
  const int fixed = where == nullptr ? 0 : MAP_FIXED;
  void* pages = mmap(where, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE | fixed, descriptor_,
                     static_cast<off_t>(offset));
  return pages == MAP_FAILED ? nullptr : pages;
}

void MemoryFile::Discard(uint64_t offset, size_t bytes) {
  fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

bool MemoryFile::IsHole(uint64_t offset, uint64_t end, uint64_t* until) const {
  const off_t data = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0 || static_cast<uint64_t>(data) >= end) {
    *until = end;
    return data >= 0 || errno == ENXIO;
  }
  if (static_cast<uint64_t>(data) > offset) {
    *until = static_cast<uint64_t>(data);
    return true;
  }
  const off_t hole = lseek(descriptor_, static_cast<off_t>(offset), SEEK_HOLE);
  *until = hole < 0 || static_cast<uint64_t>(hole) > end
               ? end
               : static_cast<uint64_t>(hole);
  return false;
}

SharedSlot* MemoryFile::NewSlot() {
  const std::lock_guard lock(slots_mutex_);
  SharedSlot* slot = nullptr;
  if (!free_slots_.empty()) {
    slot = free_slots_.back();
    free_slots_.pop_back();
  } else if (used_slots_ < kSlotCount) {
    slot = &slots_[used_slots_++];
  } else {
    return nullptr;
  }
  slot->references = 0;
  slot->pending = 0;
  slot->recorded = 0;
  slot->time_ns = 0;
  slot->written_begin = 0;
  slot->written_end = 0;
  slot->id.store(++last_slot_id_, std::memory_order_release);
  return slot;
}

void MemoryFile::FreeSlot(SharedSlot* slot) {
  if (slot == nullptr) return;
  slot->id.store(0, std::memory_order_release);
  const std::lock_guard lock(slots_mutex_);
  free_slots_.push_back(slot);
}

uint32_t MemoryFile::IndexOf(const SharedSlot* slot) const {
  return static_cast<uint32_t>(slot - slots_);
}

SharedSlot* MemoryFile::SlotAt(uint32_t index) {
  return index < kSlotCount ? &slots_[index] : nullptr;
}

}  // namespace dltap::simgpu
