// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DEFINITION_AREA_H_
#define DLTAP_SHIM_TAP_RUNTIME_DEFINITION_AREA_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/trace/encoder.h"
#include "shim/trace/layout.h"

namespace dltap::shim {

// The ring file's area of definitions that are not in the data file yet
// (FORMAT.md, "Ring file"). Any thread appends: without a lock or allocation,
// so that one that is stopped while it writes, wherever that is, holds up
// nobody. The rest is the collector's.
class DefinitionArea {
 public:
  static constexpr uint64_t kBytes = uint64_t{1} << 20;

  // Threads may append from here on. REQUIRES: `bytes`, and head and tail of
  // `header`, are zero.
  void Open(trace::RingFileHeader* header, uint8_t* bytes);

  // Commits a record. False: no room, counted. It is encoded where it stays:
  // the thread may have little stack.
  template <typename Record, typename... Pieces>
  bool Append(const Record& record, const Pieces&... pieces) {
    if (TryAppend(record, pieces...)) return true;
    CountLost();
    return false;
  }
  // The same, not counted: it will be tried again.
  template <typename Record, typename... Pieces>
  bool TryAppend(const Record& record, const Pieces&... pieces) {
    const trace::RecordHeader header = trace::HeaderOf(record, pieces...);
    uint8_t* at = TakeRoom(header.bytes);
    if (at == nullptr) return false;
    trace::RecordBuffer(at, header.bytes).AppendBehindHeader(record, pieces...);
    Commit(at, header);
    return true;
  }
  // The same of encoded ones, all or none.
  bool AppendAll(std::span<const uint8_t> records);
  // Less than half of the room is left.
  bool Crowds() const;

  // The next committed definitions that were not taken yet; empty: none. What
  // threads are still writing is taken later.
  std::span<const uint8_t> Take();
  // What was taken is in the data file.
  void Drop();

 private:
  // Room that a thread had taken and not committed when it was passed. Its size
  // may be that of several, while nobody has told his.
  struct Place {
    uint64_t offset;
    uint64_t bytes;
  };
  static constexpr uint32_t kMaxPlaces = 64;

  // Room that readers pass over until it is committed; nullptr: there is none.
  uint8_t* TakeRoom(size_t bytes);
  void Commit(uint8_t* at, const trace::RecordHeader& header);
  static void CountLost();
  // Bytes from `begin` on that were taken by threads that have not told how
  // much that is.
  uint64_t UntoldBytes(uint64_t begin, uint64_t end) const;
  std::span<const uint8_t> TakeLate();
  // Makes two places of one, the first `bytes` long, where there is room.
  void Cut(uint32_t place, uint64_t bytes);
  // Takes that much off its front.
  void Shorten(uint32_t place, uint64_t bytes);

  uint8_t* bytes_ = nullptr;
  trace::RingFileHeader* header_ = nullptr;  // last of the two: it opens
  uint64_t taken_ = 0;                       // but for what is in places_
  Place places_[kMaxPlaces] = {};            // in order
  uint32_t place_count_ = 0;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DEFINITION_AREA_H_
