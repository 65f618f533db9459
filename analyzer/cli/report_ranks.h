// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_REPORT_RANKS_H_
#define DLTAP_ANALYZER_CLI_REPORT_RANKS_H_

#include <string>
#include <vector>

namespace dltap::analyzer {

// What dltap report takes for a data set of many ranks.
struct RanksOptions {
  std::string run;    // empty: the newest
  std::string steps;  // 10..19, or one
  std::string html;   // the file
  bool json = false;
  bool ascii = false;
};

// Whether one of `paths` is a data set.
bool IsAnyDataset(const std::vector<std::string>& paths);

// The exit code.
int ReportRanks(const std::vector<std::string>& paths,
                const RanksOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_REPORT_RANKS_H_
