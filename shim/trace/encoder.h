// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_ENCODER_H_
#define DLTAP_SHIM_TRACE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "shim/trace/checksum.h"
#include "shim/trace/records.h"

// Writes the trace format into memory that the caller owns. Fit for the host
// process: nothing here allocates, throws, locks or calls but libc's memcpy,
// and nothing needs the C++ library at link time.
namespace dltap::trace {

// Bytes that follow a record's struct: raw (arrays), or a string, which is
// preceded by its length.
struct Piece {
  const void* data;
  uint32_t bytes;
  bool is_string;

  static constexpr Piece String(const char* text, size_t bytes) {
    return {text, static_cast<uint32_t>(bytes), true};
  }
  static constexpr Piece Raw(const void* data, size_t bytes) {
    return {data, static_cast<uint32_t>(bytes), false};
  }
  constexpr size_t encoded_bytes() const {
    return bytes + (is_string ? sizeof(uint32_t) : 0);
  }
};

// Slots that a call record takes.
constexpr uint32_t SlotsFor(uint32_t payload_bytes, bool escaped = false) {
  const uint32_t rest = payload_bytes <= kFirstSlotPayloadBytes
                            ? 0
                            : payload_bytes - kFirstSlotPayloadBytes;
  return 1 + (rest + kSlotBytes - 1) / kSlotBytes + (escaped ? 1 : 0);
}

// The header of such a record, with `bytes` of all of it.
template <typename Record, typename... Pieces>
constexpr RecordHeader HeaderOf(const Record&, const Pieces&... pieces) {
  const size_t used = (sizeof(Record) + ... + pieces.encoded_bytes());
  return {static_cast<uint16_t>(Record::kKind),
          static_cast<uint16_t>(sizeof(Record)),
          static_cast<uint32_t>((used + 7) & ~size_t{7})};
}

// Appends records to a buffer. A record that finds no room changes nothing.
class RecordBuffer {
 public:
  constexpr RecordBuffer(uint8_t* data, size_t capacity)
      : data_(data), capacity_(capacity) {}

  // False: no room, nothing written. `record.header` is filled in here.
  template <typename Record, typename... Pieces>
  bool Append(Record record, const Pieces&... pieces) {
    record.header = HeaderOf(record, pieces...);
    if (record.header.bytes > capacity_ - size_) return false;
    Put(&record.header, sizeof(record.header));
    PutRest(record, pieces...);
    return true;
  }
  // All but its header, which another thread may be looking at.
  // REQUIRES: there is room.
  template <typename Record, typename... Pieces>
  void AppendBehindHeader(const Record& record, const Pieces&... pieces) {
    size_ += sizeof(RecordHeader);
    PutRest(record, pieces...);
  }

  // Bytes as they are: whole call slots.
  bool AppendRaw(const void* bytes, size_t count) {
    if (count > capacity_ - size_) return false;
    Put(bytes, count);
    return true;
  }

  void Clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const uint8_t* data() const { return data_; }

 private:
  void Put(const void* bytes, size_t count) {
    if (count == 0) return;
    std::memcpy(data_ + size_, bytes, count);
    size_ += count;
  }
  void PutPiece(const Piece& piece) {
    if (piece.is_string) Put(&piece.bytes, sizeof(piece.bytes));
    Put(piece.data, piece.bytes);
  }
  template <typename Record, typename... Pieces>
  void PutRest(const Record& record, const Pieces&... pieces) {
    static_assert(std::is_trivially_copyable_v<Record>);
    const size_t end =
        size_ - sizeof(RecordHeader) + HeaderOf(record, pieces...).bytes;
    Put(reinterpret_cast<const uint8_t*>(&record) + sizeof(RecordHeader),
        sizeof(record) - sizeof(RecordHeader));
    (PutPiece(pieces), ...);
    std::memset(data_ + size_, 0, end - size_);
    size_ = end;
  }

  uint8_t* data_;
  size_t capacity_;
  size_t size_ = 0;
};

// A block in one buffer, ready for write(2). The buffer outlives the builder.
class BlockBuilder {
 public:
  // Without a buffer it takes nothing.
  constexpr BlockBuilder() : buffer_(nullptr), records_(nullptr, 0) {}
  // `capacity` is more than a header, at most kMaxBlockPayloadBytes beyond it.
  constexpr BlockBuilder(uint8_t* buffer, size_t capacity)
      : buffer_(buffer),
        records_(buffer + sizeof(BlockHeader), capacity - sizeof(BlockHeader)) {
  }

  template <typename Record, typename... Pieces>
  bool Append(const Record& record, const Pieces&... pieces) {
    return records_.Append(record, pieces...);
  }
  bool AppendSlots(const void* slots, size_t count) {
    return records_.AppendRaw(slots, count * kSlotBytes);
  }
  bool AppendRaw(const void* records, size_t bytes) {
    return records_.AppendRaw(records, bytes);
  }
  bool empty() const { return records_.empty(); }
  size_t payload_bytes() const { return records_.size(); }
  uint8_t* payload() { return buffer_ + sizeof(BlockHeader); }
  void Clear() { records_.Clear(); }

  // The whole block. Valid until the next Append or Clear.
  std::span<const uint8_t> Finish(BlockKind kind,
                                  uint32_t thread_index = kNoIndex,
                                  uint64_t first_slot = 0) {
    BlockHeader header = {};
    header.magic = kBlockMagic;
    header.kind = static_cast<uint16_t>(kind);
    header.payload_bytes = static_cast<uint32_t>(records_.size());
    header.thread_index = thread_index;
    header.first_slot = first_slot;
    header.checksum = Checksum(header, records_.data());
    std::memcpy(buffer_, &header, sizeof(header));
    return {buffer_, sizeof(header) + records_.size()};
  }

 private:
  uint8_t* buffer_;
  RecordBuffer records_;
};

// Fills what is the same in every header of this version, and the checksum.
// The caller sets the rest before.
inline void Seal(FileHeader& header, FileKind kind) {
  std::memcpy(header.magic, kFileMagic, sizeof(kFileMagic));
  header.major_version = kMajorVersion;
  header.minor_version = kMinorVersion;
  header.header_bytes =
      kind == FileKind::kData ? sizeof(FileHeader) : sizeof(RingFileHeader);
  header.file_kind = static_cast<uint8_t>(kind);
  header.checksum = Checksum(header);
}

// A call as plain values, for callers that do not build it in place (the tap's
// call path does).
struct CallFields {
  uint64_t begin_ticks;
  uint64_t duration_ticks;
  uint16_t entry_point;
  uint8_t flags;  // depth and kCall* bits
  const void* payload = nullptr;
  uint32_t payload_bytes = 0;
};

// Writes at most kMaxSlotsPerCall slots to `at`; returns how many.
inline uint32_t EncodeCall(const CallFields& call, CallSlot* at) {
  const bool escaped = call.duration_ticks >= kDurationEscape;
  const uint32_t slots = SlotsFor(call.payload_bytes, escaped);
  std::memset(static_cast<void*>(at), 0, slots * sizeof(CallSlot));
  at->begin_ticks = call.begin_ticks;
  at->duration_ticks =
      escaped ? kDurationEscape : static_cast<uint32_t>(call.duration_ticks);
  at->entry_point = call.entry_point;
  at->slots = static_cast<uint8_t>(slots);
  at->flags = call.flags;
  if (call.payload_bytes > 0) {
    auto* bytes = reinterpret_cast<uint8_t*>(at);
    std::memcpy(bytes + offsetof(CallSlot, payload), call.payload,
                call.payload_bytes);
  }
  if (escaped) {
    std::memcpy(static_cast<void*>(at + slots - 1), &call.duration_ticks,
                sizeof(call.duration_ticks));
  }
  return slots;
}

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_ENCODER_H_
