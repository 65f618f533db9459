// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_RING_RESCUE_H_
#define DLTAP_ANALYZER_READER_RING_RESCUE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dltap::analyzer {

// Moves what killed processes have left in shared memory beside the data files
// of `directory`, so that the trace is whole wherever it is taken. Rings of
// processes that still run stay. Returns the paths of the moved files.
std::vector<std::string> RescueRings(const std::string& directory);

// Writes what a ring file holds as a new file that only its user reads. Most of
// it was never written to: that takes no space. False: it is there, or cannot
// be written.
bool WriteRing(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_RING_RESCUE_H_
