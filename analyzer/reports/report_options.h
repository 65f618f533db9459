// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_REPORT_OPTIONS_H_
#define DLTAP_ANALYZER_REPORTS_REPORT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace dltap::analyzer {

enum class ReportBy : uint8_t {
  kClass,
  kApi,
  kKernel,
  kOp,
  kStep,
  kEvidence,
  kRoofline,
  kLongLow,
  kCollective,
  kMemory,
  kPath,
  kWhatIf,
  kLayer,
  kSite,
};

struct ReportOptions {
  bool wide = false;  // no folding of small rows
  size_t top = 20;    // rows of the tables by api, kernel, op
  std::string samples_unit = "samples";
  bool advice = false;  // text only: what advice rests on, and what was held
                        // back
  bool steps_plot = false;  // a line of steps
  bool color = false;       // text only: escape codes for what limits the step
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_REPORT_OPTIONS_H_
