// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_
#define DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_

#include <functional>
#include <string_view>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Writes the trace as Chrome trace events (JSON), which ui.perfetto.dev and
// chrome://tracing open: host calls by thread, activities by stream, and a
// flow from each outermost call to what it submitted. Times in microseconds
// with three decimals. `write` gets the document in pieces, in order.
void WriteChromeTrace(const TraceModel& model, const Attribution& attribution,
                      const std::function<void(std::string_view)>& write);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_
