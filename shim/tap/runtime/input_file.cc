// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/input_file.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/tap/runtime/files.h"

namespace dltap::shim {

// O_NONBLOCK: to open a pipe would wait for ever.
InputFile::InputFile(const char* path, int flags)
    : fd_(open(path, flags | O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ >= 0) fd_ = MoveDescriptorUp(fd_);
  inode_ = InodeOf(fd_);
}

InputFile::~InputFile() { CloseIfOwn(&fd_, inode_); }

bool InputFile::IsOwn() const { return fd_ >= 0 && InodeOf(fd_) == inode_; }

ssize_t InputFile::Read(void* out, size_t capacity) const {
  return IsOwn() ? read(fd_, out, capacity) : -1;
}

ssize_t InputFile::ReadEntries(void* out, size_t capacity) const {
  return IsOwn() ? syscall(SYS_getdents64, fd_, out, capacity) : -1;
}

}  // namespace dltap::shim
