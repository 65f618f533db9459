// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_
#define DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_

#include <cstddef>

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes process `p` as PyTorch's profiler writes one (Chrome trace events,
// JSON), which ui.perfetto.dev, Holistic Trace Analysis and dltap itself read.
// Times in microseconds with three decimals, on the time line of the whole
// trace. Found steps are ProfilerStep#N, N from 0, where the program has none.
void WriteChromeTrace(const ExportInput& input, size_t p, const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CHROME_TRACE_H_
