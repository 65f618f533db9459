// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_PACK_ROW_CODEC_H_
#define DLTAP_ANALYZER_READER_PACK_ROW_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "shim/trace/decoder.h"

namespace dltap::analyzer {

enum class RowKind : uint8_t { kCalls = 1, kRecords = 2 };

// Turns the payload of a block into columns of small numbers, which a general
// compressor then makes short, and back, byte for byte. Rows are calls or
// records; those of one shape (the same entry point and slots, the same kind
// and length) form columns of 32-bit words, each the difference from the row of
// that shape before. The last rows are kept from block to block, so blocks are
// decoded in the order in which they were encoded.
//
//   varint rows, varint shapes that are new here, their u64s;
//   varint shape number per row;
//   per row: varint of its time's difference;
//   per shape, per word: varints of the differences, one per row of it
class RowCodec {
 public:
  // False, and nothing changed, when the payload is not made of such rows.
  bool Encode(RowKind kind, trace::Bytes payload, std::string& out);

  // Appends `raw_bytes` bytes to `out`. False: damaged.
  bool Decode(RowKind kind, std::string_view encoded, size_t raw_bytes,
              std::vector<uint8_t>& out);

 private:
  struct Shape {
    uint64_t key;
    std::vector<uint32_t> last;  // words of its last row
    std::vector<size_t> rows;    // of this block: offsets in its payload
  };

  static bool KeyAt(RowKind kind, trace::Bytes rest, uint64_t* key,
                    size_t* bytes);
  size_t NumberOf(uint64_t key, size_t bytes);
  uint64_t& LastTime(RowKind kind, Shape& shape);

  std::vector<Shape> shapes_;
  absl::flat_hash_map<uint64_t, size_t> numbers_;
  uint64_t last_call_ = 0;
  absl::flat_hash_map<uint64_t, uint64_t> last_times_;  // by key, of records
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_PACK_ROW_CODEC_H_
