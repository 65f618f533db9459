// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_TRACE_BYTES_H_
#define DLTAP_TESTS_SUPPORT_TRACE_BYTES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shim/trace/encoder.h"
#include "vocabulary.h"

namespace dltap::trace {

// A data file in memory, written by the encoder.
class TraceBytes {
 public:
  explicit TraceBytes(uint64_t pid = 42, uint32_t segment = 0,
                      ClockKind clock = ClockKind::kTsc) {
    FileHeader header = {};
    header.pid = pid;
    header.segment = segment;
    header.clock = static_cast<uint8_t>(clock);
    Seal(header, FileKind::kData);
    Add({reinterpret_cast<const uint8_t*>(&header), sizeof(header)});
  }

  template <typename Record, typename... Pieces>
  TraceBytes& Put(BlockKind kind, const Record& record,
                  const Pieces&... pieces) {
    BlockBuilder builder(buffer_.data(), buffer_.size());
    builder.Append(record, pieces...);
    Add(builder.Finish(kind));
    return *this;
  }
  TraceBytes& Text(uint32_t id, std::string_view text) {
    TextRecord record = {};
    record.id = id;
    return Put(BlockKind::kDefinitions, record,
               Piece::String(text.data(), text.size()));
  }
  // A function whose payload is `args`: name, offset, width.
  struct Arg {
    std::string_view name;
    uint8_t offset;
    uint8_t width;
    specs::ArgKind kind = specs::ArgKind::kInt;
    specs::Meaning meaning = specs::Meaning::kNone;
  };
  TraceBytes& Entry(uint16_t id, std::string_view symbol,
                    const std::vector<Arg>& args = {}) {
    EntryPointRecord record = {};
    record.id = id;
    record.arg_count = static_cast<uint8_t>(args.size());
    std::vector<ArgRecord> layout;
    std::string names;
    for (const Arg& arg : args) {
      layout.push_back({arg.offset, arg.width, static_cast<uint8_t>(arg.kind),
                        static_cast<uint8_t>(arg.meaning)});
      record.payload_bytes = static_cast<uint8_t>(
          std::max<int>(record.payload_bytes, arg.offset + arg.width));
      const auto bytes = static_cast<uint32_t>(arg.name.size());
      names.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
      names.append(arg.name);
    }
    return Put(BlockKind::kDefinitions, record,
               Piece::Raw(layout.data(), layout.size() * sizeof(ArgRecord)),
               Piece::String(symbol.data(), symbol.size()),
               Piece::String("", 0), Piece::Raw(names.data(), names.size()));
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

#endif  // DLTAP_TESTS_SUPPORT_TRACE_BYTES_H_
