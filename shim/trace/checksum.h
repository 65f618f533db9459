// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_CHECKSUM_H_
#define DLTAP_SHIM_TRACE_CHECKSUM_H_

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "shim/trace/layout.h"

namespace dltap::trace {

// Of a file header: XXH3-64 of all bytes before the checksum.
inline uint64_t Checksum(const FileHeader& header) {
  return XXH3_64bits(&header, offsetof(FileHeader, checksum));
}

// Of a block: XXH3-64 of the payload, seeded with the XXH3-64 of the header's
// bytes before the checksum, so that no buffer has to hold both.
inline uint64_t Checksum(const BlockHeader& header, const void* payload) {
  const uint64_t seed = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
  return XXH3_64bits_withSeed(payload, header.payload_bytes, seed);
}

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_CHECKSUM_H_
