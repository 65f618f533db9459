// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_PACK_DATASET_H_
#define DLTAP_ANALYZER_CLI_PACK_DATASET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/exporters/dataset_options.h"

namespace dltap::analyzer {

// Adds the ranks that `traces` hold to a data set (docs/dataset.md) and says on
// stderr what was left out or replaced.
absl::Status PackDataset(const std::vector<std::string>& traces,
                         const DatasetOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_PACK_DATASET_H_
