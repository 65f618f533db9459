// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_PACK_PACK_H_
#define DLTAP_ANALYZER_READER_PACK_PACK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dltap::analyzer {

// A packed trace: the files of a trace in one, compressed, for keeping. What is
// unpacked equals what was packed, byte for byte, whatever it held.
//
//   magic "DLTAPPK\x01", u32 files, u32 0; then per file:
//   u32 bytes of its name, u32 0, u64 its size, u64 XXH3-64 of its bytes,
//   u64 packed bytes, the name, one zstd frame of that many bytes
//
// The frame holds units: u8 kind (0 bytes as they are, 1 calls, 2 records),
// u32 bytes of the file, u32 bytes that follow; see RowCodec for 1 and 2.

inline constexpr char kPackSuffix[] = ".dltappack";

// Whether `head`, the first bytes of a file, begin a packed trace.
bool LooksLikePack(std::string_view head);

// Packs these files into a new one at `target`.
absl::Status Pack(const std::vector<std::string>& files,
                  const std::string& target);

// Takes the bytes of a file, piece by piece.
using ByteSink = std::function<absl::Status(std::string_view)>;

struct PackedFile {
  std::string name;  // without a folder
  uint64_t size;
};

// Is asked for a sink for each file, in order; an empty sink skips it.
using SinkChooser =
    std::function<absl::StatusOr<ByteSink>(const PackedFile& file)>;

// Unpacks the file at `path`. A pack that is damaged, or claims to hold more
// than any trace of its size would, is an error that names the place.
absl::Status Unpack(const std::string& path, const SinkChooser& choose);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_PACK_PACK_H_
