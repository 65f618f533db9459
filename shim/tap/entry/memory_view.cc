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

void MemoryView::Begin(CopyFile& file) {
  Begin(0);
  file_ = &file;
}

void MemoryView::Forget() {
  for (uintptr_t& line : lines_) line = kNoLine;
  wanted_count_ = 0;
}

void MemoryView::Want(uintptr_t at, size_t bytes) {
  if (file_ == nullptr) return;
  for (uintptr_t line = at - at % kLineBytes; line < at + bytes;
       line += kLineBytes) {
    const uintptr_t index = IndexOf(line);
    if (lines_[index] == line || lines_[index] == (line | kIsWanted)) continue;
    if (wanted_count_ == kMostWanted) Fetch();
    lines_[index] = line | kIsWanted;
    wanted_[wanted_count_++] = line;
  }
}

void MemoryView::Fetch() {
  int first = 0;
  while (first < wanted_count_) {
    int end = first + 1;
    while (end < wanted_count_ &&
           wanted_[end] == wanted_[end - 1] + kLineBytes) {
      ++end;
    }
    first += FetchRun(first, end - first);
  }
  wanted_count_ = 0;
}

// Returns how many of the lines are done with: up to the first that cannot be
// read.
int MemoryView::FetchRun(int first, int count) {
  static_assert(kMostWanted * kLineBytes <= CopyFile::kBytes);
  const size_t bytes =
      file_->Copy(wanted_[first], static_cast<size_t>(count) * kLineBytes);
  const auto copied = static_cast<int>(bytes / kLineBytes);
  const int done = copied < count ? copied + 1 : count;
  for (int i = 0; i < done; ++i) {
    const uintptr_t line = wanted_[first + i];
    const uintptr_t index = IndexOf(line);
    // Something else may have been read in its place since.
    if (lines_[index] != (line | kIsWanted)) continue;
    lines_[index] = i < copied ? line : kNoLine;
    memcpy(bytes_ + index * kLineBytes,
           file_->data() + static_cast<size_t>(i) * kLineBytes, kLineBytes);
  }
  return done;
}

bool MemoryView::ReadPage(uintptr_t page, uint8_t* out) {
  if (file_ != nullptr) {
    if (file_->Copy(page, kPageBytes) != kPageBytes) return false;
    memcpy(out, file_->data(), kPageBytes);
    return true;
  }
  const iovec local = {out, kPageBytes};
  const iovec remote = {reinterpret_cast<void*>(page), kPageBytes};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(kPageBytes);
}

// Reads its page, where it is not there yet.
const uint8_t* MemoryView::LineAt(uintptr_t line) {
  const uintptr_t index = IndexOf(line);
  uint8_t* bytes = bytes_ + index * kLineBytes;
  if (lines_[index] == line) return bytes;
  const uintptr_t page = line - line % kPageBytes;
  const uintptr_t first = IndexOf(page);
  constexpr uintptr_t kCount = kPageBytes / kLineBytes;
  for (uintptr_t i = 0; i < kCount; ++i) lines_[first + i] = kNoLine;
  // The kernel cannot write where the program has protected memory to notice
  // writes, and says no more than of memory that is not there. We can: its
  // handler opens the page.
  uint8_t* to = bytes_ + first * kLineBytes;
  to[0] = to[kPageBytes - 1] = 0;
  if (!ReadPage(page, to)) {
    was_refused_ = was_refused_ || errno != EFAULT;
    return nullptr;
  }
  for (uintptr_t i = 0; i < kCount; ++i)
    lines_[first + i] = page + i * kLineBytes;
  return bytes;
}

bool MemoryView::Read(uintptr_t at, void* out, size_t bytes) {
  auto* to = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    const uintptr_t offset = at % kLineBytes;
    const uint8_t* line = LineAt(at - offset);
    if (line == nullptr) return false;
    const size_t here = kLineBytes - offset;
    const size_t part = bytes < here ? bytes : here;
    memcpy(to, line + offset, part);
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
