// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_CAPTURED_CALLS_H_
#define DLTAP_ANALYZER_READER_CAPTURED_CALLS_H_

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Marks the calls whose work went into a graph. The tap marks those of the
// thread that captures; others work for the same capture, such as PyTorch's
// thread for the backward pass. A call is captured if it made a node of a
// graph, or if it names a stream while that is captured.
void MarkCapturedCalls(const TraceModel& model, Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_CAPTURED_CALLS_H_
