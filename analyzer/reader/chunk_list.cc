// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/chunk_list.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

namespace dltap::analyzer {
namespace {

using trace::Bytes;
using trace::DecodeStatus;
using trace::kSlotBytes;
using trace::LossKind;

// The part of `bytes` at [offset, offset + size), or nothing.
Bytes Part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

template <typename T>
bool Load(Bytes bytes, uint64_t offset, T* out) {
  const Bytes part = Part(bytes, offset, sizeof(T));
  if (part.empty()) return false;
  std::memcpy(out, part.data(), sizeof(T));
  return true;
}

bool IsFree(const trace::RingHeader& ring) {
  return ring.state == static_cast<uint32_t>(trace::RingState::kFree);
}

std::filesystem::path FolderOf(const TraceFile& file) {
  return std::filesystem::path(file.file.path()).parent_path();
}

}  // namespace

ChunkList::ChunkList(const ProcessFiles& files, LossCounts& losses,
                     std::vector<std::string>* problems)
    : losses_(losses), problems_(problems) {
  for (size_t i = 0; i < files.data.size(); ++i) {
    from_the_start_ &= files.data[i].header.segment == i;
    AddData(files.data[i]);
  }
  for (const TraceFile& ring : files.rings) {
    AddRings(ring,
             files.data.empty() || FolderOf(ring) == FolderOf(files.data[0]));
  }
}

void ChunkList::AddData(const TraceFile& file) {
  trace::BlockReader blocks(file.file.bytes(), file.header.header_bytes);
  trace::Block block;
  PageReleaser pages;
  while (true) {
    const uint64_t at = blocks.offset();
    pages.Passed(file.file, at);
    switch (blocks.Next(&block)) {
      case DecodeStatus::kEndOfTrace: return;
      case DecodeStatus::kTruncated: losses_.Add(LossKind::kTornBlock); return;
      case DecodeStatus::kCorrupt:
        losses_.Add(LossKind::kCorruptBlock);
        problems_->push_back(file.file.path() + ": bad block at byte " +
                             std::to_string(at) + ", left out " +
                             std::to_string(blocks.offset() - at) + " bytes");
        continue;
      case DecodeStatus::kOk: break;
    }
    Chunk chunk = {
        block.header.kind == static_cast<uint16_t>(trace::BlockKind::kCalls),
        block.header.thread_index, block.payload, &file.file,
        block.offset + sizeof(trace::BlockHeader)};
    if (chunk.is_calls) {
      AddSlots(chunk, block.header.first_slot);
    } else {
      chunks_.push_back(chunk);
    }
  }
}

void ChunkList::AddSlots(Chunk chunk, uint64_t first_slot) {
  const uint64_t slots = chunk.bytes.size() / kSlotBytes;
  const auto [it, is_first] =
      next_slot_.try_emplace(chunk.thread_index, first_slot);
  uint64_t& next = it->second;
  if (is_first && from_the_start_) next = 0;
  if (first_slot > next) {
    losses_.Add(LossKind::kMissingSlots, first_slot - next);
  }
  const uint64_t known = first_slot < next ? next - first_slot : 0;
  if (known >= slots) return;
  chunk.bytes = chunk.bytes.subspan(known * kSlotBytes);
  chunk.offset += known * kSlotBytes;
  next = first_slot + slots;
  chunks_.push_back(chunk);
}

void ChunkList::AddRings(const TraceFile& file, bool is_beside) {
  trace::RingFileHeader header;
  if (!Load(file.file.bytes(), 0, &header)) {
    return losses_.Add(LossKind::kTornBlock);
  }
  const std::vector<trace::RingHeader> rings =
      RingsOf(file.file.bytes(), header);
  if (!is_beside && IsOfLaterState(rings)) return;
  AddLog(file, header);
  AddDefinitions(file, header);
  for (const trace::RingHeader& ring : rings) {
    dropped_calls_ += ring.dropped;
    if (IsFree(ring)) continue;
    AddRing(file, ring);
    if (ring.open_call == 0) continue;
    open_slots_.push_back({ring.thread_index,
                           static_cast<uint16_t>(ring.open_call),
                           ring.open_call & ~uint64_t{0xFFFF}});
  }
}

// In order of threads, then of slots: a thread that moved to a larger ring has
// two, anywhere in the table.
std::vector<trace::RingHeader> ChunkList::RingsOf(
    Bytes bytes, const trace::RingFileHeader& header) {
  std::vector<trace::RingHeader> rings;
  if (header.ring_header_bytes < sizeof(trace::RingHeader)) return rings;
  for (uint64_t i = 0; i < header.ring_count; ++i) {
    trace::RingHeader ring;
    const uint64_t at = header.rings_offset + i * header.ring_header_bytes;
    if (!Load(bytes, at, &ring)) break;
    rings.push_back(ring);
  }
  std::sort(rings.begin(), rings.end(), [](const auto& a, const auto& b) {
    return std::pair(a.thread_index, a.tail) <
           std::pair(b.thread_index, b.tail);
  });
  return rings;
}

// Data files may be copies (`dltap ctl snapshot`, cp) of a process that went
// on: its ring then holds what follows calls that the copies lack, which are
// not lost.
bool ChunkList::IsOfLaterState(
    const std::vector<trace::RingHeader>& rings) const {
  if (losses_.of(LossKind::kCorruptBlock) != 0 ||
      losses_.of(LossKind::kTornBlock) != 0) {
    return false;
  }
  absl::flat_hash_map<uint32_t, uint64_t> next = next_slot_;
  for (const trace::RingHeader& ring : rings) {
    if (IsFree(ring)) continue;
    const auto [it, is_new] =
        next.try_emplace(ring.thread_index, from_the_start_ ? 0 : ring.tail);
    if (ring.tail > it->second) return true;
    it->second = std::max(it->second, ring.head);
  }
  return false;
}

// Rows of committed ones: what a thread was writing is passed over, also where
// it had not even told how much that would be, which is then zero.
void ChunkList::AddDefinitions(const TraceFile& file,
                               const trace::RingFileHeader& header) {
  constexpr size_t kLeast = sizeof(trace::RecordHeader);
  const uint64_t head = header.definitions_head;
  const uint64_t tail = header.definitions_tail;
  if (head > header.definitions_capacity || tail > head) return;
  const uint64_t offset = header.definitions_offset + tail;
  const Bytes area = Part(file.file.bytes(), offset, head - tail);
  size_t begin = 0;
  const auto add_until = [&](size_t end) {
    if (end == begin) return;
    chunks_.push_back({false, trace::kNoIndex, area.subspan(begin, end - begin),
                       &file.file, offset + begin});
  };
  size_t at = 0;
  for (trace::RecordHeader next; Load(area, at, &next);) {
    const bool is_unwritten =
        next.kind == static_cast<uint16_t>(trace::RecordKind::kUnwritten);
    const size_t bytes = is_unwritten && next.bytes == 0 ? kLeast : next.bytes;
    if (bytes < kLeast || bytes % kLeast != 0 || bytes > area.size() - at) {
      at = area.size();  // for the reader to tell
      break;
    }
    if (is_unwritten) {
      add_until(at);
      begin = at + bytes;
    }
    at += bytes;
  }
  add_until(at);
}

// What a killed process had defined for segments that are gone.
void ChunkList::AddLog(const TraceFile& file,
                       const trace::RingFileHeader& header) {
  for (uint64_t i = 0; i < header.log_chunks; ++i) {
    trace::DefinitionChunk chunk;
    if (!Load(file.file.bytes(), header.log_offset + i * sizeof(chunk),
              &chunk)) {
      break;
    }
    const Bytes records = Part(file.file.bytes(), chunk.offset, chunk.bytes);
    if (chunk.offset == 0 || records.empty()) continue;
    chunks_.push_back(
        {false, trace::kNoIndex, records, &file.file, chunk.offset});
  }
}

void ChunkList::AddRing(const TraceFile& file, const trace::RingHeader& ring) {
  if (ring.head <= ring.tail || ring.capacity_slots == 0 ||
      ring.tail < ring.base) {
    return;
  }
  uint64_t first = ring.tail;
  if (ring.head - first > ring.capacity_slots) {
    losses_.Add(LossKind::kMissingSlots,
                ring.head - first - ring.capacity_slots);
    first = ring.head - ring.capacity_slots;
  }
  const Bytes area = Part(file.file.bytes(), ring.data_offset,
                          uint64_t{ring.capacity_slots} * kSlotBytes);
  if (area.empty()) return losses_.Add(LossKind::kTornBlock);
  const uint64_t count = ring.head - first;
  const uint64_t start = (first - ring.base) % ring.capacity_slots;
  const uint64_t straight = std::min(count, ring.capacity_slots - start);
  Bytes slots = area.subspan(start * kSlotBytes, straight * kSlotBytes);
  if (straight < count) {
    std::vector<uint8_t>& joined =
        unwrapped_.emplace_back(slots.begin(), slots.end());
    const Bytes rest = area.first((count - straight) * kSlotBytes);
    joined.insert(joined.end(), rest.begin(), rest.end());
    slots = joined;
  }
  AddSlots({true, ring.thread_index, slots, &file.file,
            ring.data_offset + start * kSlotBytes},
           first);
}

}  // namespace dltap::analyzer
