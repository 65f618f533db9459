// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_STEPS_H_
#define DLTAP_ANALYZER_REPORTS_JSON_STEPS_H_

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/output/json_writer.h"

// The parts of the JSON report that say what the numbers are about. Each
// writes fields into the document's object.
namespace dltap::analyzer {

// What the user asked for; what was not asked for is absent.
void WriteSelection(const Summary& summary, JsonWriter& json);

void WriteSteps(const Summary& summary, const StepFigures& steps,
                JsonWriter& json);

// The coverage, the windows, and what is outside of them.
void WriteCoverage(const Summary& summary, const Coverage& coverage,
                   JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_STEPS_H_
