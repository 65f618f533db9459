// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_

#include <cstdint>
#include <string>

#include "analyzer/metrics/figures/figures.h"

namespace dltap::analyzer {

// Whether the list of layers is in it. Of a long run without steps each
// operation is a layer of its own.
enum class JsonLayers : uint8_t { kAll, kNone };

// Every number of the report as one JSON document, by report.schema.json.
// `figures` are those of `summary`. Times in ns, ratios 1 for the whole, what
// is not known null; bytes of names that are no UTF-8 become U+FFFD.
std::string JsonReport(const Summary& summary, const Figures& figures,
                       JsonLayers layers = JsonLayers::kAll);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_REPORT_H_
