// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_
#define DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/tap/runtime/config.h"
#include "shim/trace/layout.h"

namespace dltap::shim {

// What became of a write.
enum class WriteResult : uint8_t { kWritten, kLimitReached, kFailed };

// The process's data file, or its segments: blocks are only ever appended.
// Under SizePolicy::kRing the file goes on in further segments of one size, of
// which so many are kept that all of them fit the limit; the caller begins a
// segment before a block that does not fit the current one. One thread at a
// time.
class DataFile {
 public:
  static constexpr uint64_t kUsualSegmentBytes = uint64_t{64} << 20;
  static constexpr uint64_t kMinSegmentBytes = uint64_t{128} << 10;
  static constexpr uint32_t kMaxSegments = 128;
  // Allocated ahead: a quarter of what there is, within these. It stays on the
  // disk if the process ends without a word, as children that fork often do.
  static constexpr uint64_t kLeastAllocationStep = uint64_t{64} << 10;
  static constexpr uint64_t kMostAllocationStep = uint64_t{16} << 20;
  // Kept free at the end of the file, so that a full disk still takes the
  // totals and the end block.
  static constexpr uint64_t kEndReserve = 16 << 10;
  static constexpr int kMaxNameBytes = 224;

  // `stem` is the file name without ".dltap". 0 or errno.
  int Create(int dir_fd, const char* stem, const trace::FileHeader& header,
             uint64_t max_bytes, SizePolicy policy);

  WriteResult Write(std::span<const uint8_t> block);

  // From here to Settle(), blocks lie in `buffer` and go to the file together;
  // one that finds no room in it lets them go first.
  void Gather(std::span<uint8_t> buffer) { gather_ = buffer; }
  // kFailed: some of them are not in the file.
  WriteResult Settle();
  // Meanwhile: what was gathered so far is in the file. False: it is not.
  bool WriteGathered();
  size_t gathered_bytes() const { return gathered_; }

  // Appends also beyond the limit, into the reserve: totals and the end block.
  bool Append(std::span<const uint8_t> block);

  // Bytes that the current segment still takes.
  uint64_t room() const;
  // Goes on in a new segment; the oldest are deleted for it. False: failed.
  bool NextSegment();

  // Gives back what was allocated and not used, and closes.
  void Close();

  const char* name() const { return name_; }
  uint64_t segment_bytes() const { return segment_bytes_; }
  uint64_t deleted_bytes() const { return deleted_bytes_; }
  int last_error() const { return last_error_; }

 private:
  struct Segment {
    uint32_t number = 0;
    int fd = -1;
    uint64_t inode = 0;
    uint64_t size = 0;  // with what is gathered
    uint64_t allocated = 0;
  };

  int OpenSegment(uint32_t number);
  bool IsOurs();
  bool Reserve(uint64_t bytes, uint64_t extra);
  bool WriteAll(std::span<const uint8_t> block);
  bool Put(std::span<const uint8_t> block);
  bool Keep(std::span<const uint8_t> block);
  bool DeleteOldest();
  void SegmentName(uint32_t number, char* out) const;
  static void CloseSegment(Segment* segment);

  trace::FileHeader header_ = {};
  uint64_t max_bytes_ = 0;      // of the file or, in a ring, of all segments
  uint64_t closed_bytes_ = 0;   // on disk, of the segments before the current
  uint64_t segment_bytes_ = 0;  // of one segment; all of the file without ring
  uint64_t deleted_bytes_ = 0;
  uint64_t dir_inode_ = 0;
  Segment current_;
  uint32_t oldest_ = 0;                // segment that is still there
  uint64_t sizes_[kMaxSegments] = {};  // of closed segments, by number
  int dir_fd_ = -1;
  int last_error_ = 0;
  std::span<uint8_t> gather_;
  size_t gathered_ = 0;
  bool has_lost_gathered_ = false;
  char stem_[kMaxNameBytes] = {};
  char name_[256] = {};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DATA_FILE_H_
