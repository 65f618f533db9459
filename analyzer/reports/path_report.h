// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_PATH_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_PATH_REPORT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// What is on the critical path of a step, most first.
Table PathTable(const Figures& figures);
// How long a step would take if something were faster.
Table WhatIfTable(const Figures& figures);

// The same in a line each; empty: nothing to say.
std::string PathLine(const PathFigures& path);
std::string WhatIfLine(const PathFigures& path);

// What a scenario is called: "CONV 2 x, without host".
std::string ScenarioText(const Scenario& scenario);

// Of a replay that was asked for: the step before and after.
std::string FasterText(const PathFigures& path);
std::string FasterJson(const PathFigures& path);

// The fields critical_path and what_if.
void WritePath(const PathFigures& path, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_PATH_REPORT_H_
