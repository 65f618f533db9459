// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/memory_view.h"

#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "shim/tap/entry/copy_file.h"

namespace dltap::shim {

void MemoryView::Begin(int pid) {
  pid_ = pid;
  file_ = nullptr;
  was_refused_ = false;
  Forget();
}

void MemoryView::Forget() {
  for (uintptr_t& page : pages_) page = kNoPage;
}

void MemoryView::Begin(CopyFile& file) {
  Begin(0);
  file_ = &file;
}

bool MemoryView::ReadPage(uintptr_t page, uint8_t* out) {
  if (file_ != nullptr) return file_->Copy(page, out);
  const iovec local = {out, kPageBytes};
  const iovec remote = {reinterpret_cast<void*>(page), kPageBytes};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(kPageBytes);
}

const uint8_t* MemoryView::PageAt(uintptr_t page) {
  const auto line = (page / kPageBytes) % kLines;
  if (pages_[line] == page) return bytes_[line];
  pages_[line] = kNoPage;
  // The kernel cannot write where the program has protected memory to notice
  // writes, and says no more than of memory that is not there. We can: its
  // handler opens the page.
  bytes_[line][0] = bytes_[line][kPageBytes - 1] = 0;
  if (!ReadPage(page, bytes_[line])) {
    was_refused_ = was_refused_ || errno != EFAULT;
    return nullptr;
  }
  pages_[line] = page;
  return bytes_[line];
}

bool MemoryView::Read(uintptr_t at, void* out, size_t bytes) {
  auto* to = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    const uintptr_t offset = at % kPageBytes;
    const uint8_t* page = PageAt(at - offset);
    if (page == nullptr) return false;
    const size_t here = kPageBytes - offset;
    const size_t part = bytes < here ? bytes : here;
    memcpy(to, page + offset, part);
    to += part;
    at += part;
    bytes -= part;
  }
  return true;
}

// One byte of each page; the kernel stops at the first that it cannot read.
bool AllReadable(int pid, uintptr_t begin, uintptr_t end) {
  constexpr uintptr_t kPage = 4096;
  constexpr int kProbes = 256;
  if (end < begin || end - begin > kMostProbedBytes) return false;
  uintptr_t at = begin;
  while (at < end) {
    iovec remote[kProbes];
    uint8_t bytes[kProbes];
    int count = 0;
    for (; count < kProbes && at < end; at = (at | (kPage - 1)) + 1) {
      remote[count++] = {reinterpret_cast<void*>(at), 1};
    }
    const iovec local = {bytes, static_cast<size_t>(count)};
    if (process_vm_readv(pid, &local, 1, remote,
                         static_cast<unsigned long>(count), 0) != count) {
      return false;
    }
  }
  return true;
}

}  // namespace dltap::shim
