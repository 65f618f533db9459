// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_UNRECORDED_H_
#define DLTAP_ANALYZER_READER_UNRECORDED_H_

#include <vector>

#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A window ends for calls at once, for the activity source some 0.1 s later:
// takes out the launches that the host made in `spans`, between the windows,
// what they started, and what began there without a launch on record. What a
// recorded library call started stays, and the launches of 10 us at both ends:
// the source's clock is known to that only.
void EraseUnrecorded(const std::vector<TimePart>& spans, Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_UNRECORDED_H_
