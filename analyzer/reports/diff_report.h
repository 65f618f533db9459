// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_DIFF_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_DIFF_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/difference.h"
#include "analyzer/compare/rule.h"

// The faces of a difference. All three have the same numbers.
namespace dltap::analyzer {

struct Judgement {
  Rule rule;
  Change change;
  Verdict verdict = Verdict::kUnknown;
};

struct DiffReport {
  Side base;
  Side now;
  const Difference* difference;
  std::vector<Judgement> judgements;
};

struct DiffOptions {
  std::optional<DifferenceBy> by;  // none: the parts of the step
  size_t top = 10;                 // rows of a table
};

// The sentence first; then what stands in the way, the two runs, the rules,
// the quantities, and one table.
std::string DiffText(const DiffReport& report, const DiffOptions& options);

// The same for GitHub, the tables by class, layer and kernel folded away.
std::string DiffMarkdown(const DiffReport& report, const DiffOptions& options);

// "dltap.diff", version 1: diff.schema.json.
std::string DiffJson(const DiffReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_DIFF_REPORT_H_
