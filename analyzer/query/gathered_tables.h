// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_GATHERED_TABLES_H_
#define DLTAP_ANALYZER_QUERY_GATHERED_TABLES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "analyzer/duckdb/duckdb.h"

namespace dltap::analyzer {

// Tables that are small on each rank: opening a file a rank is what a question
// about a thousand ranks spends its time on. So each of these is kept a second
// time, of many ranks in one file, which readers take for the ranks that were
// not packed again since.
inline constexpr std::string_view kGatheredTables[] = {
    "collectives", "steps", "classes", "durations", "devices", "looks", "runs"};

// The ranks in such a file, as StampsOf wrote them; empty: it was written by a
// newer dltap, who may mean something else by it.
absl::StatusOr<std::string> GatheredStamps(Duckdb& database,
                                           const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_GATHERED_TABLES_H_
