// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DEFINITION_LOG_H_
#define DLTAP_SHIM_TAP_RUNTIME_DEFINITION_LOG_H_

#include <cstdint>
#include <span>

#include "shim/tap/runtime/ring_file.h"
#include "shim/trace/record_header.h"

namespace dltap::shim {

// What a definition explains: a kind and an id (or handle, or node).
struct DefinitionKey {
  trace::RecordKind kind;
  uint64_t id;

  bool operator==(const DefinitionKey&) const = default;
};

// A kept definition, and the last segment that repeats it.
struct Definition {
  DefinitionKey key;
  uint32_t segment;
  uint32_t bytes;
  uint8_t* at;  // the encoded record; nullptr: a free place of the table

  std::span<const uint8_t> record() const { return {at, bytes}; }
};

// The definitions of a trace whose old segments are deleted, for later segments
// to repeat. The records lie in the ring file, so that a killed process leaves
// them too; the table is the process's own. Bounded: when it is full, what no
// segment has used lately is dropped, and whoever gave out those ids must
// define anew. Collector only.
class DefinitionLog {
 public:
  static constexpr uint32_t kMaxDefinitions = 3u << 16;

  // Forgets everything; goes on in that ring file. False: no memory.
  bool Reset(RingFile* file);

  // The newest record of a key counts. nullptr: no room, or no memory.
  Definition* Keep(const DefinitionKey& key, std::span<const uint8_t> record,
                   uint32_t segment);
  Definition* Find(const DefinitionKey& key);

  // Whether something was dropped since the last time.
  bool TakeForgotten();

 private:
  bool Grow(uint32_t capacity);
  Definition* Place(const DefinitionKey& key);
  bool MakeRoom(uint32_t segment);
  uint8_t* Append(std::span<const uint8_t> record, uint32_t segment);
  bool NextChunk(uint32_t segment);
  void Clean(uint32_t chunk, uint32_t spare, uint32_t segment);

  RingFile* file_ = nullptr;
  Definition* table_ = nullptr;  // open addressing
  uint32_t capacity_ = 0;
  uint32_t count_ = 0;
  uint32_t chunk_ = 0;  // that is being filled
  bool forgotten_ = false;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DEFINITION_LOG_H_
