// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_TRACE_TRACE_BYTES_H_
#define DLTAP_TESTS_UNIT_TRACE_TRACE_BYTES_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shim/trace/encoder.h"

namespace dltap::trace {

// A data file in memory, written by the encoder.
class TraceBytes {
 public:
  TraceBytes() {
    FileHeader header = {};
    header.pid = 42;
    header.clock = static_cast<uint8_t>(ClockKind::kTsc);
    Seal(header, FileKind::kData);
    Add({reinterpret_cast<const uint8_t*>(&header), sizeof(header)});
  }

  template <typename Record, typename... Pieces>
  TraceBytes& Record1(BlockKind kind, const Record& record,
                      const Pieces&... pieces) {
    BlockBuilder builder(buffer_.data(), buffer_.size());
    builder.Append(record, pieces...);
    Add(builder.Finish(kind));
    return *this;
  }
  TraceBytes& Text(uint32_t id, std::string_view text) {
    TextRecord record = {};
    record.id = id;
    return Record1(BlockKind::kDefinitions, record,
                   Piece::String(text.data(), text.size()));
  }
  // Calls of one thread, as one block.
  TraceBytes& Calls(uint32_t thread, uint64_t first_slot,
                    const std::vector<CallFields>& calls) {
    BlockBuilder builder(buffer_.data(), buffer_.size());
    for (const CallFields& call : calls) {
      std::array<CallSlot, kMaxSlotsPerCall> slots;
      builder.AppendSlots(slots.data(), EncodeCall(call, slots.data()));
    }
    Add(builder.Finish(BlockKind::kCalls, thread, first_slot));
    return *this;
  }
  void Add(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(64 << 10);
};

}  // namespace dltap::trace

#endif  // DLTAP_TESTS_UNIT_TRACE_TRACE_BYTES_H_
