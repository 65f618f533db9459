// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_

#include <string>

#include "analyzer/metrics/summary.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The JSON report, schema dltap.report version 1 (report.schema.json). Fields
// may be added, never renamed; what is unknown is null. Times are integer
// nanoseconds, summed over the used steps.
std::string JsonReport(const TraceModel& model, const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_
