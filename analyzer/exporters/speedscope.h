// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_SPEEDSCOPE_H_
#define DLTAP_ANALYZER_EXPORTERS_SPEEDSCOPE_H_

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes the trace for speedscope: an evented profile for each thread and each
// stream, in nanoseconds. On a stream a kernel stands inside its class. Spans
// without length are left out: the format has no place for them.
void WriteSpeedscope(const ExportInput& input, const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_SPEEDSCOPE_H_
