// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_CI_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_CI_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "analyzer/compare/baseline.h"
#include "analyzer/compare/rule.h"

namespace dltap::analyzer {

// A program on one simulated GPU, against its baseline.
struct CiReport {
  std::string gpu;
  const BaselineRun& base;
  const BaselineRun& now;
  std::map<std::string, Change> changes;  // by quantity
  std::vector<Rule> rules;
};

// Whether any rule comes to that.
bool Any(const CiReport& report, Verdict verdict);

// One sentence; then the rules that fire and what changed, if anything did.
std::string CiText(const CiReport& report);

// What differs of the versions that numbers depend on: "torch 2.10.0 against
// torch 2.11.0"; empty: nothing.
std::string UnlikeVersions(const BaselineRun& base, const BaselineRun& now);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_CI_REPORT_H_
