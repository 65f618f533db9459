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
  fd_ = Create(ring_path);
  if (fd_ < 0) return false;
  inode_ = InodeOf(fd_);
  // Not worth one of a few numbers that the program may need.
  const bool is_mapped = !IsAmongThePrograms(fd_) && Map();
  if (!is_mapped) Close();
  return is_mapped;
}

// Where a file must have a name, a process that is killed in between leaves it.
int CopyFile::Create(const char* ring_path) {
  char path[kMaxRingPathBytes + 8];
  const int length = snprintf(path, sizeof(path), "%s.page", ring_path);
  if (length < 0 || static_cast<size_t>(length) >= sizeof(path)) return -1;
  char* const name = strrchr(path, '/');
  if (name != nullptr) {
    *name = '\0';
    const int fd = CreateNamelessFile(path);
    if (fd >= 0) return fd;
    *name = '/';
  }
  const int fd = CreateOwnFile(AT_FDCWD, path);
  if (fd >= 0) unlink(path);
  return fd;
}

// A program that has closed the file may have opened one under its number.
bool CopyFile::Map() {
  if (FileSizeLimit() < kBytes || AllocateBytes(fd_, 0, kBytes, true) != 0) {
    return false;
  }
  void* memory = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return false;
  mapped_ = static_cast<const uint8_t*>(memory);
  return InodeOf(fd_) == inode_;
}

void CopyFile::Close() {
  if (mapped_ != nullptr) munmap(const_cast<uint8_t*>(mapped_), kBytes);
  mapped_ = nullptr;
  CloseIfOwn(&fd_, inode_);
}

// No pwritev(): a filter may not know it that knows how traces are written.
size_t CopyFile::Copy(uintptr_t from, size_t bytes) {
  errno = EBADF;
  if (mapped_ == nullptr || InodeOf(fd_) != inode_) return 0;
  // What has stopped the kernel behind the first bytes it does not say.
  errno = EFAULT;
  const ssize_t copied =
      pwrite(fd_, reinterpret_cast<const void*>(from), bytes, 0);
  return copied > 0 ? static_cast<size_t>(copied) : 0;
}

}  // namespace dltap::shim
