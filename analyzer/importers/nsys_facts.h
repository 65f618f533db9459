// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NSYS_FACTS_H_
#define DLTAP_ANALYZER_IMPORTERS_NSYS_FACTS_H_

#include "absl/status/status.h"
#include "analyzer/importers/nsys_database.h"
#include "analyzer/importers/nsys_processes.h"

namespace dltap::analyzer {

// Fills in what an export says of the processes that have events: names of
// programs, threads and devices, command, rank, versions. Each is left
// unknown where the file is silent or ambiguous.
absl::Status AddNsysFacts(NsysDatabase& database, NsysProcesses& processes);

// What the times of this file count from, in ns of UTC; 0: unknown.
absl::StatusOr<int64_t> NsysOriginNs(NsysDatabase& database);

// Where a table lacks the column that names its events' process: the process
// of all other events, if it is one. 0: no table lacks it, or there are others.
absl::StatusOr<int64_t> NsysOnlyProcess(NsysDatabase& database);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NSYS_FACTS_H_
