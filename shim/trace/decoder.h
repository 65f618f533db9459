// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_DECODER_H_
#define DLTAP_SHIM_TRACE_DECODER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "shim/trace/records.h"

// Reads what encoder.h writes, for the analyzer. Input is hostile: nothing is
// believed before its bounds are checked, and nothing is allocated.
namespace dltap::trace {

enum class DecodeStatus : uint8_t {
  kOk,
  kEndOfTrace,  // no more
  kTruncated,   // the writer died here; normal, nothing follows
  kCorrupt,     // wrong bytes; what follows may still be good
};

using Bytes = std::span<const uint8_t>;

enum class HeaderStatus : uint8_t {
  kOk,
  kTooShort,    // cut within the header
  kNotATrace,   // other magic
  kNewerMajor,  // of a newer dltap
  kCorrupt,     // checksum or fields
};

HeaderStatus ReadFileHeader(Bytes file, FileHeader* header);

struct Block {
  BlockHeader header;
  Bytes payload;
  uint64_t offset;  // of the header, in the file
};

// Walks the blocks of a data file. The file's bytes outlive it.
//
// After kCorrupt the next call goes on at the next good block, wherever that
// is; after kTruncated and kEndOfTrace there is none.
class BlockReader {
 public:
  BlockReader(Bytes file, uint64_t first_block);

  DecodeStatus Next(Block* block);

  uint64_t offset() const { return offset_; }  // where the next one begins
  uint64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  enum class Candidate : uint8_t { kGood, kBad, kTorn };

  Candidate TryAt(uint64_t offset, Block* block);
  bool ZeroFrom(uint64_t offset);
  bool Resync();

  Bytes file_;
  uint64_t offset_;
  uint64_t skipped_bytes_ = 0;
  uint64_t zero_tail_;        // from here to the end all bytes are 0
  uint64_t checksum_budget_;  // bytes that resynchronising may still hash
};

// Strings and arrays behind a record's struct, in order.
class TailReader {
 public:
  explicit TailReader(Bytes tail) : rest_(tail) {}

  // False, and *out untouched, when the record is too short for it.
  bool Read(void* out, size_t bytes);
  bool String(std::string_view* out);

 private:
  Bytes rest_;
};

// One record, its bounds checked.
struct RecordView {
  RecordHeader header = {};
  Bytes bytes;          // all of it
  uint64_t offset = 0;  // in the payload

  RecordKind kind() const { return static_cast<RecordKind>(header.kind); }

  // The struct; what an older writer did not know is 0.
  template <typename Record>
  Record As() const {
    if (header.fixed_bytes >= sizeof(Record)) {
      Record record;
      std::memcpy(&record, bytes.data(), sizeof(record));
      return record;
    }
    Record record = {};
    std::memcpy(&record, bytes.data(), header.fixed_bytes);
    return record;
  }
  TailReader tail() const {
    return TailReader(bytes.subspan(header.fixed_bytes));
  }
};

// Walks the records of a block, or of a ring file's definition area.
class RecordReader {
 public:
  explicit RecordReader(Bytes payload) : payload_(payload) {}

  DecodeStatus Next(RecordView* record) {
    const size_t left = payload_.size() - offset_;
    if (left == 0) return DecodeStatus::kEndOfTrace;
    RecordHeader header;
    if (left < sizeof(header)) return DecodeStatus::kCorrupt;
    const uint8_t* at = payload_.data() + offset_;
    std::memcpy(&header, at, sizeof(header));
    if (header.bytes > left || header.bytes % kRecordAlignment != 0 ||
        header.fixed_bytes < sizeof(header) ||
        header.fixed_bytes > header.bytes) {
      return DecodeStatus::kCorrupt;
    }
    *record = {header, {at, header.bytes}, offset_};
    offset_ += header.bytes;
    return DecodeStatus::kOk;
  }

 private:
  static constexpr uint64_t kRecordAlignment = 8;

  Bytes payload_;
  size_t offset_ = 0;
};

// One call, or special slot, as views into the block.
struct CallView {
  uint64_t begin_ticks;
  uint64_t duration_ticks;
  uint16_t entry_point;
  uint8_t flags;
  uint8_t slots;
  Bytes payload;  // as many bytes as the slots hold

  // The payload of a special slot.
  template <typename Payload>
  Payload As() const {
    static_assert(sizeof(Payload) <= kFirstSlotPayloadBytes);
    Payload value;
    std::memcpy(&value, payload.data(), sizeof(value));
    return value;
  }
};

// Hot path of the analyzer: walks the slots of a kCalls block.
class CallReader {
 public:
  explicit CallReader(Bytes slots) : slots_(slots) {}

  DecodeStatus Next(CallView* call) {
    const size_t left = slots_.size() - offset_;
    if (left < kSlotBytes) {
      return left == 0 ? DecodeStatus::kEndOfTrace : DecodeStatus::kCorrupt;
    }
    CallSlot slot;
    const uint8_t* at = slots_.data() + offset_;
    std::memcpy(&slot, at, sizeof(slot));
    const size_t bytes = size_t{slot.slots} * kSlotBytes;
    const bool escaped = slot.duration_ticks == kDurationEscape;
    if (slot.slots < (escaped ? 2 : 1) || slot.slots > kMaxSlotsPerCall ||
        bytes > left) {
      return DecodeStatus::kCorrupt;
    }
    call->begin_ticks = slot.begin_ticks;
    call->duration_ticks = slot.duration_ticks;
    call->entry_point = slot.entry_point;
    call->flags = slot.flags;
    call->slots = slot.slots;
    const size_t end = bytes - (escaped ? kSlotBytes : 0);
    call->payload = {at + offsetof(CallSlot, payload),
                     end - offsetof(CallSlot, payload)};
    if (escaped) {
      std::memcpy(&call->duration_ticks, at + end,
                  sizeof(call->duration_ticks));
    }
    offset_ += bytes;
    return DecodeStatus::kOk;
  }

  size_t offset() const { return offset_; }

 private:
  Bytes slots_;
  size_t offset_ = 0;
};

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_DECODER_H_
