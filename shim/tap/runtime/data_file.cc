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
  *this = DataFile{};
  if (strlen(stem) >= sizeof(stem_)) return ENAMETOOLONG;
  strcpy(stem_, stem);
  dir_fd_ = dir_fd;
  header_ = header;
  max_bytes_ = max_bytes;
  policy_ = policy;
  SegmentName(0, name_);
  return OpenSegment(0, &first_);
}

int DataFile::OpenSegment(uint32_t number, Segment* segment) {
  char name[sizeof(name_)];
  SegmentName(number, name);
  *segment = Segment{};
  segment->fd = CreateOwnFile(dir_fd_, name);
  if (segment->fd < 0) return errno;
  segment->inode = InodeOf(segment->fd);
  segment->number = number;
  trace::FileHeader header = header_;
  header.segment = number;
  trace::Seal(header, trace::FileKind::kData);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  if (!Append(segment, {bytes, sizeof(header)})) {
    CloseSegment(segment);
    unlinkat(dir_fd_, name, 0);
    return last_error_;
  }
  return 0;
}

// Allocates ahead, so that a full disk shows before a block is half written.
bool DataFile::Reserve(Segment* segment, uint64_t bytes) {
  const uint64_t end = segment->size + bytes;
  while (segment->allocated < end) {
    const int error =
        AllocateBytes(segment->fd, segment->allocated, kAllocationStep, false);
    if (error != 0) {
      // A small disk may still hold the block itself.
      const int retry = AllocateBytes(segment->fd, segment->size, bytes, false);
      if (retry != 0) {
        last_error_ = retry;
        return false;
      }
      segment->allocated = end;
      return true;
    }
    segment->allocated += kAllocationStep;
  }
  return true;
}

bool DataFile::WriteAll(const Segment& segment,
                        std::span<const uint8_t> block) {
  uint64_t at = segment.size;
  while (!block.empty()) {
    const ssize_t written =
        pwrite(segment.fd, block.data(), block.size(), static_cast<off_t>(at));
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

// A failed block is cut off again: what follows a hole would be unreadable.
bool DataFile::Append(Segment* segment, std::span<const uint8_t> block) {
  if (InodeOf(segment->fd) != segment->inode) {
    last_error_ = EBADF;  // the host closed our descriptor
    segment->fd = -1;
    return false;
  }
  if (!Reserve(segment, block.size())) return false;
  if (!WriteAll(*segment, block)) {
    [[maybe_unused]] const int cut =
        ftruncate(segment->fd, static_cast<off_t>(segment->size));
    return false;
  }
  segment->size += block.size();
  total_bytes_ += block.size();
  return true;
}

WriteResult DataFile::WriteDefinitions(std::span<const uint8_t> block) {
  if (policy_ == SizePolicy::kStop &&
      total_bytes_ + block.size() > max_bytes_) {
    return WriteResult::kLimitReached;
  }
  return Append(&first_, block) ? WriteResult::kWritten : WriteResult::kFailed;
}

WriteResult DataFile::Write(std::span<const uint8_t> block) {
  if (policy_ == SizePolicy::kStop) return WriteDefinitions(block);
  const Segment& current = newest_ == 0 ? first_ : current_;
  if (current.size + block.size() > kSegmentBytes && !NextSegment()) {
    return WriteResult::kFailed;
  }
  while (total_bytes_ + block.size() > max_bytes_ && oldest_ < newest_) {
    DeleteOldest();
  }
  Segment* segment = newest_ == 0 ? &first_ : &current_;
  return Append(segment, block) ? WriteResult::kWritten : WriteResult::kFailed;
}

bool DataFile::Append(std::span<const uint8_t> block) {
  return Append(newest_ == 0 ? &first_ : &current_, block);
}

bool DataFile::NextSegment() {
  Segment next;
  const int error = OpenSegment(newest_ + 1, &next);
  if (error != 0) {
    last_error_ = error;
    return false;
  }
  CloseSegment(&current_);
  current_ = next;
  ++newest_;
  return true;
}

void DataFile::DeleteOldest() {
  char name[sizeof(name_)];
  SegmentName(oldest_++, name);
  struct stat status;
  if (fstatat(dir_fd_, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (unlinkat(dir_fd_, name, 0) != 0) return;
  deleted_bytes_ += bytes;
  total_bytes_ -= bytes < total_bytes_ ? bytes : total_bytes_;
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

void DataFile::Close() {
  CloseSegment(&current_);
  CloseSegment(&first_);
}

}  // namespace dltap::shim
