// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shim/tap/runtime/files.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {
namespace {

uint64_t Clamp(uint64_t value, uint64_t least, uint64_t most) {
  if (value < least) return least;
  return value > most ? most : value;
}

// Whole blocks, and the one in which a file system keeps the map of a file
// whose blocks lie, or were written, in several pieces (ext4: more than four).
constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t OnDisk(uint64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes + kBlockBytes;
}

// An eighth of the whole, so that at least seven are kept; large ones, so that
// few files are.
uint64_t SegmentBytes(uint64_t max_bytes) {
  constexpr uint64_t kLeast = DataFile::kMinSegmentBytes;
  uint64_t most = max_bytes / 64;
  if (most < DataFile::kUsualSegmentBytes) most = DataFile::kUsualSegmentBytes;
  return Clamp(max_bytes / 8, kLeast, most);
}

}  // namespace

// "stem.dltap", then "stem.1.dltap" and so on.
void DataFile::SegmentName(uint32_t number, char* out) const {
  if (number == 0) {
    snprintf(out, sizeof(name_), "%s.dltap", stem_);
  } else {
    snprintf(out, sizeof(name_), "%s.%u.dltap", stem_, number);
  }
}

int DataFile::Create(int dir_fd, const char* stem,
                     const trace::FileHeader& header, uint64_t max_bytes,
                     SizePolicy policy) {
  CloseIfOwn(&current_.fd, current_.inode);  // of the parent process
  *this = DataFile{};
  if (strlen(stem) >= sizeof(stem_)) return ENAMETOOLONG;
  strcpy(stem_, stem);
  dir_fd_ = dir_fd;
  dir_inode_ = InodeOf(dir_fd);
  header_ = header;
  max_bytes_ = max_bytes;
  // No write goes beyond the process's own limit: that is a signal to it.
  const uint64_t most = FileSizeLimit();
  if (policy == SizePolicy::kRing) {
    segment_bytes_ = SegmentBytes(max_bytes);
    if (segment_bytes_ > most) segment_bytes_ = most;
  } else {
    const uint64_t bytes = max_bytes - kBlockBytes;  // beside its map
    segment_bytes_ = bytes < most ? bytes : most;
  }
  SegmentName(0, name_);
  return OpenSegment(0);
}

int DataFile::OpenSegment(uint32_t number) {
  char name[sizeof(name_)];
  SegmentName(number, name);
  current_ = Segment{};
  current_.number = number;
  current_.fd = CreateOwnFile(dir_fd_, name);
  if (current_.fd < 0) return last_error_ = errno;
  current_.inode = InodeOf(current_.fd);
  trace::FileHeader header = header_;
  header.segment = number;
  trace::Seal(header, trace::FileKind::kData);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  if (!Reserve(sizeof(header), kEndReserve) ||
      !Append({bytes, sizeof(header)})) {
    CloseSegment(&current_);
    unlinkat(dir_fd_, name, 0);
    return last_error_;
  }
  return 0;
}

// Allocates ahead, so that a full disk shows before a block is half written;
// less of it where a small disk has no more room. In steps that grow with the
// file: what a killed process had not used yet stays taken.
bool DataFile::Reserve(uint64_t bytes, uint64_t extra) {
  const uint64_t end = current_.size + bytes + extra;
  if (end <= current_.allocated) return true;
  uint64_t target =
      current_.allocated +
      Clamp(current_.size / 4, kLeastAllocationStep, kMostAllocationStep);
  if (target > segment_bytes_) target = segment_bytes_;
  if (target < end) target = end;
  int error = AllocateBytes(current_.fd, current_.allocated,
                            target - current_.allocated, false);
  if (error != 0 && target > end) {
    target = end;
    error = AllocateBytes(current_.fd, current_.allocated,
                          target - current_.allocated, false);
  }
  if (error != 0) {
    last_error_ = error;
    return false;
  }
  current_.allocated = target;
  return true;
}

bool DataFile::WriteAll(std::span<const uint8_t> block) {
  uint64_t at = current_.size;
  while (!block.empty()) {
    const ssize_t written =
        pwrite(current_.fd, block.data(), block.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      last_error_ = written < 0 ? errno : ENOSPC;
      return false;
    }
    block = block.subspan(static_cast<size_t>(written));
    at += static_cast<uint64_t>(written);
  }
  return true;
}

// False: the host closed our descriptor, or the file was removed.
bool DataFile::IsOurs() {
  struct stat status;
  if (current_.fd < 0 || fstat(current_.fd, &status) != 0 ||
      InodeOf(status) != current_.inode) {
    current_.fd = -1;
    last_error_ = EBADF;
    return false;
  }
  if (status.st_nlink == 0) {
    last_error_ = ENOENT;
    return false;
  }
  return true;
}

bool DataFile::Append(std::span<const uint8_t> block) {
  return WriteGathered() && IsOurs() && Reserve(block.size(), 0) && Put(block);
}

// A failed block is cut off again: what follows a hole would be unreadable.
bool DataFile::Put(std::span<const uint8_t> block) {
  if (!WriteAll(block)) {
    [[maybe_unused]] const int cut =
        ftruncate(current_.fd, static_cast<off_t>(current_.size));
    return false;
  }
  current_.size += block.size();
  return true;
}

uint64_t DataFile::room() const {
  const uint64_t used = current_.size + kEndReserve;
  return used < segment_bytes_ ? segment_bytes_ - used : 0;
}

WriteResult DataFile::Write(std::span<const uint8_t> block) {
  if (block.size() > room()) return WriteResult::kLimitReached;
  if (block.size() > gather_.size() - gathered_ && !WriteGathered()) {
    return WriteResult::kFailed;
  }
  const bool written =
      block.size() > gather_.size()
          ? IsOurs() && Reserve(block.size(), kEndReserve) && Put(block)
          : Keep(block);
  return written ? WriteResult::kWritten : WriteResult::kFailed;
}

// The descriptor is looked at when it is used: for room now, or to write later.
bool DataFile::Keep(std::span<const uint8_t> block) {
  const uint64_t end = current_.size + block.size() + kEndReserve;
  if (end > current_.allocated &&
      (!IsOurs() || !Reserve(block.size(), kEndReserve))) {
    return false;
  }
  memcpy(gather_.data() + gathered_, block.data(), block.size());
  gathered_ += block.size();
  current_.size += block.size();
  return true;
}

bool DataFile::WriteGathered() {
  if (gathered_ == 0) return true;
  const auto blocks = gather_.first(gathered_);
  current_.size -= gathered_;
  gathered_ = 0;
  has_lost_gathered_ |= !IsOurs() || !Put(blocks);
  return !has_lost_gathered_;
}

WriteResult DataFile::Settle() {
  const bool written = WriteGathered() && !has_lost_gathered_;
  gather_ = {};
  has_lost_gathered_ = false;
  return written ? WriteResult::kWritten : WriteResult::kFailed;
}

bool DataFile::NextSegment() {
  if (!WriteGathered()) return false;
  if (InodeOf(dir_fd_) != dir_inode_) {
    last_error_ = EBADF;
    return false;
  }
  const uint32_t number = current_.number;
  // The new one is taken to be full. The current one keeps what it has
  // allocated until then, so that it can still take the end block.
  const uint64_t needed = OnDisk(current_.allocated) + OnDisk(segment_bytes_);
  while (oldest_ < number && (closed_bytes_ + needed > max_bytes_ ||
                              number - oldest_ >= kMaxSegments)) {
    if (!DeleteOldest()) return false;
  }
  Segment full = current_;
  if (OpenSegment(full.number + 1) != 0) {
    current_ = full;
    return false;
  }
  CloseSegment(&full);
  sizes_[number % kMaxSegments] = full.size;
  closed_bytes_ += OnDisk(full.size);
  return true;
}

bool DataFile::DeleteOldest() {
  char name[sizeof(name_)];
  SegmentName(oldest_, name);
  struct stat status;
  const bool exists = fstatat(dir_fd_, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && unlinkat(dir_fd_, name, 0) != 0) {
    last_error_ = errno;
    return false;
  }
  const uint64_t bytes = sizes_[oldest_ % kMaxSegments];
  closed_bytes_ -= OnDisk(bytes);
  deleted_bytes_ += bytes;
  ++oldest_;
  return true;
}

void DataFile::CloseSegment(Segment* segment) {
  if (segment->fd >= 0 && InodeOf(segment->fd) == segment->inode) {
    // Frees what lies allocated beyond the end.
    [[maybe_unused]] const int cut =
        ftruncate(segment->fd, static_cast<off_t>(segment->size));
    close(segment->fd);
  }
  segment->fd = -1;
}

void DataFile::Close() { CloseSegment(&current_); }

}  // namespace dltap::shim
