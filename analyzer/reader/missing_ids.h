// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_MISSING_IDS_H_
#define DLTAP_ANALYZER_READER_MISSING_IDS_H_

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Some activity source may leave out external correlation ids. An API record
// that lies within a library call of its thread, which no id names, was made in
// it: it gets the call's id.
void RestoreMissingIds(const TraceModel& model, Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_MISSING_IDS_H_
