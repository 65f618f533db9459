// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_FILE_BYTES_H_
#define DLTAP_ANALYZER_IMPORTERS_FILE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// The bytes of a file; a gzip member is inflated. Refuses to inflate to more
// than `max_bytes`, so that a small hostile file cannot fill the memory.
absl::StatusOr<std::string> ReadFileBytes(const std::string& path,
                                          size_t max_bytes = size_t{16} << 30);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_FILE_BYTES_H_
