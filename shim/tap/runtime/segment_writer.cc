// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/segment_writer.h"

#include <cstring>

#include "shim/tap/runtime/losses.h"
#include "shim/trace/records.h"

namespace dltap::shim {
namespace {

using trace::BlockKind;
using trace::LossKind;
using trace::RecordKind;

// A record together with the definitions that it needs is never larger.
constexpr size_t kLargestStep = size_t{40} << 10;
constexpr uint32_t kNoSegment = ~uint32_t{0};
constexpr size_t kMinFullBytes = size_t{8} << 10;
constexpr size_t kMaxFullBytes = size_t{512} << 10;

trace::RecordHeader HeaderOf(const uint8_t* record) {
  trace::RecordHeader header;
  memcpy(&header, record, sizeof(header));
  return header;
}

// What every segment begins with: the latest of each key.
bool IsPinned(const uint8_t* record, bool has_anchor, DefinitionKey* key) {
  const auto kind = static_cast<RecordKind>(HeaderOf(record).kind);
  *key = {kind, 0};
  switch (kind) {
    case RecordKind::kProcess:
    case RecordKind::kClock:
    case RecordKind::kLibraries:
    case RecordKind::kCommand:
    case RecordKind::kRingName:
    case RecordKind::kSiteMode:
    case RecordKind::kLevel:
    case RecordKind::kDelay: return true;
    case RecordKind::kAnchor: key->id = has_anchor ? 1 : 0; return true;
    case RecordKind::kDevice: {
      uint32_t id;
      memcpy(&id, record + offsetof(trace::DeviceRecord, id), sizeof(id));
      key->id = id;
      return true;
    }
    default: return false;
  }
}

}  // namespace

bool SegmentWriter::Open(DataFile* file, RingFile* rings, uint8_t* buffers) {
  file_ = file;
  result_ = WriteResult::kWritten;
  needed_ = trace::BlockBuilder(buffers, kBufferBytes);
  piece_ = trace::BlockBuilder(buffers + kBufferBytes, kBufferBytes);
  segment_ = 0;
  pinned_used_ = 0;
  pinned_count_ = 0;
  has_anchor_ = false;
  is_last_ = false;
  full_bytes_ = file->segment_bytes() / 8;
  if (full_bytes_ < kMinFullBytes) full_bytes_ = kMinFullBytes;
  if (full_bytes_ > kMaxFullBytes) full_bytes_ = kMaxFullBytes;
  FindReferences();
  return log_.Reset(rings);
}

WriteResult SegmentWriter::WriteRecords(BlockKind kind,
                                        std::span<const uint8_t> records) {
  const BlockId id = {kind};
  while (!records.empty()) {
    if (!Begin()) return result_;
    const auto record = records.first(HeaderOf(records.data()).bytes);
    if (Note(record)) {
      records = records.subspan(record.size());
      continue;
    }
    // Ids are changed in the copy, if at all.
    const size_t at = piece_.payload_bytes();
    piece_.AppendRaw(record.data(), record.size());
    References references;
    const int count = ReferencesOf(piece_.payload() + at, references);
    for (int i = 0; i < count; ++i) Need(references[i]);
    records = records.subspan(record.size());
    if (is_full() && !End(id)) return result_;
  }
  return End(id) ? WriteResult::kWritten : result_;
}

WriteResult SegmentWriter::WriteSlots(uint32_t thread_index,
                                      uint64_t first_slot,
                                      std::span<trace::CallSlot> slots) {
  BlockId id = {BlockKind::kCalls, thread_index, first_slot};
  for (size_t i = 0; i < slots.size();) {
    if (!Begin()) return result_;
    if (piece_.empty()) id.first_slot = first_slot + i;
    size_t length = slots[i].slots > 0 ? slots[i].slots : 1;
    if (length > slots.size() - i) length = slots.size() - i;
    References references;
    const int count = ReferencesOf(&slots[i], references);
    for (int r = 0; r < count; ++r) Need(references[r]);
    piece_.AppendSlots(&slots[i], length);
    i += length;
    if (is_full() && !End(id)) return result_;
  }
  return End(id) ? WriteResult::kWritten : result_;
}

// A piece lies in one segment, with the definitions that it needs.
bool SegmentWriter::Begin() {
  if (is_last_ || !piece_.empty() || !needed_.empty()) return true;
  if (file_->room() >= full_bytes_ + kLargestStep) return true;
  return BeginSegment();
}

bool SegmentWriter::BeginSegment() {
  if (!file_->NextSegment()) {
    result_ = WriteResult::kFailed;
    return false;
  }
  ++segment_;
  for (int i = 0; i < pinned_count_; ++i) {
    needed_.AppendRaw(pinned_bytes_ + pinned_[i].offset, pinned_[i].bytes);
  }
  return End({BlockKind::kDefinitions});
}

bool SegmentWriter::End(const BlockId& id) {
  if (!needed_.empty() &&
      !WriteBlock(needed_.Finish(BlockKind::kDefinitions))) {
    return false;
  }
  needed_.Clear();
  if (!piece_.empty() &&
      !WriteBlock(piece_.Finish(id.kind, id.thread_index, id.first_slot))) {
    return false;
  }
  piece_.Clear();
  return true;
}

void SegmentWriter::BeginLast() {
  if (is_last_) return;
  is_last_ = true;
  piece_.Clear();
  needed_.Clear();
  ++segment_;  // nobody knows which definitions were written
}

bool SegmentWriter::WriteBlock(std::span<const uint8_t> block) {
  if (is_last_) return file_->Append(block);
  const WriteResult result = file_->Write(block);
  if (result != WriteResult::kWritten) result_ = result;
  return result == WriteResult::kWritten;
}

// True: it waits in the log until a record needs it.
bool SegmentWriter::Note(std::span<const uint8_t> record) {
  DefinitionKey key;
  if (IsPinned(record.data(), has_anchor_, &key)) {
    has_anchor_ |= key.kind == RecordKind::kAnchor;
    Pin(key, record);
  } else if (KeyOf(record, &key)) {
    // Few of the functions that are known are ever called.
    const bool waits = key.kind == RecordKind::kEntryPoint;
    Definition* kept = log_.Keep(key, record, segment_);
    if (kept != nullptr) {
      kept->segment = waits ? kNoSegment : segment_;
      return waits;
    }
    CountLoss(LossKind::kDefinitionLost);
  }
  return false;
}

void SegmentWriter::Pin(const DefinitionKey& key,
                        std::span<const uint8_t> record) {
  for (int i = 0; i < pinned_count_; ++i) {
    Pinned& old = pinned_[i];
    if (!(old.key == key)) continue;
    const uint32_t end = old.offset + old.bytes;
    memmove(pinned_bytes_ + old.offset, pinned_bytes_ + end,
            pinned_used_ - end);
    pinned_used_ -= old.bytes;
    const uint32_t bytes = old.bytes;
    for (int j = i + 1; j < pinned_count_; ++j) {
      pinned_[j].offset -= bytes;
      pinned_[j - 1] = pinned_[j];
    }
    --pinned_count_;
    break;
  }
  if (pinned_count_ == kMaxPinned ||
      record.size() > kPinnedBytes - pinned_used_) {
    CountLoss(LossKind::kDefinitionLost);
    return;
  }
  pinned_[pinned_count_++] = {key, pinned_used_,
                              static_cast<uint32_t>(record.size())};
  memcpy(pinned_bytes_ + pinned_used_, record.data(), record.size());
  pinned_used_ += static_cast<uint32_t>(record.size());
}

void SegmentWriter::Need(const Reference& reference) {
  Definition* definition = log_.Find(reference.key);
  if (definition != nullptr) return Repeat(definition);
  switch (reference.key.kind) {
    case RecordKind::kText:
    case RecordKind::kOperation:
    case RecordKind::kKernelVariant:
      memset(reference.at, 0, reference.width);
      CountLoss(LossKind::kDefinitionLost);
      break;
    default: break;  // a reader does without
  }
}

void SegmentWriter::Repeat(Definition* definition) {
  if (definition->segment == segment_) return;
  definition->segment = segment_;
  References references;
  const int count = ReferencesOf(definition->at, references);
  for (int i = 0; i < count; ++i) Need(references[i]);
  needed_.AppendRaw(definition->at, definition->bytes);
}

}  // namespace dltap::shim
