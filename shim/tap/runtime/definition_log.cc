// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/definition_log.h"

#include <sys/mman.h>

#include <cstring>

namespace dltap::shim {
namespace {

constexpr uint32_t kFirstCapacity = 1u << 13;
constexpr uint32_t kMaxCapacity = 1u << 18;
static_assert(DefinitionLog::kMaxDefinitions <= kMaxCapacity / 4 * 3);

Definition* MapTable(uint32_t capacity) {
  void* memory =
      mmap(nullptr, capacity * sizeof(Definition), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Definition*>(memory);
}

void UnmapTable(Definition* table, uint32_t capacity) {
  if (table != nullptr) munmap(table, capacity * sizeof(Definition));
}

uint64_t HashOf(const DefinitionKey& key) {
  uint64_t hash =
      (key.id ^ static_cast<uint64_t>(key.kind) << 56) * 0xD6E8FEB86659FD93ull;
  hash ^= hash >> 32;
  return hash * 0x9E3779B97F4A7C15ull >> 32;
}

}  // namespace

bool DefinitionLog::Reset(RingFile* file) {
  UnmapTable(table_, capacity_);
  *this = DefinitionLog{};
  file_ = file;
  return Grow(kFirstCapacity);
}

// Moves what is alive to a table of that capacity.
bool DefinitionLog::Grow(uint32_t capacity) {
  Definition* old = table_;
  const uint32_t old_capacity = capacity_;
  Definition* table = MapTable(capacity);
  if (table == nullptr) return false;
  table_ = table;
  capacity_ = capacity;
  count_ = 0;
  for (uint32_t i = 0; i < old_capacity; ++i) {
    if (old[i].at == nullptr || old[i].bytes == 0) continue;
    *Place(old[i].key) = old[i];
    ++count_;
  }
  UnmapTable(old, old_capacity);
  return true;
}

Definition* DefinitionLog::Place(const DefinitionKey& key) {
  uint32_t i = static_cast<uint32_t>(HashOf(key)) & (capacity_ - 1);
  while (table_[i].at != nullptr && !(table_[i].key == key)) {
    i = (i + 1) & (capacity_ - 1);
  }
  return &table_[i];
}

Definition* DefinitionLog::Find(const DefinitionKey& key) {
  Definition* found = Place(key);
  return found->at != nullptr && found->bytes != 0 ? found : nullptr;
}

Definition* DefinitionLog::Keep(const DefinitionKey& key,
                                std::span<const uint8_t> record,
                                uint32_t segment) {
  Definition* known = Find(key);
  if (known != nullptr && known->bytes == record.size() &&
      memcmp(known->at, record.data(), record.size()) == 0) {
    return known;
  }
  if (!MakeRoom(segment)) return nullptr;
  uint8_t* at = Append(record, segment);
  if (at == nullptr) return nullptr;
  Definition* place = Place(key);
  if (place->at == nullptr) ++count_;
  *place = {key, segment, static_cast<uint32_t>(record.size()), at};
  return place;
}

bool DefinitionLog::MakeRoom(uint32_t segment) {
  if (count_ < capacity_ / 4 * 3) return true;
  if (capacity_ < kMaxCapacity) return Grow(capacity_ * 2);
  for (uint32_t i = 0; i < RingFile::kLogChunks; ++i) {
    if (!NextChunk(segment)) return false;
    if (count_ < capacity_ / 4 * 3) return true;
  }
  return false;
}

uint8_t* DefinitionLog::Append(std::span<const uint8_t> record,
                               uint32_t segment) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    uint8_t* at = file_->AppendToLog(chunk_, record);
    if (at != nullptr) return at;
    if (!NextChunk(segment)) break;
  }
  return nullptr;
}

// Goes on in an unused chunk. One is always kept free for the survivors of the
// oldest, which is cleaned when there is no other.
bool DefinitionLog::NextChunk(uint32_t segment) {
  constexpr uint32_t kChunks = RingFile::kLogChunks;
  const uint32_t next = (chunk_ + 1) % kChunks;
  const uint32_t oldest = (chunk_ + 2) % kChunks;
  if (!file_->PrepareLogChunk(next)) return false;
  chunk_ = next;
  Clean(oldest, next, segment);
  return true;
}

// Copies the entry points, and what the last two segments have used as far as
// it fills no more than half of the spare chunk; the rest is forgotten.
void DefinitionLog::Clean(uint32_t chunk, uint32_t spare, uint32_t segment) {
  const std::span<const uint8_t> records = file_->LogChunk(chunk);
  if (records.empty()) return;
  uint64_t survived = 0;
  for (uint32_t i = 0; i < capacity_; ++i) {
    Definition& definition = table_[i];
    if (definition.at < records.data() ||
        definition.at >= records.data() + records.size()) {
      continue;
    }
    const bool is_used = uint64_t{definition.segment} + 1 >= segment;
    const bool must_stay =
        definition.key.kind == trace::RecordKind::kEntryPoint;
    const bool keep = must_stay || (is_used && survived + definition.bytes <=
                                                   records.size() / 2);
    uint8_t* copy =
        keep ? file_->AppendToLog(spare, definition.record()) : nullptr;
    if (copy != nullptr) {
      definition.at = copy;
      survived += definition.bytes;
    } else {
      definition.bytes = 0;
      forgotten_ = true;
    }
  }
  file_->ClearLogChunk(chunk);
  // Without memory the dead stay in the table, found by nobody.
  Grow(capacity_);
}

bool DefinitionLog::TakeForgotten() {
  const bool forgotten = forgotten_;
  forgotten_ = false;
  return forgotten;
}

}  // namespace dltap::shim
