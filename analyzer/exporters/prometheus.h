// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PROMETHEUS_H_
#define DLTAP_ANALYZER_EXPORTERS_PROMETHEUS_H_

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes the report's main numbers in Prometheus's text format, for
// node_exporter's textfile collector: base units, no kernel names as labels.
void WritePrometheus(const ExportInput& input, const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PROMETHEUS_H_
