// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PERFETTO_TRACE_H_
#define DLTAP_ANALYZER_EXPORTERS_PERFETTO_TRACE_H_

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes the trace as Perfetto's protobuf, for ui.perfetto.dev: a track for
// each process, its threads, its steps, its devices and their streams, flows
// from calls to the work they submitted, and counters of unfinished work and
// held memory by device. Nanoseconds of the trace's time line.
void WritePerfettoTrace(const ExportInput& input, const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PERFETTO_TRACE_H_
