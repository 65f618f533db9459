// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_CHUNK_LIST_H_
#define DLTAP_ANALYZER_READER_CHUNK_LIST_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/reader/loss_counts.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {

// A run of records, or of one thread's slots, whose checksum was right.
struct Chunk {
  bool is_calls;
  uint32_t thread_index;  // of calls
  trace::Bytes bytes;
  const MappedFile* file;  // that holds the bytes, or their ring
  uint64_t offset;         // of the bytes, in the file
};

// A ring's open-call word, taken apart.
struct OpenSlot {
  uint32_t thread_index;
  uint16_t entry_point;
  uint64_t begin_ticks;  // its low 16 bits are unknown, and 0
};

// Everything that one process committed, in order: the blocks of its data
// files, then what its ring files still hold. The files outlive it.
class ChunkList {
 public:
  ChunkList(const ProcessFiles& files, LossCounts& losses,
            std::vector<std::string>* problems);

  const std::vector<Chunk>& chunks() const { return chunks_; }
  const std::vector<OpenSlot>& open_slots() const { return open_slots_; }

  // Calls that found their ring full. A killed process has not written the
  // last of them as losses.
  uint64_t dropped_calls() const { return dropped_calls_; }

 private:
  void AddData(const TraceFile& file);
  void AddRings(const TraceFile& file, bool is_beside);
  static std::vector<trace::RingHeader> RingsOf(
      trace::Bytes bytes, const trace::RingFileHeader& header);
  bool IsOfLaterState(const std::vector<trace::RingHeader>& rings) const;
  void AddDefinitions(const TraceFile& file,
                      const trace::RingFileHeader& header);
  void AddLog(const TraceFile& file, const trace::RingFileHeader& header);
  void AddRing(const TraceFile& file, const trace::RingHeader& ring);
  // Slots that an earlier block holds already are left out; a hole is counted.
  void AddSlots(Chunk chunk, uint64_t first_slot);

  LossCounts& losses_;
  std::vector<std::string>* problems_;
  std::vector<Chunk> chunks_;
  std::vector<OpenSlot> open_slots_;
  absl::flat_hash_map<uint32_t, uint64_t> next_slot_;  // by thread
  std::deque<std::vector<uint8_t>> unwrapped_;  // ring contents made straight
  uint64_t dropped_calls_ = 0;
  bool from_the_start_ = true;  // no segment is missing
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_CHUNK_LIST_H_
