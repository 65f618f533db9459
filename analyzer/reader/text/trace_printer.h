// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TRACE_PRINTER_H_
#define DLTAP_ANALYZER_READER_TEXT_TRACE_PRINTER_H_

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/text/print_options.h"

namespace dltap::analyzer {

// Prints a model in the text grammar (analyzer/reader/README.md): definitions
// first, then events in order of time. ParseTraceText reads it back.
void PrintTrace(const TraceModel& model, const PrintOptions& options,
                TextSink sink, void* context);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TRACE_PRINTER_H_
