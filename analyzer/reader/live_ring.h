// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_LIVE_RING_H_
#define DLTAP_ANALYZER_READER_LIVE_RING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/reader/mapped_file.h"

namespace dltap::analyzer {

// A copy of a ring file, whose process may go on meanwhile.
absl::StatusOr<MappedFile> CopyRing(const std::string& path);

// Takes out of `copy` what has been drained since: its process may have written
// over it before it was copied, and it is in the data file. `now` is what the
// ring file holds after the copy was made.
void LeaveOutDrained(std::vector<uint8_t>& copy, std::span<const uint8_t> now);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_LIVE_RING_H_
