// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SEGMENT_WRITER_H_
#define DLTAP_SHIM_TAP_RUNTIME_SEGMENT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/tap/runtime/data_file.h"
#include "shim/tap/runtime/definition_log.h"
#include "shim/tap/runtime/record_references.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {

// Writes a trace of which only the newest segments are kept. Whatever is left
// explains itself: before records that name definitions which their segment
// does not have yet, it repeats them there; and each segment begins with what
// explains the process (its clock, devices, command, level). Collector only.
class SegmentWriter {
 public:
  static constexpr size_t kBufferBytes = size_t{1} << 20;

  // Needs two buffers of that size. False: no memory.
  bool Open(DataFile* file, RingFile* rings, uint8_t* buffers);

  WriteResult WriteRecords(trace::BlockKind kind,
                           std::span<const uint8_t> records);
  // Ids whose definitions are gone are set to 0 in `slots`, and counted.
  WriteResult WriteSlots(uint32_t thread_index, uint64_t first_slot,
                         std::span<trace::CallSlot> slots);

  // A write has failed, and the trace ends: what follows goes to the reserve at
  // the end of the file, with the definitions that it needs.
  void BeginLast();

  // Counts segments; what is cumulative is written again in each.
  uint32_t segment() const { return segment_; }
  bool TakeForgotten() { return log_.TakeForgotten(); }

 private:
  // Records that each segment begins with: one of a kind and id.
  static constexpr size_t kPinnedBytes = size_t{48} << 10;

  static constexpr int kMaxPinned = 64;

  struct Pinned {
    DefinitionKey key;
    uint32_t offset;
    uint32_t bytes;
  };
  struct BlockId {
    trace::BlockKind kind;
    uint32_t thread_index = trace::kNoIndex;
    uint64_t first_slot = 0;
  };

  bool Begin();
  bool BeginSegment();
  bool End(const BlockId& id);
  bool WriteBlock(std::span<const uint8_t> block);
  bool is_full() const {
    return piece_.payload_bytes() + needed_.payload_bytes() >= full_bytes_;
  }
  bool Note(std::span<const uint8_t> record);
  void Pin(const DefinitionKey& key, std::span<const uint8_t> record);
  void Need(const Reference& reference);
  void Repeat(Definition* definition);

  DataFile* file_ = nullptr;
  WriteResult result_ = WriteResult::kWritten;  // of the last failure
  DefinitionLog log_;
  trace::BlockBuilder needed_;  // go first
  trace::BlockBuilder piece_;
  uint32_t segment_ = 0;
  size_t full_bytes_ = 0;
  uint32_t pinned_used_ = 0;
  int pinned_count_ = 0;
  bool is_last_ = false;
  bool has_anchor_ = false;  // the first one stays, beside the last
  Pinned pinned_[kMaxPinned] = {};
  uint8_t pinned_bytes_[kPinnedBytes] = {};
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SEGMENT_WRITER_H_
