// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/copy_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/ring_file.h"

namespace dltap::shim {

bool CopyFile::Open(const char* ring_path) {
  fd_ = -1;
  char path[kMaxRingPathBytes + 8];
  const int length = snprintf(path, sizeof(path), "%s.page", ring_path);
  if (length < 0 || static_cast<size_t>(length) >= sizeof(path)) return false;
  fd_ = CreateOwnFile(AT_FDCWD, path);
  if (fd_ < 0) return false;
  const bool is_mapped = Map(path);
  if (!is_mapped) Close();
  return is_mapped;
}

// A program that has closed the file may have opened one under its number.
bool CopyFile::Map(const char* path) {
  inode_ = InodeOf(fd_);
  unlink(path);
  if (FileSizeLimit() < kPageBytes ||
      AllocateBytes(fd_, 0, kPageBytes, true) != 0) {
    return false;
  }
  void* memory = mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return false;
  mapped_ = memory;
  return InodeOf(fd_) == inode_;
}

void CopyFile::Close() {
  if (mapped_ != nullptr) munmap(const_cast<void*>(mapped_), kPageBytes);
  mapped_ = nullptr;
  CloseIfOwn(&fd_, inode_);
}

bool CopyFile::Copy(uintptr_t page, uint8_t* out) {
  errno = EBADF;
  if (mapped_ == nullptr || InodeOf(fd_) != inode_) return false;
  if (pwrite(fd_, reinterpret_cast<const void*>(page), kPageBytes, 0) !=
      static_cast<ssize_t>(kPageBytes)) {
    return false;
  }
  memcpy(out, mapped_, kPageBytes);
  return true;
}

}  // namespace dltap::shim
