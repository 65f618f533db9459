// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_LAYER_TABLES_H_
#define DLTAP_ANALYZER_REPORTS_LAYER_TABLES_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/report_options.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// In the order of the forward pass; equal layers are one row, `wide` gives each
// its own.
Table LayerTextTable(const Figures& figures, const ReportOptions& options);

// Each layer, with a column for each of its numbers.
Table TidyLayerTable(const Figures& figures);

// How the backward pass was given to layers; empty: there is none.
std::string LayerMatchText(const LayerMatching& matching);

// Of how many calls it is known which weights they use; empty: of all.
std::string LayerWeightsText(const LayerMatching& matching);

void WriteLayer(const LayerFigures& row, JsonWriter& json);
void WriteLayerMatching(const LayerMatching& matching, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_LAYER_TABLES_H_
