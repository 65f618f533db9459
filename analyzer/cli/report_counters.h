// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_REPORT_COUNTERS_H_
#define DLTAP_ANALYZER_CLI_REPORT_COUNTERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/reports/report_options.h"

namespace dltap::analyzer {

// Whether `report` is asked about counters: its only path is what
// `ncu --csv` printed.
bool AreCounters(const std::vector<std::string>& paths);

struct CounterReport {
  std::string by;  // "class" or "kernel"
  bool json = false;
  bool csv = false;
  ReportOptions options;
};

// What `dltap report FILE.csv` prints. Error: see ParseNcuCsv, and a `by` that
// counters don't have.
absl::StatusOr<std::string> ReportCounters(const std::string& path,
                                           const CounterReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_REPORT_COUNTERS_H_
