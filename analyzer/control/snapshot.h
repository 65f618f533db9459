// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_SNAPSHOT_H_
#define DLTAP_ANALYZER_CONTROL_SNAPSHOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// Copies `rings` and then `files`, ring and data files of one process, into the
// new directory `target`: what moves from a ring to a data file meanwhile is in
// both. A ring from elsewhere is called as beside its data file. Data files
// whose last write is more than `last_s` seconds ago are left out (0: all are
// copied); each explains itself. A file that goes away meanwhile, as the oldest
// do under a size limit, is left out. Returns the number of bytes.
absl::StatusOr<uint64_t> CopySnapshot(const std::vector<std::string>& rings,
                                      const std::vector<std::string>& files,
                                      const std::string& target, double last_s);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_SNAPSHOT_H_
