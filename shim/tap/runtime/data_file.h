// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_
#define DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_

#include <cstdint>
#include <span>

#include "shim/tap/runtime/config.h"
#include "shim/trace/layout.h"

namespace dltap::shim {

// What became of a write.
enum class WriteResult : uint8_t { kWritten, kLimitReached, kFailed };

// The process's data file, or its segments: blocks are only ever appended.
// Definitions go to segment 0, which is never deleted; under SizePolicy::kRing
// everything else goes on in further segments, the oldest of which are deleted.
// One thread at a time.
class DataFile {
 public:
  static constexpr uint64_t kSegmentBytes = uint64_t{64} << 20;
  static constexpr uint64_t kAllocationStep = uint64_t{16} << 20;
  static constexpr int kMaxNameBytes = 224;

  // `stem` is the file name without ".dltap". 0 or errno.
  int Create(int dir_fd, const char* stem, const trace::FileHeader& header,
             uint64_t max_bytes, SizePolicy policy);

  WriteResult WriteDefinitions(std::span<const uint8_t> block);
  WriteResult Write(std::span<const uint8_t> block);

  // Appends to the newest segment, also beyond the limit: the end block.
  bool Append(std::span<const uint8_t> block);

  // Gives back what was allocated and not used, and closes.
  void Close();

  const char* name() const { return name_; }
  uint64_t deleted_bytes() const { return deleted_bytes_; }
  int last_error() const { return last_error_; }

 private:
  struct Segment {
    int fd = -1;
    uint64_t inode = 0;
    uint64_t size = 0;
    uint64_t allocated = 0;
    uint32_t number = 0;
  };

  int OpenSegment(uint32_t number, Segment* segment);
  bool Append(Segment* segment, std::span<const uint8_t> block);
  bool Reserve(Segment* segment, uint64_t bytes);
  bool WriteAll(const Segment& segment, std::span<const uint8_t> block);
  bool NextSegment();
  void DeleteOldest();
  void SegmentName(uint32_t number, char* out) const;
  static void CloseSegment(Segment* segment);

  Segment first_;
  Segment current_;  // fd -1: the first one is current
  trace::FileHeader header_ = {};
  uint64_t max_bytes_ = 0;
  uint64_t total_bytes_ = 0;
  uint64_t deleted_bytes_ = 0;
  uint32_t oldest_ = 1;  // first segment that can be deleted
  uint32_t newest_ = 0;
  SizePolicy policy_ = SizePolicy::kStop;
  int dir_fd_ = -1;
  int last_error_ = 0;
  char stem_[kMaxNameBytes] = {};
  char name_[256] = {};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_
